#include "services/secrets/secret_box.h"

#include <cstring>

#include <fmt/format.h>

#include "base/crypto/aes_gcm.h"
#include "base/text/base64.h"
#include "base/text/trimmed.h"
#include "services/secrets/secret_file.h"

namespace jobforge::services {

namespace {

std::string owner_data(const Uuid& tenant, const Uuid& owner) {
    return fmt::format("{}/{}", tenant.to_string(), owner.to_string());
}

}  // namespace

SecretBox::~SecretBox() {
    explicit_bzero(key_.data(), key_.size());
}

Result<SecretBox> SecretBox::from_base64(std::string_view master_key) {
    auto key = base64_decode(trimmed(master_key, kBlankBytes));
    if (!key.ok() || key->size() != kAesKeyBytes) {
        Error error = Error::of(ErrorCode::CONFIG_MISSING,
                                "the master key must be the base64 of 32 random bytes");
        error.hint = "Make one: openssl rand -base64 32. Set JOBFORGE_MASTER_KEY_BASE64.";
        return error;
    }
    return SecretBox(*std::move(key));
}

Result<std::string> SecretBox::seal(std::string_view secret, const Uuid& tenant,
                                    const Uuid& owner) const {
    const auto nonce = random_bytes(kAesNonceBytes);
    if (!nonce.ok()) {
        return nonce.error();
    }
    return aes_gcm_seal(key_, *nonce, secret, owner_data(tenant, owner));
}

Result<std::string> SecretBox::open(std::string_view sealed, const Uuid& tenant,
                                    const Uuid& owner) const {
    auto secret = aes_gcm_open(key_, sealed, owner_data(tenant, owner));
    if (secret.ok()) {
        return secret;
    }
    Error error = Error::of(ErrorCode::SECRET_NOT_FOUND,
                            fmt::format("the stored secret of {} does not open with this "
                                        "deployment's master key",
                                        owner.to_string()));
    error.hint = "Set JOBFORGE_MASTER_KEY_BASE64 to the key that it was stored with.";
    return error;
}

}  // namespace jobforge::services
