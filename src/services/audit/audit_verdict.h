// What an audit trail was checked against, and what the check says: the answer of
// `jobforge audit verify` and of GET /v1/audit/verify.
//
// Keys and heads come from outside of the audited database: a login that can change the database
// can add a key to it, and a head that the key signed. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <jobforge/json.h>

#include "audit/audit_chain.h"
#include "base/crypto/ed25519.h"

namespace jobforge::services {

struct TrustedKey {
    Ed25519PublicKey key;
    std::string source;  // "--key audit.pub", "JOBFORGE_AUDIT_KEYS", "this deployment"
};

struct AuditEvidence {
    std::vector<TrustedKey> keys;
    passport::KeyTrust trust = passport::KeyTrust::given;
    std::vector<passport::OutsideHead> heads;
    // How the one who asks adds a trusted key: "set JOBFORGE_AUDIT_KEYS".
    std::string how_to_add_a_key = "set JOBFORGE_AUDIT_KEYS";

    [[nodiscard]] std::vector<Ed25519PublicKey> public_keys() const;
};

// "whole", "broken" or "not_anchored".
[[nodiscard]] std::string_view audit_verdict(const passport::AuditReport& report);

// Empty for a trail that is whole or broken.
[[nodiscard]] std::string why_not_anchored(const passport::AuditReport& report,
                                           const AuditEvidence& evidence);

// The report, each trusted key with the number of its signatures, and each head that was kept
// outside with the size of its tree. `evidence` is what the report was made with.
[[nodiscard]] Json audit_answer(const passport::AuditReport& report, const AuditEvidence& evidence);

}  // namespace jobforge::services
