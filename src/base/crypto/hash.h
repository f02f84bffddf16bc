// BPC-HASH-1: SHA-256, written as 64 lower-case hex digits. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <jobforge/error.h>

namespace jobforge {

using Sha256 = std::array<std::uint8_t, 32>;

// Aborts if OpenSSL cannot compute it: a missing SHA-256 is a broken installation, not an input.
[[nodiscard]] Sha256 sha256(std::string_view bytes);
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

// Two lower-case digits a byte.
[[nodiscard]] std::string hex_encode(std::string_view bytes);
[[nodiscard]] std::string hex_encode(const Sha256& digest);
// The bytes; either case. VALIDATION_ERROR for an odd length or anything but hex digits.
[[nodiscard]] Result<std::string> hex_decode(std::string_view text);

}  // namespace jobforge
