// Requests a second of one key on this node: a bucket of tokens each, filled as time goes by.
//
// In memory, on purpose: a limit that protects the database must not ask it. Several nodes allow as
// many times the rate. Threads: any. The clock is passed in.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace jobforge::api {

struct RateLimitOptions {
    bool enabled = false;          // BPC_RATE_LIMIT_ENABLED
    int requests_per_second = 50;  // BPC_RATE_LIMIT_RPS
    int burst = 100;               // BPC_RATE_LIMIT_BURST
    // Buckets in memory. A full one is not a loss when it is forgotten; if there are none, new keys
    // share one bucket.
    std::size_t maximum_keys = 10000;
};

struct RateDecision {
    bool allowed = true;
    int limit = 0;                       // the burst
    int remaining = 0;                   // whole tokens left
    std::chrono::milliseconds reset{0};  // until the bucket is full again
    std::chrono::milliseconds retry{0};  // until the next token, if not allowed
};

class RateLimit final {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    explicit RateLimit(RateLimitOptions options) : options_(options) {}

    [[nodiscard]] bool enabled() const noexcept { return options_.enabled; }
    // Takes a token of this key's bucket if there is one.
    [[nodiscard]] RateDecision take(std::string_view key, TimePoint now);
    // A token that was taken for nothing.
    void give_back(std::string_view key, TimePoint now);

private:
    struct Bucket {
        double tokens;
        TimePoint filled_at;
    };
    [[nodiscard]] Bucket& bucket_of(std::string_view key, TimePoint now);
    void forget_full_buckets(TimePoint now);
    [[nodiscard]] double tokens_at(const Bucket& bucket, TimePoint now) const;

    const RateLimitOptions options_;
    std::mutex mutex_;
    std::unordered_map<std::string, Bucket> buckets_;  // under mutex_
    TimePoint forgotten_at_{};                         // when full buckets were looked for
};

}  // namespace jobforge::api
