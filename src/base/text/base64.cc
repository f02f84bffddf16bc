#include "base/text/base64.h"

#include <array>
#include <cstdint>

namespace jobforge {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::uint8_t kNoDigit = 0xFF;

constexpr std::array<std::uint8_t, 256> make_values() {
    std::array<std::uint8_t, 256> values{};
    values.fill(kNoDigit);
    for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
        values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
    }
    return values;
}

constexpr auto kValues = make_values();

Error malformed(const char* reason) {
    return Error::of(ErrorCode::VALIDATION_ERROR, std::string("base64: ") + reason);
}

std::size_t padding_of(std::string_view text) noexcept {
    if (text.ends_with("==")) {
        return 2;
    }
    return text.ends_with('=') ? 1 : 0;
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
    const auto byte = [bytes](std::size_t i) -> std::uint32_t {
        return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
    };
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        text += kAlphabet[group >> 18];
        text += kAlphabet[group >> 12 & 63];
        text += i + 1 < bytes.size() ? kAlphabet[group >> 6 & 63] : '=';
        text += i + 2 < bytes.size() ? kAlphabet[group & 63] : '=';
    }
    return text;
}

Result<std::string> base64_decode(std::string_view text) {
    if (text.size() % 4 != 0) {
        return malformed("the length is not a multiple of 4");
    }
    const std::size_t padding = padding_of(text);
    const std::string_view digits = text.substr(0, text.size() - padding);
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    std::uint32_t pending = 0;  // bits read and not yet written
    int pending_bits = 0;
    for (const char c : digits) {
        const std::uint8_t value = kValues[static_cast<unsigned char>(c)];
        if (value == kNoDigit) {
            return malformed("a character outside the alphabet");
        }
        pending = pending << 6 | value;
        pending_bits += 6;
        if (pending_bits >= 8) {
            pending_bits -= 8;
            bytes += static_cast<char>(pending >> pending_bits & 0xFF);
            pending &= (1U << pending_bits) - 1;
        }
    }
    if (pending != 0) {
        return malformed("bits are set behind the last byte");
    }
    return bytes;
}

}  // namespace jobforge
