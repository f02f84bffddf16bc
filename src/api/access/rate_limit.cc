#include "api/access/rate_limit.h"

#include <algorithm>
#include <cmath>

namespace jobforge::api {

namespace {

using Seconds = std::chrono::duration<double>;

// A look at all buckets, when new keys come as fast as they can be made up.
constexpr std::chrono::milliseconds kForgetEvery{1000};
constexpr std::string_view kOthers = "";  // those that found no room

std::chrono::milliseconds time_for(double tokens, int per_second) {
    return std::chrono::milliseconds(
        static_cast<std::int64_t>(std::ceil(tokens * 1000.0 / per_second)));
}

}  // namespace

double RateLimit::tokens_at(const Bucket& bucket, TimePoint now) const {
    const double passed = std::max(0.0, Seconds(now - bucket.filled_at).count());
    return std::min(static_cast<double>(options_.burst),
                    bucket.tokens + passed * options_.requests_per_second);
}

// A bucket that has filled up says nothing that a new one would not.
void RateLimit::forget_full_buckets(TimePoint now) {
    std::erase_if(buckets_, [&](const auto& entry) {
        return tokens_at(entry.second, now) >= static_cast<double>(options_.burst);
    });
}

// Filled up to now.
RateLimit::Bucket& RateLimit::bucket_of(std::string_view key, TimePoint now) {
    auto found = buckets_.find(std::string(key));
    if (found == buckets_.end()) {
        if (buckets_.size() >= options_.maximum_keys && now - forgotten_at_ >= kForgetEvery) {
            forget_full_buckets(now);
            forgotten_at_ = now;
        }
        const std::string name(buckets_.size() >= options_.maximum_keys ? kOthers : key);
        found = buckets_.try_emplace(name, Bucket{static_cast<double>(options_.burst), now}).first;
    }
    Bucket& bucket = found->second;
    bucket.tokens = tokens_at(bucket, now);
    bucket.filled_at = now;
    return bucket;
}

void RateLimit::give_back(std::string_view key, TimePoint now) {
    const std::lock_guard lock(mutex_);
    Bucket& bucket = bucket_of(key, now);
    bucket.tokens = std::min(static_cast<double>(options_.burst), bucket.tokens + 1.0);
}

RateDecision RateLimit::take(std::string_view key, TimePoint now) {
    const std::lock_guard lock(mutex_);
    Bucket& bucket = bucket_of(key, now);
    RateDecision decision;
    decision.limit = options_.burst;
    decision.allowed = bucket.tokens >= 1.0;
    if (decision.allowed) {
        bucket.tokens -= 1.0;
    } else {
        decision.retry = time_for(1.0 - bucket.tokens, options_.requests_per_second);
    }
    decision.remaining = static_cast<int>(bucket.tokens);
    decision.reset = time_for(options_.burst - bucket.tokens, options_.requests_per_second);
    return decision;
}

}  // namespace jobforge::api
