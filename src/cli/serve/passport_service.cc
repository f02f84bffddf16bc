#include "cli/serve/passport_service.h"

#include <filesystem>

#include "connect/http/http_request.h"
#include "services/secrets/secret_file.h"

namespace jobforge::cli {

Result<std::string> keys_directory(const Config& config) {
    namespace fs = std::filesystem;
    const fs::path directory = fs::path(config.data_dir) / "keys";
    std::error_code failed;
    fs::create_directories(directory, failed);
    if (!failed) {
        fs::permissions(directory, fs::perms::owner_all, failed);
    }
    if (failed) {
        Error error = Error::of(ErrorCode::CONFIG_MISSING,
                                "cannot make " + directory.string() + ": " + failed.message());
        error.hint = "Set JOBFORGE_DATA, or give the keys in the environment.";
        return error;
    }
    return directory.string();
}

bool may_make_keys(const Config& config) {
    return config.environment != "prod";
}

Result<std::shared_ptr<const services::SigningKeys>> signing_keys(const Config& config) {
    auto keys = std::make_shared<services::SigningKeys>();
    if (!config.signing_keys_dir.empty()) {
        if (auto added = keys->add_directory(config.signing_keys_dir); !added.ok()) {
            return std::move(added).error();
        }
    }
    if (!config.signing_private_key.empty()) {
        if (auto added = keys->add(config.signing_key_id, config.signing_private_key);
            !added.ok()) {
            return std::move(added).error();
        }
    } else if (keys->empty() && may_make_keys(config)) {
        // Where no directory can be made, a worker still runs jobs that need no key.
        if (const auto directory = keys_directory(config); directory.ok()) {
            const std::string file = *directory + "/" + config.signing_key_id + ".key";
            if (auto added = keys->add_or_make(config.signing_key_id, file); !added.ok()) {
                return std::move(added).error();
            }
        }
    }
    return std::shared_ptr<const services::SigningKeys>(std::move(keys));
}

Result<std::shared_ptr<const services::SecretBox>> secret_box(const Config& config) {
    std::string master_key = config.master_key;
    if (master_key.empty()) {
        if (!may_make_keys(config)) {
            return std::shared_ptr<const services::SecretBox>();
        }
        const auto directory = keys_directory(config);
        if (!directory.ok()) {
            return std::shared_ptr<const services::SecretBox>();
        }
        auto made = services::read_or_make_secret(*directory + "/master.secret");
        if (!made.ok()) {
            return std::move(made).error();
        }
        master_key = *std::move(made);
    }
    auto box = services::SecretBox::from_base64(master_key);
    if (!box.ok()) {
        return std::move(box).error();
    }
    return std::shared_ptr<const services::SecretBox>(
        std::make_shared<services::SecretBox>(*std::move(box)));
}

Result<services::PassportSettings> passport_settings(const Config& config, std::string database_url,
                                                     Signing signing) {
    services::PassportSettings settings;
    settings.signs = signing == Signing::needed;
    settings.database_url = std::move(database_url);
    settings.build_id = config.build_id;
    settings.limits.payload_max_bytes = config.payload_max_bytes;
    settings.limits.proof_max_bytes = config.proof_max_bytes;
    settings.limits.receipt_max_bytes = config.receipt_max_bytes;
    settings.qr_base_url = config.qr_base_url;
    settings.https_only = config.environment == "prod";
    settings.webhook_timeout = config.webhook_timeout;
    auto keys = settings.signs ? signing_keys(config)
                               : Result<std::shared_ptr<const services::SigningKeys>>(
                                     std::make_shared<const services::SigningKeys>());
    auto box = secret_box(config);
    if (!keys.ok() || !box.ok()) {
        return keys.ok() ? std::move(box).error() : std::move(keys).error();
    }
    if (settings.signs && (*keys)->empty() && !may_make_keys(config)) {
        Error error = Error::of(ErrorCode::CONFIG_MISSING, "there is no signing key");
        error.hint =
            "BPC_ENV=prod needs BPC_SIGNING_ED25519_PRIVATE_KEY_BASE64 or "
            "BPC_SIGNING_KEYS_DIR; make a key with: jobforge passport keygen. A worker that leaves "
            "signing to others needs none: jobforge worker --no-signing.";
        return error;
    }
    settings.signing_keys = *std::move(keys);
    settings.secrets = *std::move(box);
    connect::HttpOptions http;
    http.allowed_networks = config.allowed_networks;
    settings.http = std::make_shared<connect::HttpClient>(std::move(http));
    return settings;
}

}  // namespace jobforge::cli
