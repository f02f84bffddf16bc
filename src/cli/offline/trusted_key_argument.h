// The --key of `passport verify` and `passport replay`.
#pragma once

#include <string>

#include <jobforge/error.h>

#include "passport/trusted_key.h"

namespace jobforge::cli {

// KEY or KEY_ID=KEY, where KEY is the public key itself or a file with it. What is a key or a file
// as a whole has no id: base64 ends with an equals sign, and names of files may hold one.
// INVALID_SIGNING_KEY, VALIDATION_ERROR for a file that cannot be read.
[[nodiscard]] Result<passport::TrustedKey> read_trusted_key(const std::string& argument);

}  // namespace jobforge::cli
