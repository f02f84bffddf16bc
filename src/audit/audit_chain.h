// BPC-EVENT-1, checked: everything is computed again from the stored bytes, no stored hash is
// trusted.
//
// Three things hold an audit trail together, and each catches what the one before cannot:
//   chains  each event names the hash of its predecessor of the same aggregate: a changed, added or
//           missing event breaks the chain, except at its end;
//   log     a list of all event hashes of the tenant in commit order: an event that is in the log
//           and not among the events was removed, also the last one or a whole aggregate;
//   heads   signed Merkle roots of that list: to cut or rewrite the log takes the signing
//           key, and one head kept outside the database needs no trust in the database at all.
//
// A trail that has no fault is consistent. It is anchored if a key that the caller trusts signed a
// head over it: only then does it say more than that the rows agree with each other. Keys never
// come from the trail itself. docs/audit.md says who can forge what.
//
// Feed an AuditVerifier every event in event_seq order, then every log entry in log_index order,
// waiting events and heads whenever, then finish(). All must be read in one database snapshot, or
// the log may name events that were not read yet. Memory: about 150 bytes an event and 32 a log
// entry. One verifier, one thread. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/uuid.h>

#include "audit/merkle.h"
#include "audit/signed_note.h"
#include "base/crypto/ed25519.h"
#include "base/crypto/hash.h"

namespace jobforge::passport {

// A row of jobforge.events. Hashes are raw bytes of any length: a stored hash may be anything.
struct AuditEvent {
    Uuid tenant_id;
    Uuid event_id;
    std::string aggregate_type;
    Uuid aggregate_id;
    std::int64_t aggregate_version = 0;
    std::string event_type;
    std::optional<std::string> actor_id;
    std::string payload_canonical;
    std::string payload_hash;
    std::optional<std::string> prev_event_hash;
    std::string event_hash;
    std::int64_t occurred_at_us = 0;  // microseconds since 1970, as in core/time_text.h
};

// A row of jobforge.event_log.
struct AuditLogEntry {
    std::int64_t log_index = 0;
    Uuid event_id;
    std::string event_hash;
    std::int64_t leaf_version = 1;
    std::int64_t head_size = 0;  // of the head before this entry; form 2 only
};
// The entry's leaf in the Merkle tree: over the event's hash (form 1), or over hash, id and
// head_size (form 2). The entry's form is one of these.
[[nodiscard]] Sha256 log_leaf_hash(const AuditLogEntry& entry);

// A row of jobforge.log_heads.
struct AuditHead {
    std::int64_t tree_size = 0;
    std::string root_hash;
    std::string checkpoint;  // the signed note
    std::string key_id;      // for messages; the note itself says which key signed it
    // Roots of the complete subtrees, the largest first; nullopt: not known (exports of
    // BPC-AUDIT-1)
    std::optional<std::vector<std::string>> frontier = {};
};

// A checkpoint that was kept outside the database.
struct OutsideHead {
    std::string checkpoint;
    std::string source = {};  // for people: a file
};

// The bytes that event_hash is the SHA-256 of. prev_event_hash and payload_hash as stored.
[[nodiscard]] std::string event_hash_input(const AuditEvent& event);
// "jobforge/<tenant id>": the origin of the tenant's checkpoints, and the name of its key.
[[nodiscard]] std::string log_origin(const Uuid& tenant_id);

// The first thing that is wrong. `what` is one word:
//   events: tenant, event_id (twice), version_gap, version_repeated, payload_hash,
//           prev_event_hash, event_hash, event_not_logged (neither in the log nor waiting)
//   log:    log_index, log_leaf, log_event_missing, log_event_repeated, log_event_hash,
//           waiting_event_missing
//   heads:  head_form, head_signature, head_differs (row and note disagree), head_beyond_log,
//           head_root, head_frontier, head_missing (removed: the log or a head kept outside names
//           it, or entries have none)
struct AuditFault {
    std::string what;
    std::string message;  // a sentence that names the event, the aggregate and what to look at
    std::optional<Uuid> event_id;
    std::string aggregate_type;  // empty for log and heads, unless the entry's event is known
    std::optional<Uuid> aggregate_id;
    std::int64_t aggregate_version = 0;
    std::optional<std::int64_t> log_index;
    std::optional<std::int64_t> tree_size;

