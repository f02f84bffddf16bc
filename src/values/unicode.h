// Letters beyond ASCII: lower case, what a word is made of, blanks. Pure; no locale; any thread.
//
// Only what comparing titles needs: simple case mappings (one code point to one, no context), no
// normalisation and no collation. The tables are Unicode 14's (unicode_table.py).
#pragma once

#include <string>
#include <string_view>

namespace jobforge::unicode {

// The code point at the beginning of `text`, which moves behind it. A byte that begins no
// well-formed UTF-8 is U+FFFD. Precondition: !text.empty().
[[nodiscard]] char32_t take(std::string_view& text) noexcept;

[[nodiscard]] char32_t lower(char32_t code_point) noexcept;
// A letter, a mark (an accent of its own) or a number of any script.
[[nodiscard]] bool is_word(char32_t code_point) noexcept;
// White_Space.
[[nodiscard]] bool is_blank(char32_t code_point) noexcept;

// Each code point lowered; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string lower_case(std::string_view text);
// Without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;
// Without blanks at both ends, and one space for each run of them inside.
[[nodiscard]] std::string collapsed(std::string_view text);

}  // namespace jobforge::unicode
