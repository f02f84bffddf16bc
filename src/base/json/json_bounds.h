// Numbers that are short as text and enormous when they are written out.
//
// JSON keeps the digits as they were sent: 1e131071 is eight characters here and in a request. The
// database's jsonb writes it as 131,072 digits, and so does whatever reads it from there. Pure.
#pragma once

#include <optional>
#include <string>

#include <jobforge/json.h>

namespace jobforge {

// Every double, written out, has fewer.
inline constexpr int kMostDigits = 400;

// The JSON pointer of the first number with more than kMostDigits digits before or behind its point
// when it is written without an exponent; nullopt: there is none.
[[nodiscard]] std::optional<std::string> find_long_number(const Json& value);

}  // namespace jobforge
