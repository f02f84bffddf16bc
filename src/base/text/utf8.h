// Well-formed UTF-8 (Unicode 15, table 3-7): no overlong forms, no surrogates, nothing above
// U+10FFFF. Pure and allocation-free.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jobforge {

// The length (1..4) of the well-formed sequence that begins at `at`; 0 if there is none before
// `end`. Precondition: at < end.
[[nodiscard]] inline std::size_t utf8_sequence_length(const char* at, const char* end) noexcept {
    const auto byte = [at](std::size_t i) { return static_cast<unsigned char>(at[i]); };
    const auto continues = [&byte](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
    const auto left = static_cast<std::size_t>(end - at);
    const unsigned char lead = byte(0);
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
        return left >= 2 && continues(1) ? 2 : 0;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        if (left < 3 || !continues(1) || !continues(2)) {
            return 0;
        }
        const bool overlong = lead == 0xE0 && byte(1) < 0xA0;
        const bool surrogate = lead == 0xED && byte(1) > 0x9F;
        return overlong || surrogate ? 0 : 3;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        if (left < 4 || !continues(1) || !continues(2) || !continues(3)) {
            return 0;
        }
        const bool overlong = lead == 0xF0 && byte(1) < 0x90;
        const bool too_large = lead == 0xF4 && byte(1) > 0x8F;
        return overlong || too_large ? 0 : 4;
    }
    return 0;
}

// The offset of the first byte that begins no well-formed sequence; npos if all is well-formed.
[[nodiscard]] std::size_t utf8_first_fault(std::string_view text) noexcept;

// How many code points a well-formed text has.
[[nodiscard]] std::size_t utf8_length(std::string_view text) noexcept;

// Writes the UTF-8 form of a code point (1 to 4 bytes) and returns the end of it. Precondition: a
// Unicode scalar value.
char* utf8_write(char* to, char32_t code_point) noexcept;
// Appends the UTF-8 form of a code point. Precondition: a Unicode scalar value.
void utf8_append(std::string& out, char32_t code_point);

}  // namespace jobforge
