// Finding the end of a plain stretch of a string or of white space, many bytes at a time: most
// bytes of most documents are one or the other, and reader and writer pass them as one piece. SSE2
// is in every x86-64 processor; elsewhere eight bytes at a time in a plain integer.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace jobforge {

// Plain: ASCII that is neither a control character, a quote nor a backslash.
[[nodiscard]] inline bool is_plain(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

[[nodiscard]] inline bool is_json_space(char c) noexcept {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
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

#ifdef __SSE2__
// One bit a byte of the 16 at `at`, set where it is not plain. Compared as signed numbers, bytes
// from 0x80 are below 0x20 too.
[[nodiscard]] inline unsigned not_plain_of_16(const char* at) noexcept {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    const __m128i outside = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
    return static_cast<unsigned>(
        _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), outside)));
}

// One bit a byte of the 16 at `at`, set where it is not white space.
[[nodiscard]] inline unsigned not_space_of_16(const char* at) noexcept {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto equal = [bytes](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    const __m128i space =
        _mm_or_si128(_mm_or_si128(equal(' '), equal('\n')), _mm_or_si128(equal('\t'), equal('\r')));
    return static_cast<unsigned>(_mm_movemask_epi8(space)) ^ 0xFFFFU;
}
#endif

// The first byte from `at` that is not plain, or `end`.
[[nodiscard]] inline const char* skip_plain(const char* at, const char* end) noexcept {
#ifdef __SSE2__
    for (; end - at >= 16; at += 16) {
        if (const unsigned found = not_plain_of_16(at); found != 0) {
            return at + std::countr_zero(found);
        }
    }
#endif
    for (; end - at >= 8; at += 8) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, at, sizeof bytes);
        if (any_not_plain(bytes)) {
            break;
        }
    }
    while (at != end && is_plain(*at)) {
        ++at;
    }
    return at;
}

// The first byte from `at` that is not white space, or `end`. Most often that is the first or the
// second; a long run is the indentation of a document for people.
[[nodiscard]] inline const char* skip_json_space(const char* at, const char* end) noexcept {
    if (at != end && !is_json_space(*at)) {
        return at;
    }
#ifdef __SSE2__
    for (; end - at >= 16; at += 16) {
        if (const unsigned found = not_space_of_16(at); found != 0) {
            return at + std::countr_zero(found);
        }
    }
#endif
    while (at != end && is_json_space(*at)) {
        ++at;
    }
    return at;
}

}  // namespace jobforge
