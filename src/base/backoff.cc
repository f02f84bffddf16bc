#include "base/backoff.h"

#include <algorithm>

namespace jobforge {
namespace {

// base * 2^doublings, at most cap. 2^40 of anything is beyond every cap, and base <= 86400 keeps
// the product below 2^57.
std::int64_t doubled(std::int64_t base, int doublings, std::int64_t cap) noexcept {
    const int bounded = std::clamp(doublings, 0, 40);
    return std::min(cap, base * (std::int64_t{1} << bounded));
}

std::int64_t delay_seconds(const BackoffPolicy& policy, int attempts) noexcept {
    switch (policy.backoff) {
        case Backoff::bpc:
            return doubled(2, attempts - 1, 1024);
        case Backoff::source:
            return doubled(std::clamp(policy.base_seconds, 1, 86400), attempts - 1, 86400);
        case Backoff::jobforge:
            break;
    }
    return doubled(1, attempts - 1, 3600);
}

}  // namespace

std::string_view to_string(Backoff backoff) noexcept {
    switch (backoff) {
        case Backoff::bpc:
            return "bpc";
        case Backoff::source:
            return "source";
        case Backoff::jobforge:
            break;
    }
    return "jobforge";
}

std::optional<Backoff> backoff_from_string(std::string_view name) noexcept {
    for (const Backoff backoff : {Backoff::bpc, Backoff::source, Backoff::jobforge}) {
        if (to_string(backoff) == name) {
            return backoff;
        }
    }
    return std::nullopt;
}

std::int64_t retry_delay_ms(const BackoffPolicy& policy, int attempts, double random) noexcept {
    const std::int64_t delay_ms = delay_seconds(policy, std::max(attempts, 1)) * 1000;
    const double part = std::clamp(policy.jitter, 0.0, 0.1) * std::clamp(random, 0.0, 1.0);
    return delay_ms + static_cast<std::int64_t>(static_cast<double>(delay_ms) * part);
}

std::int64_t reconnect_delay_ms(int failures, double random) noexcept {
    const std::int64_t delay_ms = doubled(50, std::max(failures, 1) - 1, 1000);
    const double part = 0.5 + 0.5 * std::clamp(random, 0.0, 1.0);
    return static_cast<std::int64_t>(static_cast<double>(delay_ms) * part);
}

}  // namespace jobforge
