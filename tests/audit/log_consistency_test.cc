#include "audit/log_consistency.h"

#include <gtest/gtest.h>

#include "audit_trail.h"

namespace jobforge::passport {
namespace {

std::vector<Sha256> leaves_of(const AuditTrail& trail) {
    std::vector<Sha256> leaves;
    for (const AuditLogEntry& entry : trail.log) {
        leaves.push_back(log_leaf_hash(entry));
    }
    return leaves;
}

// The error code of comparing two heads over these leaves; empty if the proof holds.
std::string compared(const AuditTrail& trail, const std::string& older, const std::string& newer,
                     const std::vector<Sha256>& leaves) {
    const std::vector<Ed25519PublicKey> keys{trail_key().public_key()};
    auto heads = open_two_heads(trail.tenant_id, older, newer, keys);
    if (!heads.ok()) {
        return std::string(to_string(heads.error().code)) + ": " + heads.error().message;
    }
    const Status proved = prove_consistency(leaves, *heads);
    return proved.ok()
               ? ""
               : std::string(to_string(proved.error().code)) + ": " + proved.error().message;
}

TEST(LogConsistency, a_newer_head_goes_on_from_every_older_one_of_its_log) {
    AuditTrail trail = AuditTrail::sample();
    trail.seal(9);
    const auto leaves = leaves_of(trail);
    for (const AuditHead& older : trail.heads) {
        for (const AuditHead& newer : trail.heads) {
            if (older.tree_size <= newer.tree_size) {
                EXPECT_EQ(compared(trail, older.checkpoint, newer.checkpoint, leaves), "");
            }
        }
    }
}

TEST(LogConsistency, heads_of_two_histories_do_not_fit_and_the_foreign_one_is_named) {
    const AuditTrail trail = AuditTrail::sample();
    AuditTrail forged = trail;
    forged.events[4].payload_canonical = R"({"n":"forged"})";
    forged = forged.rechained();
    EXPECT_EQ(
        compared(trail, trail.heads[0].checkpoint, forged.heads[1].checkpoint, leaves_of(trail)),
        "LOG_HEAD_MISMATCH: the newer head (over 7 events) does not go on from the older one "
        "(over 3): the newer one is not one of this log");
    // Signed by the same key over the same size, and still not the same log.
    EXPECT_TRUE(
        compared(trail, trail.heads[1].checkpoint, forged.heads[1].checkpoint, leaves_of(forged))
            .ends_with("the older one is not one of this log"));
}

TEST(LogConsistency, also_two_heads_of_one_size_are_heads_of_this_log) {
    const AuditTrail trail = AuditTrail::sample();
    auto leaves = leaves_of(trail);
    leaves[2][0] ^= 1;
    EXPECT_TRUE(compared(trail, trail.heads[1].checkpoint, trail.heads[1].checkpoint, leaves)
                    .ends_with("neither is one of this log"));
}

TEST(LogConsistency, a_log_that_was_cut_has_no_proof) {
    const AuditTrail trail = AuditTrail::sample();
    auto leaves = leaves_of(trail);
    leaves.pop_back();
    EXPECT_TRUE(compared(trail, trail.heads[0].checkpoint, trail.heads[1].checkpoint, leaves)
                    .starts_with("LOG_HEAD_MISMATCH: the newer head covers 7 events"));
}

TEST(LogConsistency, both_heads_are_signed_by_a_trusted_key_for_this_log) {
    const AuditTrail trail = AuditTrail::sample();
    const auto thief = Ed25519PrivateKey::from_seed(std::string(32, 't')).value();
    const std::string stolen = trail.head_over(trail.log, thief).checkpoint;
    EXPECT_TRUE(compared(trail, trail.heads[0].checkpoint, stolen, leaves_of(trail))
                    .starts_with("SIGNATURE_INVALID: the newer head: "));
    EXPECT_TRUE(compared(trail, stolen, stolen, leaves_of(trail))
                    .starts_with("SIGNATURE_INVALID: the older head: "));
    AuditTrail other = AuditTrail::sample();
    other.tenant_id = numbered_uuid(0xAA, 2);
    EXPECT_TRUE(
        compared(other, trail.heads[0].checkpoint, trail.heads[1].checkpoint, leaves_of(trail))
            .starts_with("SIGNATURE_INVALID: the older head: "));
    EXPECT_TRUE(
        compared(trail, trail.heads[1].checkpoint, trail.heads[0].checkpoint, leaves_of(trail))
            .starts_with("VALIDATION_ERROR: the older head covers 7 events"));
}

}  // namespace
}  // namespace jobforge::passport