    // {"what","message","event_id"?,"aggregate"?: {"type","id","version"},"log_index"?,
    // "tree_size"?}.
    [[nodiscard]] std::string to_json() const;
};

// What was looked at.
struct AuditReport {
    std::int64_t events = 0;
    std::int64_t aggregates = 0;
    std::int64_t log_entries = 0;
    std::int64_t events_not_logged = 0;   // younger than the last sealing: only chained so far
    std::int64_t events_under_head = 0;   // covered by the largest head that was checked
    std::int64_t heads = 0;               // stored heads whose root was computed again
    std::int64_t outside_heads = 0;       // heads kept outside, likewise
    std::int64_t signatures_checked = 0;  // 0 with heads: no key was given
    // Of these, each trusted key's, in the order in which the keys were given.
    std::vector<std::int64_t> signatures_by_key;
    // The size of each outside head, in the order in which they were given.
    std::vector<std::int64_t> outside_sizes;
    bool has_unplaced = false;        // an export has events that no head will ever cover
    std::optional<AuditFault> fault;  // the first one; the audit trail is good if there is none

    [[nodiscard]] bool ok() const noexcept { return !fault; }
    // A trusted key signed for it. Without, a trail may be consistent because all of it was forged.
    [[nodiscard]] bool anchored() const noexcept {
        return ok() && signatures_checked > 0 && events_under_head > 0 && !has_unplaced;
    }
};

// How far the caller trusts the keys it brings.
enum class KeyTrust {
    given,    // each head must be signed by one of them
    assumed,  // likewise, unless no head at all names one of them: then there is no trusted key
};

// Which events may be without a log entry.
enum class Unplaced {
    waiting,  // those of add_waiting(): a database, where the next head will cover them
    listed,   // the same, but the trail is then not anchored: nothing follows an export
    any,      // all, and the trail is then not anchored: exports of BPC-AUDIT-1 do not list them
};

class AuditVerifier final {
public:
    // `trusted_keys`: every key that may have signed heads, retired ones too. With none, roots are
    // checked and signatures are not, and the trail is not anchored.
    AuditVerifier(const Uuid& tenant_id, std::vector<Ed25519PublicKey> trusted_keys,
                  KeyTrust trust = KeyTrust::given, Unplaced unplaced = Unplaced::waiting);

    // Each returns whether all is well so far. After the first fault they do nothing.
    bool add_event(const AuditEvent& event);
    bool add_log_entry(const AuditLogEntry& entry);
    // An event that waits for its place in the log.
    bool add_waiting(const Uuid& event_id);
    bool add_head(AuditHead head);
    // Without trusted keys it is compared all the same: its keeper knows where it comes from.
    bool add_outside_head(OutsideHead head);

    // Checks the heads, the smallest tree first. Call once, at the end.
    [[nodiscard]] AuditReport finish();
    [[nodiscard]] const std::optional<AuditFault>& fault() const noexcept { return report_.fault; }

private:
    struct AggregateId {
        std::string type;
        Uuid id;
        friend bool operator==(const AggregateId&, const AggregateId&) = default;
    };
    struct AggregateHash {
        std::size_t operator()(const AggregateId& aggregate) const noexcept;
    };
    struct ChainEnd {
        std::int64_t version = 0;
        Sha256 event_hash{};
    };
    struct KnownEvent {
        Sha256 event_hash{};
        std::optional<std::int64_t> log_index;
    };
    struct PendingHead {
        AuditHead head;
        SignedNote note;
        Checkpoint checkpoint;  // what the note says, once it was read
        bool outside = false;
        std::string source;
    };

    bool event_fault(const AuditEvent& event, std::string_view what, const std::string& message);
    bool log_fault(const AuditLogEntry& entry, std::string_view what, const std::string& message);
    bool head_fault(const PendingHead& head, std::string_view what, const std::string& message);
    bool check_place(const AuditEvent& event, const ChainEnd& end);
    bool check_hashes(const AuditEvent& event, const ChainEnd& end);
    bool check_leaf(const AuditLogEntry& entry);
    bool check_waiting();
    bool parse_head(PendingHead& head);
    bool check_signature(const PendingHead& head);
    bool check_frontier(const PendingHead& head, const MerkleFrontier& tree);
    bool signs(const PendingHead& head, const Ed25519PublicKey& key) const;
    void drop_keys_that_sign_nothing();
    bool check_roots();
    bool check_missing_heads();

    Uuid tenant_id_;
    std::string origin_;
    std::vector<Ed25519PublicKey> trusted_keys_;
    KeyTrust trust_;
    Unplaced unplaced_;
    std::unordered_map<AggregateId, ChainEnd, AggregateHash> chains_;
    std::unordered_map<Uuid, KnownEvent> events_;
    std::unordered_set<Uuid> waiting_;
    std::vector<Sha256> leaves_;
    std::set<std::int64_t> named_heads_;  // sizes of the heads that log entries name
    std::int64_t last_named_head_ = 0;
    std::vector<PendingHead> heads_;
    AuditReport report_;
};

}  // namespace jobforge::passport
