#include "passport/sign.h"

#include <string_view>

#include "base/crypto/hash.h"
#include "base/text/base64.h"
#include "base/text/bytes.h"

namespace jobforge::passport {
Receipt sign_receipt(Receipt receipt, const Ed25519PrivateKey& key) {
    const Sha256 digest = sha256(receipt.unsigned_bytes());
    receipt.signature = base64_encode(bytes_of(key.sign(bytes_of(digest))));
    return receipt;
}

Status verify_signature(const Receipt& receipt, const Ed25519PublicKey& key) {
    const auto signature = base64_decode(receipt.signature);
    if (!signature.ok()) {
        return Error::of(ErrorCode::SIGNATURE_INVALID, "The receipt's signature is not base64.");
    }
    const Sha256 digest = sha256(receipt.unsigned_bytes());
    if (key.verify(bytes_of(digest), *signature).ok()) {
        return ok_status();
    }
    Error error = Error::of(ErrorCode::SIGNATURE_INVALID,
                            "The receipt was not signed with this key, or was changed since.");
    error.hint = "Use the public key of \"" + receipt.signing_key_id +
                 "\", which the receipt names, from a source you trust.";
    return error;
}

}  // namespace jobforge::passport
