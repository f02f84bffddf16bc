// The private keys that this deployment signs with, by key id: one in use, others for rotation.
//
// Immutable after loading; any thread. Keys live inside OpenSSL and are never printed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>

#include "base/crypto/ed25519.h"

namespace jobforge::services {

class SigningKeys final {
public:
    SigningKeys() = default;

    // INVALID_SIGNING_KEY; VALIDATION_ERROR for an id that is taken or not [A-Za-z0-9._-]{1,100}.
    [[nodiscard]] Status add(std::string key_id, std::string_view private_key_text);
    // One file a key: its name without an ending is the key id (NAME or NAME.key; *.pub and names
    // with a dot first are left alone). Errors name the file.
    [[nodiscard]] Status add_directory(const std::string& directory);
    // For development: the key of this file, which is made if there is none (mode 0600).
    [[nodiscard]] Status add_or_make(std::string key_id, const std::string& file);

    // nullptr: this deployment does not hold that key.
    [[nodiscard]] const Ed25519PrivateKey* find(std::string_view key_id) const noexcept;
    // What others verify with, by key id.
    [[nodiscard]] std::vector<Ed25519PublicKey> public_keys() const;
    [[nodiscard]] bool empty() const noexcept { return keys_.empty(); }

private:
    std::map<std::string, Ed25519PrivateKey, std::less<>> keys_;
};

}  // namespace jobforge::services
