// A tenant's audit trail as the database would hold it, to be spoilt by tests.
#pragma once

#include <string>
#include <vector>

#include "audit/audit_chain.h"
#include "audit/merkle.h"
#include "audit/signed_note.h"

namespace jobforge::passport {

inline Uuid numbered_uuid(std::uint8_t kind, std::uint64_t number) {
    Uuid id;
    id.bytes[0] = kind;
    for (std::size_t i = 0; i < 8; ++i) {
        id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
    }
    return id;
}

inline std::string raw(const Sha256& hash) {
    return {hash.begin(), hash.end()};
}

inline const Ed25519PrivateKey& trail_key() {
    static const Ed25519PrivateKey kKey =
        Ed25519PrivateKey::from_seed("the key that signs the heads....").value();
    return kKey;
}

struct AuditTrail {
    Uuid tenant_id = numbered_uuid(0xAA, 1);
    std::vector<AuditEvent> events;
    std::vector<AuditLogEntry> log;
    std::vector<AuditHead> heads;
    std::vector<Uuid> waiting;  // events without a log entry
    std::int64_t leaf_version = 2;

    // The next event of aggregate number `aggregate`, chained to its last one.
    AuditEvent& append(std::uint64_t aggregate, const std::string& payload = "{}") {
        AuditEvent event;
        event.tenant_id = tenant_id;
        event.event_id = numbered_uuid(0xEE, events.size());
        event.aggregate_type = "PassportVersion";
        event.aggregate_id = numbered_uuid(0xBB, aggregate);
        event.aggregate_version = 1;
        for (auto last = events.rbegin(); last != events.rend(); ++last) {
            if (last->aggregate_id == event.aggregate_id) {
                event.aggregate_version = last->aggregate_version + 1;
                event.prev_event_hash = last->event_hash;
                break;
            }
        }
        event.event_type = "PASSPORT_COMPILED";
        event.payload_canonical = payload;
        event.occurred_at_us = 1'803'202'200'000'000 + static_cast<std::int64_t>(events.size());
        rehash(event);
        waiting.push_back(event.event_id);
        return events.emplace_back(std::move(event));
    }

    // Makes the event's own hashes right, as a forger would.
    static void rehash(AuditEvent& event) {
        event.payload_hash = raw(sha256(event.payload_canonical));
        event.event_hash = raw(sha256(event_hash_input(event)));
    }

    // Logs the events up to number `count` and signs a head over all of the log.
    void seal(std::size_t count) {
        const std::int64_t head_size = heads.empty() ? 0 : heads.back().tree_size;
        for (std::size_t i = log.size(); i < count; ++i) {
            log.push_back({static_cast<std::int64_t>(i), events[i].event_id, events[i].event_hash,
                           leaf_version, leaf_version == 1 ? 0 : head_size});
            std::erase(waiting, events[i].event_id);
        }
        heads.push_back(head_over(log));
    }

    [[nodiscard]] AuditHead head_over(const std::vector<AuditLogEntry>& entries,
                                      const Ed25519PrivateKey& key = trail_key()) const {
        MerkleFrontier frontier;
        for (const AuditLogEntry& entry : entries) {
            frontier.append(log_leaf_hash(entry));
        }
        const Checkpoint checkpoint{log_origin(tenant_id), frontier.size(), frontier.root()};
        std::vector<std::string> nodes;
        for (const Sha256& node : frontier.nodes()) {
            nodes.push_back(raw(node));
        }
        return {static_cast<std::int64_t>(frontier.size()), raw(frontier.root()),
                sign_checkpoint(checkpoint, key).value(), "key-1", std::move(nodes)};
    }

    // Three aggregates of 4, 3 and 2 events, mixed; seven logged, under heads of 3 and 7.
    static AuditTrail sample(std::int64_t leaf_version = 2) {
        AuditTrail trail;
        trail.leaf_version = leaf_version;
        for (const std::uint64_t aggregate : {1U, 2U, 1U, 3U, 2U, 1U, 1U, 2U, 3U}) {
            trail.append(aggregate, R"({"n":)" + std::to_string(trail.events.size()) + "}");
        }
        trail.events[0].actor_id = "anna";
        return trail.rechained();
    }

    // All hashes made right again from the first event on, then the log and its heads.
    AuditTrail rechained() {
        AuditTrail fresh;
        fresh.tenant_id = tenant_id;
        fresh.leaf_version = leaf_version;
        for (AuditEvent event : events) {
            event.prev_event_hash.reset();
            for (const AuditEvent& before : fresh.events) {
                if (before.aggregate_id == event.aggregate_id) {
                    event.prev_event_hash = before.event_hash;
                }
            }
            rehash(event);
            fresh.waiting.push_back(event.event_id);
            fresh.events.push_back(std::move(event));
        }
        fresh.seal(3);
        fresh.seal(7);
        return fresh;
    }

    [[nodiscard]] AuditReport verify(
        std::vector<Ed25519PublicKey> keys = {trail_key().public_key()},
        const std::string& outside_head = {}, KeyTrust trust = KeyTrust::given) const {
        AuditVerifier verifier(tenant_id, std::move(keys), trust);
        for (const AuditEvent& event : events) {
            verifier.add_event(event);
        }
        for (const AuditLogEntry& entry : log) {
            verifier.add_log_entry(entry);
        }
        for (const Uuid& event_id : waiting) {
            verifier.add_waiting(event_id);
        }
        for (const AuditHead& head : heads) {
            verifier.add_head(head);
        }
        if (!outside_head.empty()) {
            verifier.add_outside_head({outside_head, "head.txt"});
        }
        return verifier.finish();
    }
};

}  // namespace jobforge::passport
