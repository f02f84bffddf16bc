// Use cases over a stored passport version: its documents, replay, and the offline bundle.
// Threads: as TenantCalls.
#pragma once

#include "base/crypto/ed25519.h"
#include "passport/replay.h"
#include "services/passport/documents.h"

namespace jobforge::services {

// Everything that was stored of one version.
struct PassportRecord {
    passport::StoredPassport stored;  // with the facts and rules it was compiled from
    std::string status;
    std::string snapshot_canonical;
    std::string qr_payload;  // empty: none yet
    std::string qr_png;
    std::string signing_key_id;
    Ed25519PublicKey signing_key;  // the one that stood beside the signature
};

// INVALID_PASSPORT_STATUS if it is not signed yet; NOT_FOUND.
[[nodiscard]] Result<PassportRecord> load_passport(engine::TenantCalls& calls, const Uuid& version);

// BPC-REPLAY-1 from stored rows: the snapshot's hash, recompilation, every byte, the signature, and
// what the QR code says. REPLAY_MISMATCH, SIGNATURE_INVALID.
[[nodiscard]] Status replay_record(const PassportRecord& record);

// BPC-BUNDLE-1.
[[nodiscard]] Result<std::string> bundle_of(const PassportRecord& record);

}  // namespace jobforge::services
