#include "passport/audit_chain.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <jobforge/json.h>

#include "core/json_quote.h"
#include "core/merkle.h"
#include "core/time_text.h"

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

AuditVerifier::AuditVerifier(const Uuid& tenant_id, std::vector<Ed25519PublicKey> trusted_keys)
    : tenant_id_(tenant_id),
      origin_(log_origin(tenant_id)),
      trusted_keys_(std::move(trusted_keys)) {}

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

bool AuditVerifier::head_fault(const PendingHead& head, std::string_view what,
                               const std::string& message) {
    AuditFault fault;
    fault.what = what;
    fault.message = head.outside
                        ? fmt::format("The head kept outside: {}", message)
                        : fmt::format("The head of size {}: {}", head.head.tree_size, message);
    fault.tree_size = head.head.tree_size;
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
    found->second.log_index = entry.log_index;
    leaves_.push_back(merkle_leaf_hash(entry.event_hash));
    return true;
}

bool AuditVerifier::add_head(AuditHead head) {
    if (!report_.fault) {
        heads_.push_back({std::move(head), {}, false});
    }
    return !report_.fault;
}

bool AuditVerifier::add_outside_head(std::string checkpoint) {
    if (!report_.fault) {
        heads_.push_back({{0, {}, std::move(checkpoint), {}}, {}, true});
    }
    return !report_.fault;
}

bool AuditVerifier::read_head(PendingHead& head) {
    const auto note = parse_signed_note(head.head.checkpoint);
    auto read = note.ok() ? parse_checkpoint_text(note->text) : Result<Checkpoint>(note.error());
    if (!read.ok()) {
        return head_fault(head, "head_form", read.error().message);
    }
    if (read->origin != origin_) {
        return head_fault(head, "head_form",
                          fmt::format("it is of the log {}, not of {}", read->origin, origin_));
    }
    if (!trusted_keys_.empty()) {
        if (auto verified = verify_note(*note, origin_, trusted_keys_); !verified.ok()) {
            return head_fault(head, "head_signature",
                              head.head.key_id.empty()
                                  ? verified.error().message
                                  : fmt::format("{} (it names the key {})",
                                                verified.error().message, head.head.key_id));
        }
        ++report_.signatures_checked;
    }
    head.checkpoint = std::move(*read);
    const auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto tree_size = static_cast<std::int64_t>(std::min(head.checkpoint.tree_size, largest));
    if (head.outside) {
        head.head.tree_size = tree_size;
        return true;
    }
    if (head.head.tree_size != tree_size ||
        head.head.root_hash != bytes_of(head.checkpoint.root_hash)) {
        return head_fault(head, "head_differs",
                          "size and root of its row are not those of its signed checkpoint");
    }
    return true;
}

void AuditVerifier::check_roots() {
    std::ranges::stable_sort(heads_, {},
                             [](const PendingHead& head) { return head.checkpoint.tree_size; });
    MerkleFrontier frontier;
    for (const PendingHead& head : heads_) {
        const std::uint64_t size = head.checkpoint.tree_size;
        if (size > leaves_.size()) {
            head_fault(head, "head_beyond_log",
                       fmt::format("it was signed over {} entries, and the log has {}: the end of "
                                   "the log was cut",
                                   size, leaves_.size()));
            return;
        }
        while (frontier.size() < size) {
            frontier.append(leaves_[frontier.size()]);
        }
        if (const Sha256 root = frontier.root(); root != head.checkpoint.root_hash) {
            head_fault(head, "head_root",
                       fmt::format("the first {} entries of the log have the root {}, and it was "
                                   "signed over {}: the log was rewritten",
                                   size, hex_encode(root), hex_encode(head.checkpoint.root_hash)));
            return;
        }
        ++(head.outside ? report_.outside_heads : report_.heads);
        report_.events_under_head = static_cast<std::int64_t>(size);
    }
}

AuditReport AuditVerifier::finish() {
    const bool readable = !report_.fault && std::ranges::all_of(heads_, [this](PendingHead& head) {
        return read_head(head);
    });
    if (readable) {
        check_roots();
    }
    report_.aggregates = static_cast<std::int64_t>(chains_.size());
    report_.log_entries = static_cast<std::int64_t>(leaves_.size());
    report_.events_not_logged = report_.events - report_.log_entries;
    return report_;
}

}  // namespace jobforge::passport
