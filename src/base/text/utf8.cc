#include "base/text/utf8.h"

#include <algorithm>

#include <array>
#include <cstdint>
#include <cstring>

namespace jobforge {

namespace {

// Steps over ASCII eight bytes at a time; stops at or before the first other byte.
const char* skip_ascii(const char* at, const char* end) noexcept {
    constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
    for (; end - at >= 8; at += 8) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, at, sizeof bytes);
        if ((bytes & kHighBits) != 0) {
            break;
        }
    }
    return at;
}

}  // namespace

std::size_t utf8_first_fault(std::string_view text) noexcept {
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    for (const char* at = skip_ascii(begin, end); at != end;) {
        const std::size_t length = utf8_sequence_length(at, end);
        if (length == 0) {
            return static_cast<std::size_t>(at - begin);
        }
        at = skip_ascii(at + length, end);
    }
    return std::string_view::npos;
}

std::size_t utf8_length(std::string_view text) noexcept {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

char* utf8_write(char* to, char32_t code_point) noexcept {
    const auto put = [&to](char32_t byte) { *to++ = static_cast<char>(byte); };
    if (code_point < 0x80) {
        put(code_point);
    } else if (code_point < 0x800) {
        put(0xC0 | (code_point >> 6));
        put(0x80 | (code_point & 0x3F));
    } else if (code_point < 0x10000) {
        put(0xE0 | (code_point >> 12));
        put(0x80 | ((code_point >> 6) & 0x3F));
        put(0x80 | (code_point & 0x3F));
    } else {
        put(0xF0 | (code_point >> 18));
        put(0x80 | ((code_point >> 12) & 0x3F));
        put(0x80 | ((code_point >> 6) & 0x3F));
        put(0x80 | (code_point & 0x3F));
    }
    return to;
}

void utf8_append(std::string& out, char32_t code_point) {
    std::array<char, 4> bytes;
    out.append(bytes.data(), utf8_write(bytes.data(), code_point));
}

}  // namespace jobforge
