// The value of one hex digit. Pure; any thread.
#pragma once

namespace jobforge {

// 0 to 15, either case; -1 for any other character.
[[nodiscard]] constexpr int hex_digit_value(char c) noexcept {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const int lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace jobforge
