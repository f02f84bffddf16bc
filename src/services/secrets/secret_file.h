// Small files that hold a secret.
#pragma once

#include <string>

#include <jobforge/error.h>

namespace jobforge::services {

// The file's text, at most 64 KiB. NOT_FOUND if there is none; CONFIG_MISSING with the reason.
[[nodiscard]] Result<std::string> read_secret_file(const std::string& path);
// The base64 of 32 random bytes from this file, which is made first if there is none (mode 0600,
// whole or not at all; two processes that make it at once get the same).
[[nodiscard]] Result<std::string> read_or_make_secret(const std::string& path);
// CONFIG_MISSING if the system gives none.
[[nodiscard]] Result<std::string> random_bytes(std::size_t count);

}  // namespace jobforge::services
