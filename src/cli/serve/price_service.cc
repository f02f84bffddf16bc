#include "cli/serve/price_service.h"

#include <filesystem>

#include "cli/serve/connector_service.h"

namespace jobforge::cli {

services::PriceSettings price_settings(const Config& config, std::string database_url,
                                       const services::PassportSettings& shared) {
    // Secrets are found in the same places as those of connectors.
    services::ConnectorSettings connectors =
        connector_settings(config, std::move(database_url), shared);
    services::PriceSettings settings;
    settings.database_url = std::move(connectors.database_url);
    settings.https_only = connectors.https_only;
    settings.http = std::move(connectors.http);
    settings.calls = std::move(connectors.calls);
    settings.secrets = std::move(connectors.secrets);
    settings.cache_ttl = config.cache_ttl;
    std::error_code failed;
    if (config.cache_enabled) {
        std::filesystem::create_directories(config.data_dir, failed);
    }
    if (config.cache_enabled && !failed) {
        connect::CacheOptions options;
        options.path = (std::filesystem::path(config.data_dir) / "cache.sqlite").string();
        settings.cache = std::make_shared<connect::ResponseCache>(std::move(options));
    }
    return settings;
}

}  // namespace jobforge::cli
