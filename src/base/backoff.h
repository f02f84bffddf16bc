// How long to wait before the next connection. Pure: randomness comes from the caller. When a job
// is tried again is decided by the database alone (backoff_seconds.sql).
#pragma once

#include <cstdint>

namespace jobforge {

// The wait before reconnecting after `failures` (from 1; less counts as 1) failed tries in a row:
// doubles from 50 ms to a second, so that work goes on within two seconds of a promotion, however
// long the outage was. Between half of it and all of it, by `random` in [0, 1), so that a fleet
// does not come back at once. No overflow at any number.
[[nodiscard]] std::int64_t reconnect_delay_ms(int failures, double random) noexcept;

}  // namespace jobforge
