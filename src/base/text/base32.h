// Base32 (RFC 4648, section 6): upper case, without padding; 32 bytes are 52 characters.
//
// QR codes pack upper-case letters and digits into 5.5 bits each, so a hash in this form costs less
// ink than in hex. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include <jobforge/error.h>

namespace jobforge {

[[nodiscard]] std::string base32_encode(std::string_view bytes);

// The bytes. Strict, so that a value has exactly one text: VALIDATION_ERROR for lower case, white
// space, padding, other characters, a length that no bytes give, and set bits behind the last byte.
[[nodiscard]] Result<std::string> base32_decode(std::string_view text);

}  // namespace jobforge
