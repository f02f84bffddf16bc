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
struct ApiKeyPepper {
    std::string base64;
    // The file, if it was made by this call for a database that is not the directory's own. Keys
    // that were made elsewhere are then unknown here, and the other way round: say so.
    std::string made_for_foreign_database = {};
};
[[nodiscard]] Result<ApiKeyPepper> api_key_pepper(const Config& config);

// What to say of such a file.
inline constexpr const char* kForeignPepper =
    "API keys of this database that were made elsewhere are not accepted with it. Set "
    "BPC_API_KEY_PEPPER_BASE64, or JOBFORGE_DATA, to the same value for all nodes and commands.";

}  // namespace jobforge::cli
