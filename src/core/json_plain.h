// Finding the end of a plain stretch of a string, eight bytes at a time: most bytes of most
// documents are plain, and reader and writer copy them as one piece.
#pragma once

#include <cstdint>
#include <cstring>

namespace jobforge {

// Plain: ASCII that is neither a control character, a quote nor a backslash.
[[nodiscard]] inline bool is_plain(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

// Whether any of 8 bytes is not plain. Exact for the question "any?", by the usual trick: x - n
// borrows into the high bit of a byte only if a byte below n is there or further down.
[[nodiscard]] inline bool any_not_plain(std::uint64_t bytes) noexcept {
    constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
    constexpr std::uint64_t kHighBits = kOnes * 0x80;
    const auto below = [](std::uint64_t x, std::uint64_t n) { return (x - kOnes * n) & ~x; };
    const std::uint64_t quote = below(bytes ^ (kOnes * '"'), 1);
    const std::uint64_t backslash = below(bytes ^ (kOnes * '\\'), 1);
    const std::uint64_t control = below(bytes, 0x20);
    return ((quote | backslash | control | bytes) & kHighBits) != 0;
}

// The first byte from `at` that is not plain, or `end`.
[[nodiscard]] inline const char* skip_plain(const char* at, const char* end) noexcept {
    while (end - at >= 8) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, at, sizeof bytes);
        if (any_not_plain(bytes)) {
            break;
        }
        at += 8;
    }
    while (at != end && is_plain(*at)) {
        ++at;
    }
    return at;
}

}  // namespace jobforge
