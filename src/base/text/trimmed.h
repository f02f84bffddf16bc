// A text without certain bytes at both ends. values/unicode.h has one for all blanks of Unicode.
#pragma once

#include <string_view>

namespace jobforge {

// Of a file, a header or an environment variable; of a part of a header.
inline constexpr std::string_view kBlankBytes = " \t\r\n";
inline constexpr std::string_view kLineBlanks = " \t";

// A view into `text`.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text,
                                                 std::string_view blanks) noexcept {
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace jobforge
