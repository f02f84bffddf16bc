#include "cli/price_service.h"

#include <filesystem>

#include "cli/connector_service.h"

namespace jobforge::cli {

workloads::PriceSettings price_settings(const Config& config, std::string database_url,
                                        std::shared_ptr<connect::Transport> http) {
    // Secrets are found in the same places as those of connectors.
    workloads::ConnectorSettings shared =
        connector_settings(config, std::move(database_url), std::move(http));
    workloads::PriceSettings settings;
    settings.database_url = std::move(shared.database_url);
    settings.https_only = shared.https_only;
    settings.http = std::move(shared.http);
    settings.secrets = std::move(shared.secrets);
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
