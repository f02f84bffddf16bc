// Spans of time as people write and read them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <jobforge/error.h>

namespace jobforge {

// Milliseconds from a whole number and a unit: "500ms", "30s", "5m", "2h", "1d". No sign, space or
// fraction. VALIDATION_ERROR otherwise, also if it does not fit.
[[nodiscard]] Result<std::int64_t> parse_duration_ms(std::string_view text);

// The two largest units, rounded towards zero: "250 ms", "1.5 s", "3 min", "2 h 5 min", "4 d 1 h".
[[nodiscard]] std::string format_duration_ms(std::int64_t duration_ms);

}  // namespace jobforge
