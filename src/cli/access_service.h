// What the environment says about API keys, as commands and the HTTP API take it.
#pragma once

#include <string>

#include <jobforge/error.h>

#include "cli/config.h"

namespace jobforge::cli {

// The pepper of API keys, in base64: BPC_API_KEY_PEPPER_BASE64; in dev and test, without one, a
// file of the data directory, which is made if there is none. Every node and every command of a
// deployment needs the same one, or it knows no key of the others. CONFIG_MISSING in prod without
// one, and where the directory cannot be made.
[[nodiscard]] Result<std::string> api_key_pepper(const Config& config);

}  // namespace jobforge::cli
