// The Retry-After header: how long a server wants to be left alone (RFC 9110, 10.2.3). Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace jobforge::connect {

// Longest wait that is kept: beyond it a server's mistake would stop a delivery.
inline constexpr std::chrono::seconds kLongestRetryAfter{24 * 60 * 60};

// Seconds ("120"), or an HTTP date in any of its three forms ("Sun, 06 Nov 1994 08:49:37 GMT",
// RFC 850's "Sunday, 06-Nov-94 08:49:37 GMT", asctime's "Sun Nov  6 08:49:37 1994"), counted from
// `now`; a date that has passed is 0. At most kLongestRetryAfter. nullopt for anything else:
// negative numbers, fractions, other time zones, dates that do not exist.
[[nodiscard]] std::optional<std::chrono::seconds> retry_after(
    std::string_view header, std::chrono::sys_seconds now) noexcept;

}  // namespace jobforge::connect
