// What the environment says about sources and prices, as their handler takes it.
#pragma once

#include <memory>
#include <string>

#include "cli/config.h"
#include "services/passport/passport_settings.h"
#include "services/prices/price_handlers.h"

namespace jobforge::cli {

// `shared`: has the program's one way out, and how many may use it at once. The cache is a file of
// the data directory, unless CACHE_ENABLED=false or that directory cannot be made: a cache is a
// convenience.
[[nodiscard]] services::PriceSettings price_settings(const Config& config, std::string database_url,
                                                     const services::PassportSettings& shared);

}  // namespace jobforge::cli
