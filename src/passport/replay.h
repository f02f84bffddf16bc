// BPC-REPLAY-1: make a stored passport again and compare every byte.
//
// Pure: the caller brings what was stored, and the public key that the receipt names.
#pragma once

#include <string>

#include <jobforge/error.h>

#include "passport/compile.h"
#include "passport/trusted_key.h"

namespace jobforge::passport {

// What was stored when the passport was issued. `inputs.issue` is not looked at: replay takes ids,
// time and build id from the receipt.
struct StoredPassport {
    CompileInputs inputs;
    std::string payload;  // canonical bytes
    std::string proof;    // canonical bytes
    std::string receipt;  // canonical bytes, signed
};

// VALIDATION_ERROR: the receipt cannot be read. REPLAY_MISMATCH: the first of snapshot, payload,
// proof and receipt that differs, and the first byte in it ({"document","offset"} in details; a
// snapshot, of which only the hash is stored, has no offset). SIGNATURE_INVALID, also if the
// receipt names another id than the key's. What compiling ends in, if the stored inputs do not
// compile any more, is REPLAY_MISMATCH too, with the reason.
[[nodiscard]] Status replay_passport(const StoredPassport& stored, const TrustedKey& trusted);

}  // namespace jobforge::passport
