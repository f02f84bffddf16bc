// How long to wait before the next try. Pure: randomness comes from the caller.
//
// The database decides the times of retries (job_types.backoff); these functions say the same in
// C++, for `explain`, documentation and the tests that compare the two.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace jobforge {

enum class Backoff {
    bpc,       // min(1024, 2^attempts) seconds
    source,    // min(86400, base_seconds * 2^(attempts-1)) seconds
    jobforge,  // min(3600, 2^(attempts-1)) seconds
};

[[nodiscard]] std::string_view to_string(Backoff backoff) noexcept;
[[nodiscard]] std::optional<Backoff> backoff_from_string(std::string_view name) noexcept;

struct BackoffPolicy {
    Backoff backoff = Backoff::jobforge;
    int base_seconds = 300;  // 1..86400; only `source` uses it
    double jitter = 0.1;     // 0..0.1: at most this part of the delay is added
};

// The delay after attempt number `attempts` (from 1; less counts as 1) has failed. `random` is in
// [0, 1). No overflow at any attempt.
[[nodiscard]] std::int64_t retry_delay_ms(const BackoffPolicy& policy, int attempts,
                                          double random) noexcept;

// The wait before reconnecting after `failures` (from 1) failed tries in a row: doubles from 50 ms
// to a second: work goes on within two seconds of a promotion, however long the outage was. Between
// half of it and all of it, by `random`, so that a fleet does not come back at once.
[[nodiscard]] std::int64_t reconnect_delay_ms(int failures, double random) noexcept;

}  // namespace jobforge
