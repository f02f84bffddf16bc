// A key and a line to try it with: what `jobforge up --demo` says about the HTTP API.
#pragma once

#include <string>

#include "cli/context.h"

namespace jobforge::cli {

// Makes a key of the tenant and prints it, this once, within a curl command for `api_url`; and the
// address of the public page of the newest passport.
[[nodiscard]] Status show_api(const Context& context, const std::string& database_url,
                              const std::string& api_url);

}  // namespace jobforge::cli
