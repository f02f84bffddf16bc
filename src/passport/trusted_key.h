// A public key that the caller trusts, and the id under which it is known.
//
// A receipt names the key that signed it, and the signature covers that name. But the owner of one
// trusted key could name another: only a verifier that knows the key's id can tell. Without an id
// the signature is checked, and the name is not.
#pragma once

#include <string>
#include <utility>

#include "base/crypto/ed25519.h"

namespace jobforge::passport {

struct TrustedKey {
    // Implicit: a key alone is trusted under any id.
    TrustedKey(const Ed25519PublicKey& public_key, std::string known_as = {})
        : key(public_key), id(std::move(known_as)) {}

    [[nodiscard]] bool may_be(const std::string& claimed) const {
        return id.empty() || id == claimed;
    }

    Ed25519PublicKey key;
    std::string id;  // empty: not known
};

}  // namespace jobforge::passport
