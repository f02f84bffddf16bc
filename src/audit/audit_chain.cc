#include "audit/audit_chain.h"

#include <algorithm>

#include <fmt/format.h>
#include <jobforge/json.h>

#include "audit/merkle.h"
#include "base/json/json_quote.h"
#include "base/text/counted.h"
#include "base/text/time_text.h"

namespace jobforge::passport {
namespace {

std::string_view bytes_of(const Sha256& hash) noexcept {
    return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

void append_member(std::string& out, std::string_view name, std::string_view text) {
    out += name;
    append_json_quoted(out, text);
}

void append_optional(std::string& out, std::string_view name,
                     const std::optional<std::string>& text) {
    if (text) {
        append_member(out, name, *text);
    } else {
        out += name;
        out += "null";
    }
}

// How messages call an event.
std::string named(const AuditEvent& event) {
    return fmt::format("Event {} ({}, version {} of {} {})", event.event_id.to_string(),
                       event.event_type, event.aggregate_version, event.aggregate_type,
                       event.aggregate_id.to_string());
}

std::string hex_or_none(const std::optional<std::string>& hash) {
    return hash ? hex_encode(*hash) : "none";
}

}  // namespace

std::string event_hash_input(const AuditEvent& event) {
    // Written out rather than built and sorted: the members are known, and a hundred thousand
    // events want it. The tests compare it with canonical().
    std::string text;
    text.reserve(640);
    append_optional(text, R"({"actor_id":)", event.actor_id);
    append_member(text, R"(,"aggregate_id":)", event.aggregate_id.to_string());
    append_member(text, R"(,"aggregate_type":)", event.aggregate_type);
    text += R"(,"aggregate_version":)";
    text += std::to_string(event.aggregate_version);
    append_member(text, R"(,"event_type":)", event.event_type);
    append_member(text, R"(,"occurred_at":)", format_time(event.occurred_at_us));
    append_member(text, R"(,"payload_hash":)", hex_encode(event.payload_hash));
    append_optional(
        text, R"(,"prev_event_hash":)",
        event.prev_event_hash ? std::optional(hex_encode(*event.prev_event_hash)) : std::nullopt);
    append_member(text, R"(,"tenant_id":)", event.tenant_id.to_string());
    text += '}';
    return text;
}

Sha256 log_leaf_hash(const AuditLogEntry& entry) {
    if (entry.leaf_version == 1) {
        return merkle_leaf_hash(entry.event_hash);
    }
    // 56 bytes, so that it cannot pass for a leaf of form 1, which has 32.
    std::string bytes = entry.event_hash;
    bytes.append(reinterpret_cast<const char*>(entry.event_id.bytes.data()),
                 entry.event_id.bytes.size());
    const auto size = static_cast<std::uint64_t>(entry.head_size);
    for (int shift = 56; shift >= 0; shift -= 8) {
        bytes += static_cast<char>((size >> shift) & 0xFF);
    }
    return merkle_leaf_hash(bytes);
}

std::string log_origin(const Uuid& tenant_id) {
    return "jobforge/" + tenant_id.to_string();
}

std::string AuditFault::to_json() const {
    Json json = Json::object({{"what", what}, {"message", message}});
    if (event_id) {
        json.set("event_id", event_id->to_string());
    }
    if (aggregate_id) {
        json.set("aggregate", Json::object({{"type", aggregate_type},
                                            {"id", aggregate_id->to_string()},
                                            {"version", aggregate_version}}));
    }
    if (log_index) {
        json.set("log_index", *log_index);
    }
    if (tree_size) {
        json.set("tree_size", *tree_size);
    }
    return json.dump();
}

std::size_t AuditVerifier::AggregateHash::operator()(const AggregateId& aggregate) const noexcept {
    // The id alone tells nearly all aggregates apart.
    return std::hash<Uuid>{}(aggregate.id) ^ std::hash<std::string>{}(aggregate.type);
}

AuditVerifier::AuditVerifier(const Uuid& tenant_id, std::vector<Ed25519PublicKey> trusted_keys,
                             KeyTrust trust, Unplaced unplaced)
    : tenant_id_(tenant_id),
      origin_(log_origin(tenant_id)),
      trusted_keys_(std::move(trusted_keys)),
      trust_(trust),
      unplaced_(unplaced) {
    report_.signatures_by_key.resize(trusted_keys_.size());
}

bool AuditVerifier::event_fault(const AuditEvent& event, std::string_view what,
                                const std::string& message) {
    AuditFault fault;
    fault.what = what;
    fault.message = fmt::format("{}: {}", named(event), message);
    fault.event_id = event.event_id;
    fault.aggregate_type = event.aggregate_type;
    fault.aggregate_id = event.aggregate_id;
    fault.aggregate_version = event.aggregate_version;
    report_.fault = std::move(fault);
    return false;
}

bool AuditVerifier::log_fault(const AuditLogEntry& entry, std::string_view what,
                              const std::string& message) {
    AuditFault fault;
    fault.what = what;
    fault.message = fmt::format("Log entry {} (event {}): {}", entry.log_index,
                                entry.event_id.to_string(), message);
    fault.event_id = entry.event_id;
    fault.log_index = entry.log_index;
    report_.fault = std::move(fault);
    return false;
}

bool AuditVerifier::check_place(const AuditEvent& event, const ChainEnd& end) {
    const std::int64_t expected = end.version + 1;
    if (event.aggregate_version == expected) {
        return true;
    }
    if (event.aggregate_version < expected) {
        return event_fault(event, "version_repeated",
                           fmt::format("the chain already has version {}", end.version));
    }
    return event_fault(
        event, "version_gap",
        fmt::format("version {} is missing before it: an event was removed", expected));
}

bool AuditVerifier::check_hashes(const AuditEvent& event, const ChainEnd& end) {
    const Sha256 payload_hash = sha256(event.payload_canonical);
    if (event.payload_hash != bytes_of(payload_hash)) {
        return event_fault(event, "payload_hash",
                           fmt::format("its payload has the SHA-256 {}, and the event says {}",
                                       hex_encode(payload_hash), hex_encode(event.payload_hash)));
    }
    std::optional<std::string> previous;
    if (end.version > 0) {
        previous = bytes_of(end.event_hash);
    }
    if (event.prev_event_hash != previous) {
        return event_fault(event, "prev_event_hash",
                           fmt::format("it follows the event hash {}, but the event before it has "
                                       "{}",
                                       hex_or_none(event.prev_event_hash), hex_or_none(previous)));
    }
    const Sha256 event_hash = sha256(event_hash_input(event));
    if (event.event_hash != bytes_of(event_hash)) {
        return event_fault(event, "event_hash",
                           fmt::format("its columns have the hash {}, and the event says {}",
                                       hex_encode(event_hash), hex_encode(event.event_hash)));
    }
    return true;
}

bool AuditVerifier::add_event(const AuditEvent& event) {
    if (report_.fault) {
        return false;
    }
    if (event.tenant_id != tenant_id_) {
        return event_fault(event, "tenant",
                           fmt::format("it belongs to the tenant {}", event.tenant_id.to_string()));
    }
    ChainEnd& end = chains_[AggregateId{event.aggregate_type, event.aggregate_id}];
    if (!check_place(event, end) || !check_hashes(event, end)) {
        return false;
    }
    end.version = event.aggregate_version;
    std::ranges::copy(event.event_hash, end.event_hash.begin());
    if (!events_.try_emplace(event.event_id, KnownEvent{end.event_hash, {}}).second) {
        return event_fault(event, "event_id", "another event has the same id");
    }
    ++report_.events;
    return true;
}

bool AuditVerifier::check_leaf(const AuditLogEntry& entry) {
    if (entry.leaf_version == 1) {
        return true;
    }
    if (entry.leaf_version != 2) {
        return log_fault(entry, "log_leaf",
                         fmt::format("a leaf of the form {} is not known", entry.leaf_version));
    }
    // The heads that entries name are those before them, the later entry the larger one.
    if (entry.head_size < last_named_head_ || entry.head_size > entry.log_index) {
        return log_fault(entry, "log_leaf",
                         fmt::format("it says that the head before it covers {}",
                                     counted(entry.head_size, "entry", "entries")));
    }
    last_named_head_ = entry.head_size;
    named_heads_.insert(entry.head_size);
    return true;
}

bool AuditVerifier::add_log_entry(const AuditLogEntry& entry) {
    if (report_.fault) {
        return false;
    }
    const auto expected = static_cast<std::int64_t>(leaves_.size());
    if (entry.log_index != expected) {
        return log_fault(entry, "log_index",
                         fmt::format("the log goes on with entry {}: {}", expected,
                                     entry.log_index > expected ? "an entry was removed"
                                                                : "an entry is there twice"));
    }
    const auto found = events_.find(entry.event_id);
    if (found == events_.end()) {
        return log_fault(entry, "log_event_missing",
                         "this event was logged and is not there any more");
    }
    if (found->second.log_index) {
        return log_fault(
            entry, "log_event_repeated",
            fmt::format("the event is already in the log, as entry {}", *found->second.log_index));
    }
    if (entry.event_hash != bytes_of(found->second.event_hash)) {
        return log_fault(
            entry, "log_event_hash",
            fmt::format("the event was logged with the hash {} and now has {}",
                        hex_encode(entry.event_hash), hex_encode(found->second.event_hash)));
    }
    if (!check_leaf(entry)) {
        return false;
    }
    found->second.log_index = entry.log_index;
    leaves_.push_back(log_leaf_hash(entry));
    return true;
}

bool AuditVerifier::add_waiting(const Uuid& event_id) {
    if (!report_.fault) {
        waiting_.insert(event_id);
    }
    return !report_.fault;
}

bool AuditVerifier::check_waiting() {
    const auto fault = [this](std::string_view what, const Uuid& event_id, std::string_view words) {
        report_.fault.emplace();
        report_.fault->what = what;
        report_.fault->message = fmt::format("Event {}: {}", event_id.to_string(), words);
        report_.fault->event_id = event_id;
        return false;
    };
    for (const Uuid& event_id : waiting_) {
        const auto found = events_.find(event_id);
        if (found == events_.end()) {
            return fault("waiting_event_missing", event_id,
                         "it waits for its place in the log and is not there any more");
        }
        if (found->second.log_index) {
            return fault("log_event_repeated", event_id,
                         "it waits for a place in the log and already has one");
        }
    }
    if (unplaced_ == Unplaced::any) {
        return true;
    }
    // Of several, the one with the smallest id: ids begin with the time.
    const Uuid* first = nullptr;
    for (const auto& [event_id, event] : events_) {
        if (!event.log_index && !waiting_.contains(event_id) &&
            (first == nullptr || event_id < *first)) {
            first = &event_id;
        }
    }
    return first == nullptr ||
           fault("event_not_logged", *first,
                 "it is not in the log and does not wait for a place there: it was added by hand");
}

AuditReport AuditVerifier::finish() {
    report_.aggregates = static_cast<std::int64_t>(chains_.size());
    report_.log_entries = static_cast<std::int64_t>(leaves_.size());
    report_.events_not_logged = report_.events - report_.log_entries;
    report_.has_unplaced = unplaced_ != Unplaced::waiting && report_.events_not_logged > 0;
    if (report_.fault || !check_waiting()) {
        return report_;
    }
    for (PendingHead& head : heads_) {
        if (!parse_head(head)) {
            return report_;
        }
    }
    drop_keys_that_sign_nothing();
    const bool signed_by_trusted =
        trusted_keys_.empty() || std::ranges::all_of(heads_, [this](const PendingHead& head) {
            return check_signature(head);
        });
    if (signed_by_trusted && check_roots()) {
        check_missing_heads();
    }
    return report_;
}

}  // namespace jobforge::passport
