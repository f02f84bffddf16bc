// What the environment says about the connectors, as their handlers take it.
#pragma once

#include <memory>
#include <string>

#include "cli/config.h"
#include "workloads/connectors/handlers.h"
#include "workloads/passport/settings.h"

namespace jobforge::cli {

// `shared`: has the program's one way out, and how many may use it at once.
[[nodiscard]] workloads::ConnectorSettings connector_settings(
    const Config& config, std::string database_url, const workloads::PassportSettings& shared);

}  // namespace jobforge::cli
