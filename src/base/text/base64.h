// Base64 (RFC 4648, section 4): standard alphabet, with padding. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include <jobforge/error.h>

namespace jobforge {

[[nodiscard]] std::string base64_encode(std::string_view bytes);

// The bytes. Strict, so that a value has exactly one text: VALIDATION_ERROR for white space, other
// characters, missing or misplaced padding, and set bits behind the last byte.
[[nodiscard]] Result<std::string> base64_decode(std::string_view text);

}  // namespace jobforge
