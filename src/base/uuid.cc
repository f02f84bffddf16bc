#include <jobforge/uuid.h>

#include <algorithm>
#include <cstring>

#include "base/text/hex_digit.h"

namespace jobforge {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

// Whether a dash precedes this byte in the text form 8-4-4-4-12.
constexpr bool dash_before(std::size_t byte) noexcept {
    return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

Error malformed() {
    return Error::of(ErrorCode::VALIDATION_ERROR,
                     "a uuid is 36 characters, 8-4-4-4-12 hex digits with dashes");
}

}  // namespace

Result<Uuid> Uuid::parse(std::string_view text) {
    if (text.size() != 36) {
        return malformed();
    }
    Uuid id;
    std::size_t at = 0;
    for (std::size_t i = 0; i < id.bytes.size(); ++i) {
        if (dash_before(i) && text[at++] != '-') {
            return malformed();
        }
        const int high = hex_digit_value(text[at++]);
        const int low = hex_digit_value(text[at++]);
        if (high < 0 || low < 0) {
            return malformed();
        }
        id.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
    }
    return id;
}

Uuid Uuid::v7(std::int64_t unix_ms, const std::array<std::uint8_t, 10>& random) {
    Uuid id;
    const auto time = static_cast<std::uint64_t>(unix_ms);
    for (std::size_t i = 0; i < 6; ++i) {
        id.bytes[i] = static_cast<std::uint8_t>(time >> (40 - 8 * i));
    }
    std::ranges::copy(random, id.bytes.begin() + 6);
    id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0F) | 0x70);  // version 7
    id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3F) | 0x80);  // RFC 9562 variant
    return id;
}

std::string Uuid::to_string() const {
    std::string text;
    text.reserve(36);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (dash_before(i)) {
            text += '-';
        }
        text += kHexDigits[bytes[i] >> 4];
        text += kHexDigits[bytes[i] & 0x0F];
    }
    return text;
}

bool Uuid::is_nil() const noexcept {
    return *this == Uuid{};
}

}  // namespace jobforge

std::size_t std::hash<jobforge::Uuid>::operator()(const jobforge::Uuid& id) const noexcept {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::memcpy(&high, id.bytes.data(), 8);
    std::memcpy(&low, id.bytes.data() + 8, 8);
    // Version 7 ids of one millisecond share the high half and ids of one process may share bits of
    // the low half: mix both over all bits (the finalizer of MurmurHash3).
    std::uint64_t mixed = high ^ (low * 0x9E3779B97F4A7C15ULL);
    mixed ^= mixed >> 33;
    mixed *= 0xFF51AFD7ED558CCDULL;
    mixed ^= mixed >> 33;
    mixed *= 0xC4CEB9FE1A85EC53ULL;
    mixed ^= mixed >> 33;
    return static_cast<std::size_t>(mixed);
}
