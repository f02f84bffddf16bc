// What the environment says about the connectors, as their handlers take it.
#pragma once

#include <memory>
#include <string>

#include "cli/config.h"
#include "workloads/connectors/handlers.h"

namespace jobforge::cli {

// `http`: the program's one way out.
[[nodiscard]] workloads::ConnectorSettings connector_settings(
    const Config& config, std::string database_url, std::shared_ptr<connect::Transport> http);

}  // namespace jobforge::cli
