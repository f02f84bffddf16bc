// What the environment says about sources and prices, as their handler takes it.
#pragma once

#include <memory>
#include <string>

#include "cli/config.h"
#include "workloads/prices/handlers.h"

namespace jobforge::cli {

// `http`: the program's one way out. The cache is a file of the data directory, unless
// CACHE_ENABLED=false or that directory cannot be made: a cache is a convenience.
[[nodiscard]] workloads::PriceSettings price_settings(const Config& config,
                                                      std::string database_url,
                                                      std::shared_ptr<connect::Transport> http);

}  // namespace jobforge::cli
