// BPC-SIGN-1: Ed25519 over the 32 raw bytes of the receipt's hash. Pure: Ed25519 needs no
// randomness, so that signing again gives the same bytes.
#pragma once

#include <jobforge/error.h>

#include "base/crypto/ed25519.h"
#include "passport/receipt.h"

namespace jobforge::passport {

// The receipt with its signature. The key is the one that signing_key_id names: the caller's duty.
[[nodiscard]] Receipt sign_receipt(Receipt receipt, const Ed25519PrivateKey& key);
// SIGNATURE_INVALID unless the key's owner signed exactly this receipt.
[[nodiscard]] Status verify_signature(const Receipt& receipt, const Ed25519PublicKey& key);

}  // namespace jobforge::passport
