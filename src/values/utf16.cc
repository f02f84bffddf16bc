#include "values/utf16.h"

#include <cstddef>

#include "base/text/utf8.h"

namespace jobforge {
namespace {

bool is_high_surrogate(char32_t unit) noexcept {
    return unit >= 0xD800 && unit < 0xDC00;
}

bool is_low_surrogate(char32_t unit) noexcept {
    return unit >= 0xDC00 && unit < 0xE000;
}

std::optional<std::string> from_utf16(std::string_view bytes, bool little_endian) {
    if (bytes.size() % 2 != 0) {
        return std::nullopt;
    }
    const auto unit_at = [&](std::size_t at) {
        const auto first = static_cast<unsigned char>(bytes[at]);
        const auto second = static_cast<unsigned char>(bytes[at + 1]);
        return static_cast<char32_t>(little_endian ? second << 8 | first : first << 8 | second);
    };
    std::string text;
    text.reserve(bytes.size() / 2);
    for (std::size_t at = 0; at < bytes.size(); at += 2) {
        char32_t unit = unit_at(at);
        if (is_high_surrogate(unit) && at + 2 < bytes.size() && is_low_surrogate(unit_at(at + 2))) {
            at += 2;
            unit = 0x10000 + ((unit - 0xD800) << 10U) + (unit_at(at) - 0xDC00);
        } else if (is_high_surrogate(unit) || is_low_surrogate(unit)) {
            return std::nullopt;
        }
        utf8_append(text, unit);
    }
    return text;
}

}  // namespace

std::optional<std::string> without_byte_order_mark(std::string_view bytes) {
    if (bytes.starts_with("\xFF\xFE")) {
        return from_utf16(bytes.substr(2), true);
    }
    if (bytes.starts_with("\xFE\xFF")) {
        return from_utf16(bytes.substr(2), false);
    }
    return std::string(bytes.starts_with("\xEF\xBB\xBF") ? bytes.substr(3) : bytes);
}

}  // namespace jobforge
