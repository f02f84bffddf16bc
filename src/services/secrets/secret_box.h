// Secrets that the database keeps encrypted, under the deployment's master key.
//
// AES-256-GCM with fresh random nonces (core/aes_gcm.h). What a secret belongs to is part of the
// seal: moved to another tenant or endpoint it does not open. Threads: any.
#pragma once

#include <string>
#include <string_view>

#include <jobforge/error.h>
#include <jobforge/uuid.h>

namespace jobforge::services {

class SecretBox final {
public:
    // Base64 of 32 bytes; white space around it is ignored. CONFIG_MISSING; never quotes the text.
    [[nodiscard]] static Result<SecretBox> from_base64(std::string_view master_key);
    SecretBox(SecretBox&&) noexcept = default;
    SecretBox& operator=(SecretBox&&) noexcept = default;
    SecretBox(const SecretBox&) = delete;
    SecretBox& operator=(const SecretBox&) = delete;
    ~SecretBox();  // wipes the key

    [[nodiscard]] Result<std::string> seal(std::string_view secret, const Uuid& tenant,
                                           const Uuid& owner) const;
    // SECRET_NOT_FOUND: sealed with another master key, for another row, or damaged.
    [[nodiscard]] Result<std::string> open(std::string_view sealed, const Uuid& tenant,
                                           const Uuid& owner) const;

private:
    explicit SecretBox(std::string key) : key_(std::move(key)) {}
    std::string key_;
};

}  // namespace jobforge::services
