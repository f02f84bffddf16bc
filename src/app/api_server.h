// The HTTP API for the commands: the service behind its server.
#pragma once

#include <memory>

#include "cli/serve/services.h"

namespace jobforge::app {

[[nodiscard]] Result<std::unique_ptr<cli::ApiServer>> make_api_server(cli::ApiServerOptions given);

}  // namespace jobforge::app
