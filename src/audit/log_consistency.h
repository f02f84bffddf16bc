// Whether one signed head of a log is the beginning of another one: the consistency proof of
// RFC 6962, made from the log's leaves and checked against both roots. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/uuid.h>

#include "audit/merkle.h"
#include "audit/signed_note.h"
#include "base/crypto/ed25519.h"

namespace jobforge::passport {

struct LogConsistency {
    Checkpoint older;
    Checkpoint newer;
    MerkleProof proof;  // PROOF(older.tree_size, D[newer.tree_size])
};

// The two heads, each signed by one of these keys for this tenant's log, the first one not the
// larger. SIGNATURE_INVALID, VALIDATION_ERROR; messages say which head.
[[nodiscard]] Result<LogConsistency> open_two_heads(const Uuid& tenant, std::string_view older,
                                                    std::string_view newer,
                                                    std::span<const Ed25519PublicKey> keys);
// Makes the proof from the log's leaves, and checks it. LOG_HEAD_MISMATCH if the heads are not of
// one log, or not of this one.
[[nodiscard]] Status prove_consistency(std::span<const Sha256> leaves, LogConsistency& heads);

}  // namespace jobforge::passport
