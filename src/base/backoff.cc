#include "base/backoff.h"

#include <algorithm>

namespace jobforge {

std::int64_t reconnect_delay_ms(int failures, double random) noexcept {
    constexpr std::int64_t kMostMs = 1000;
    const int doublings = std::clamp(failures, 1, 32) - 1;  // 2^31 of anything is beyond the most
    const std::int64_t delay_ms = std::min(kMostMs, std::int64_t{50} << doublings);
    const double part = 0.5 + 0.5 * std::clamp(random, 0.0, 1.0);
    return static_cast<std::int64_t>(static_cast<double>(delay_ms) * part);
}

}  // namespace jobforge
