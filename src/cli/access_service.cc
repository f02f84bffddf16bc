#include "cli/access_service.h"

#include "cli/passport_service.h"
#include "workloads/passport/secret_file.h"

namespace jobforge::cli {

Result<std::string> api_key_pepper(const Config& config) {
    if (!config.api_key_pepper.empty()) {
        return config.api_key_pepper;
    }
    if (!may_make_keys(config)) {
        Error error = Error::of(ErrorCode::CONFIG_MISSING, "there is no pepper for API keys");
        error.hint =
            "BPC_ENV=prod needs BPC_API_KEY_PEPPER_BASE64, the same for all nodes and commands; "
            "make one with: openssl rand -base64 32.";
        return error;
    }
    const auto directory = keys_directory(config);
    return directory.ok() ? workloads::read_or_make_secret(*directory + "/pepper.secret")
                          : directory;
}

}  // namespace jobforge::cli
