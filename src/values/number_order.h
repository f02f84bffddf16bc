// JSON numbers compared by value, from their texts: 1.0 equals 1 and 1e400 is larger than 9e399.
// Nothing passes through a double, and an exponent of a billion costs no more than its digits.
// Pure; any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace jobforge {

// Both by JSON's grammar (Json::number_text()).
[[nodiscard]] std::strong_ordering compare_numbers(std::string_view a, std::string_view b);
// Whether there is nothing behind the point: 1.0, 1e2 and 10e-1 are whole.
[[nodiscard]] bool is_whole_number(std::string_view text);
// Its value; nullopt if it is not whole or needs more than 18 digits.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text);

}  // namespace jobforge
