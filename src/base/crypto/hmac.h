// Keyed hashes (RFC 2104 with SHA-256 and SHA-512), and the comparison to check them with.
// Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/crypto/hash.h"

namespace jobforge {

using Sha512 = std::array<std::uint8_t, 64>;

// A key of any length, also empty. Both abort if OpenSSL cannot compute it: that is a broken
// installation, not an input.
[[nodiscard]] Sha256 hmac_sha256(std::string_view key, std::string_view message);
[[nodiscard]] Sha512 hmac_sha512(std::string_view key, std::string_view message);

// Whether the bytes are equal, in a time that depends on their lengths only: a comparison that
// stops at the first difference tells an attacker how far a guess was right. The lengths
// themselves are not secret.
[[nodiscard]] bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept;

}  // namespace jobforge
