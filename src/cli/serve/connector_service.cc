#include "cli/serve/connector_service.h"

namespace jobforge::cli {

services::ConnectorSettings connector_settings(const Config& config, std::string database_url,
                                               const services::PassportSettings& shared) {
    services::ConnectorSettings settings;
    settings.database_url = std::move(database_url);
    settings.https_only = config.environment == "prod";
    settings.http = shared.http;
    settings.calls = shared.calls;
    settings.secrets = std::make_shared<services::SecretStore>(
        [secrets = config.named_secrets](std::string_view variable) -> std::optional<std::string> {
            constexpr std::string_view kPrefix = "JOBFORGE_SECRET_";
            const auto found = secrets.find(std::string(variable.substr(kPrefix.size())));
            return found == secrets.end() ? std::nullopt : std::optional(found->second);
        },
        config.secrets_dir);
    return settings;
}

}  // namespace jobforge::cli
