#include "base/text/base32.h"

#include <cstdint>

namespace jobforge {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

Error malformed(const char* reason) {
    return Error::of(ErrorCode::VALIDATION_ERROR, std::string("base32: ") + reason);
}

// -1 for a character outside the alphabet.
int digit_value(char c) noexcept {
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    return c >= '2' && c <= '7' ? c - '2' + 26 : -1;
}

}  // namespace

std::string base32_encode(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() * 8 + 4) / 5);
    std::uint32_t pending = 0;  // bits read and not yet written
    unsigned pending_bits = 0;
    for (const char c : bytes) {
        pending = pending << 8 | static_cast<unsigned char>(c);
        pending_bits += 8;
        while (pending_bits >= 5) {
            pending_bits -= 5;
            text += kAlphabet[pending >> pending_bits & 31U];
        }
        pending &= (1U << pending_bits) - 1;
    }
    if (pending_bits > 0) {
        text += kAlphabet[pending << (5 - pending_bits) & 31U];
    }
    return text;
}

Result<std::string> base32_decode(std::string_view text) {
    // 1, 3 and 6 characters behind whole groups of 8 carry a full character too many.
    const std::size_t rest = text.size() % 8;
    if (rest == 1 || rest == 3 || rest == 6) {
        return malformed("no bytes have a text of this length");
    }
    std::string bytes;
    bytes.reserve(text.size() * 5 / 8);
    std::uint32_t pending = 0;  // bits read and not yet written
    unsigned pending_bits = 0;
    for (const char c : text) {
        const int value = digit_value(c);
        if (value < 0) {
            return malformed("only A to Z and 2 to 7 are allowed, without padding");
        }
        pending = pending << 5 | static_cast<std::uint32_t>(value);
        pending_bits += 5;
        if (pending_bits >= 8) {
            pending_bits -= 8;
            bytes += static_cast<char>(pending >> pending_bits & 0xFFU);
            pending &= (1U << pending_bits) - 1;
        }
    }
    if (pending != 0) {
        return malformed("bits are set behind the last byte");
    }
    return bytes;
}

}  // namespace jobforge
