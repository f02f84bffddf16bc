// BPC-EVENT-1, checked: everything is computed again from the stored bytes, no stored hash is
// believed.
//
// Three things hold an audit trail together, and each catches what the one before cannot:
//   chains  each event names the hash of its predecessor of the same aggregate: a changed, added or
//           missing event breaks the chain, except at its end;
//   log     a list of all event hashes of the tenant in commit order: an event that is in the log
//           and not among the events was removed, also the last one or a whole aggregate;
//   heads   signed Merkle roots of that list: whoever cuts or rewrites the log needs the signing
//           key, and one head kept outside the database needs no trust in the database at all.
//
// Feed an AuditVerifier every event in event_seq order, then every log entry in log_index order,
// heads whenever, then finish(). All must be read in one database snapshot, or the log may name
// events that were not read yet. Memory: about 150 bytes an event and 32 a log entry. One verifier,
// one thread. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/uuid.h>

#include "core/ed25519.h"
#include "core/hash.h"
#include "core/signed_note.h"

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
};

// A row of jobforge.log_heads.
struct AuditHead {
    std::int64_t tree_size = 0;
    std::string root_hash;
    std::string checkpoint;  // the signed note
    std::string key_id;      // for messages; the note itself says which key signed it
};

// The bytes that event_hash is the SHA-256 of. prev_event_hash and payload_hash as stored.
[[nodiscard]] std::string event_hash_input(const AuditEvent& event);
// "jobforge/<tenant id>": the origin of the tenant's checkpoints, and the name of its key.
[[nodiscard]] std::string log_origin(const Uuid& tenant_id);

// The first thing that is wrong. `what` is one word:
//   events: tenant, event_id (twice), version_gap, version_repeated, payload_hash,
//           prev_event_hash, event_hash
//   log:    log_index, log_event_missing, log_event_repeated, log_event_hash
//   heads:  head_form, head_signature, head_differs (row and note disagree), head_beyond_log,
//           head_root
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
    std::optional<AuditFault> fault;      // the first one; the audit trail is good if there is none

    [[nodiscard]] bool ok() const noexcept { return !fault; }
};

class AuditVerifier final {
public:
    // `trusted_keys`: every key that may have signed heads, retired ones too. With none, roots are
    // checked and signatures are not: the report says so in signatures_checked.
    AuditVerifier(const Uuid& tenant_id, std::vector<Ed25519PublicKey> trusted_keys);

    // Each returns whether all is well so far. After the first fault they do nothing.
    bool add_event(const AuditEvent& event);
    bool add_log_entry(const AuditLogEntry& entry);
    bool add_head(AuditHead head);
    // A checkpoint kept outside the database. Without trusted keys it is compared all the same:
    // whoever kept it knows where it comes from.
    bool add_outside_head(std::string checkpoint);

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
        Checkpoint checkpoint;  // what the note says, once it was read
        bool outside = false;
    };

    bool event_fault(const AuditEvent& event, std::string_view what, const std::string& message);
    bool log_fault(const AuditLogEntry& entry, std::string_view what, const std::string& message);
    bool head_fault(const PendingHead& head, std::string_view what, const std::string& message);
    bool check_place(const AuditEvent& event, const ChainEnd& end);
    bool check_hashes(const AuditEvent& event, const ChainEnd& end);
    bool read_head(PendingHead& head);
    void check_roots();

    Uuid tenant_id_;
    std::string origin_;
    std::vector<Ed25519PublicKey> trusted_keys_;
    std::unordered_map<AggregateId, ChainEnd, AggregateHash> chains_;
    std::unordered_map<Uuid, KnownEvent> events_;
    std::vector<Sha256> leaves_;
    std::vector<PendingHead> heads_;
    AuditReport report_;
};

}  // namespace jobforge::passport
