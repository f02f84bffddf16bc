// What the environment says about the connectors, as their handlers take it.
#pragma once

#include <memory>
#include <string>

#include "cli/config.h"
#include "services/connectors/connector_handlers.h"
#include "services/passport/passport_settings.h"

namespace jobforge::cli {

// `shared`: has the program's one way out, and how many may use it at once.
[[nodiscard]] services::ConnectorSettings connector_settings(
    const Config& config, std::string database_url, const services::PassportSettings& shared);

}  // namespace jobforge::cli
