#include "cli/serve/access_service.h"

#include <filesystem>

#include "cli/serve/passport_service.h"
#include "services/secrets/secret_file.h"

namespace jobforge::cli {

Result<ApiKeyPepper> api_key_pepper(const Config& config) {
    if (!config.api_key_pepper.empty()) {
        return ApiKeyPepper{config.api_key_pepper};
    }
    if (!may_make_keys(config)) {
        Error error = Error::of(ErrorCode::CONFIG_MISSING, "there is no pepper for API keys");
        error.hint =
            "BPC_ENV=prod needs BPC_API_KEY_PEPPER_BASE64, the same for all nodes and commands; "
            "make one with: openssl rand -base64 32.";
        return error;
    }
    const auto directory = keys_directory(config);
    if (!directory.ok()) {
        return directory.error();
    }
    const std::string file = *directory + "/pepper.secret";
    std::error_code unseen;
    const bool is_new = !std::filesystem::exists(file, unseen);
    auto text = services::read_or_make_secret(file);
    if (!text.ok()) {
        return std::move(text).error();
    }
    return ApiKeyPepper{*std::move(text),
                        is_new && !config.database_url.empty() ? file : std::string()};
}

}  // namespace jobforge::cli
