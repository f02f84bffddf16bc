#include "audit/audit_export.h"

#include <initializer_list>

#include <fmt/format.h>

#include "base/json/canonical.h"
#include "base/text/time_text.h"

namespace jobforge::passport {
namespace {

constexpr std::string_view kVersion = "BPC-AUDIT-2";
constexpr std::string_view kVersion1 = "BPC-AUDIT-1";

Error bad(std::string message) {
    return Error::of(ErrorCode::VALIDATION_ERROR, std::move(message));
}

Result<std::string> line_of(const Json& json) {
    auto line = canonical(json);
    if (line.ok()) {
        *line += '\n';
    }
    return line;
}

Json hex_or_null(const std::optional<std::string>& bytes) {
    return bytes ? Json(hex_encode(*bytes)) : Json(nullptr);
}

// The members of a line: all must be there and no other. The first fault is kept, later answers
// are empty: readers ask for everything and look at the fault once.
class Members final {
public:
    Members(const Json& line, std::size_t count) : line_(line) {
        if (line.as_object()->size() != count) {
            fail("it has members too many or too few");
        }
    }

    std::string text(std::string_view name) { return optional_text(name, false).value_or(""); }
    std::optional<std::string> text_or_null(std::string_view name) {
        return optional_text(name, true);
    }
    std::optional<std::int64_t> number_or_null(std::string_view name) {
        const Json* member = line_.find(name);
        return member != nullptr && member->is_null() ? std::nullopt : std::optional(number(name));
    }
    std::int64_t number(std::string_view name) {
        const Json* member = line_.find(name);
        const auto value = member != nullptr ? member->as_int64() : std::nullopt;
        if (!value) {
            fail(fmt::format("\"{}\" is missing or no whole number", name));
        }
        return value.value_or(0);
    }
    Uuid uuid(std::string_view name) { return converted<Uuid>(name, Uuid::parse(text(name))); }
    std::string bytes(std::string_view name) {
        return converted<std::string>(name, hex_decode(text(name)));
    }
    std::optional<std::string> bytes_or_null(std::string_view name) {
        const auto hex = text_or_null(name);
        return hex ? std::optional(converted<std::string>(name, hex_decode(*hex))) : std::nullopt;
    }
    std::int64_t time(std::string_view name) {
        const std::string written = text(name);
        const auto parsed = parse_time(written);
        // The hash is over exactly one spelling: another one must not verify in its place.
        if (!parsed.ok() || format_time(*parsed) != written) {
            fail(fmt::format("\"{}\" is not a time like 2027-02-18T09:30:00.000000Z", name));
            return 0;
        }
        return *parsed;
    }
    std::vector<std::string> bytes_list(std::string_view name) {
        const Json* member = line_.find(name);
        std::vector<std::string> list;
        if (member == nullptr || !member->is_array()) {
            fail(fmt::format("\"{}\" is missing or not a list", name));
            return list;
        }
        for (const Json& item : *member->as_array()) {
            const std::string* hex = item.as_string();
            list.push_back(converted<std::string>(
                name, hex == nullptr ? Result<std::string>(bad("")) : hex_decode(*hex)));
        }
        return list;
    }
    [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

private:
    std::optional<std::string> optional_text(std::string_view name, bool null_allowed) {
        const Json* member = line_.find(name);
        if (member != nullptr && member->is_string()) {
            return *member->as_string();
        }
        if (member == nullptr || !null_allowed || !member->is_null()) {
            fail(fmt::format("\"{}\" is missing or no text", name));
        }
        return std::nullopt;
    }
    template <typename T>
    T converted(std::string_view name, Result<T> value) {
        if (!value.ok()) {
            fail(fmt::format("\"{}\" cannot be read", name));
            return T{};
        }
        return std::move(*value);
    }
    void fail(std::string message) {
        if (fault_.empty()) {
            fault_ = std::move(message);
        }
    }

    const Json& line_;
    std::string fault_;
};

AuditEvent read_event(Members& members) {
    AuditEvent event;
    event.actor_id = members.text_or_null("actor_id");
    event.aggregate_id = members.uuid("aggregate_id");
    event.aggregate_type = members.text("aggregate_type");
    event.aggregate_version = members.number("aggregate_version");
    event.event_hash = members.bytes("event_hash");
    event.event_id = members.uuid("event_id");
    event.event_type = members.text("event_type");
    event.occurred_at_us = members.time("occurred_at");
    event.payload_canonical = members.text("payload_canonical");
    event.payload_hash = members.bytes("payload_hash");
    event.prev_event_hash = members.bytes_or_null("prev_event_hash");
    event.tenant_id = members.uuid("tenant_id");
    return event;
}

AuditLogEntry read_log_entry(Members& members, bool version_1) {
    AuditLogEntry entry;
    entry.event_hash = members.bytes("event_hash");
    entry.event_id = members.uuid("event_id");
    entry.log_index = members.number("log_index");
    if (!version_1) {
        entry.leaf_version = members.number("leaf_version");
        entry.head_size = members.number_or_null("head_size").value_or(0);
    }
    return entry;
}

AuditHead read_head(Members& members, bool version_1) {
    AuditHead head;
    head.checkpoint = members.text("checkpoint");
    if (!version_1) {
        head.frontier = members.bytes_list("frontier");
    }
    head.key_id = members.text("key_id");
    head.root_hash = members.bytes("root_hash");
    head.tree_size = members.number("tree_size");
    return head;
}

Status status_of(const Members& members) {
    return members.fault().empty() ? ok_status() : Status(bad(members.fault()));
}

}  // namespace

std::string audit_line_begin(const Uuid& tenant_id) {
    return line_of(Json::object({{"audit_version", kVersion},
                                 {"tenant_id", tenant_id.to_string()},
                                 {"type", "audit"}}))
        .value();
}

Result<std::string> audit_line(const AuditEvent& event, EventLine kind) {
    return line_of(Json::object({
        {"actor_id", event.actor_id ? Json(*event.actor_id) : Json(nullptr)},
        {"aggregate_id", event.aggregate_id.to_string()},
        {"aggregate_type", event.aggregate_type},
        {"aggregate_version", event.aggregate_version},
        {"event_hash", hex_encode(event.event_hash)},
        {"event_id", event.event_id.to_string()},
        {"event_type", event.event_type},
        {"occurred_at", format_time(event.occurred_at_us)},
        {"payload_canonical", event.payload_canonical},
        {"payload_hash", hex_encode(event.payload_hash)},
        {"prev_event_hash", hex_or_null(event.prev_event_hash)},
        {"tenant_id", event.tenant_id.to_string()},
        {"type", kind == EventLine::logged ? "event" : "waiting"},
    }));
}

Result<std::string> audit_line(const AuditLogEntry& entry) {
    return line_of(Json::object(
        {{"event_hash", hex_encode(entry.event_hash)},
         {"event_id", entry.event_id.to_string()},
         {"head_size", entry.leaf_version == 1 ? Json(nullptr) : Json(entry.head_size)},
         {"leaf_version", entry.leaf_version},
         {"log_index", entry.log_index},
         {"type", "log"}}));
}

Result<std::string> audit_line(const AuditHead& head) {
    Json frontier = Json::array();
    for (const std::string& node : head.frontier.value_or(std::vector<std::string>())) {
        frontier.push_back(hex_encode(node));
    }
    return line_of(Json::object({{"checkpoint", head.checkpoint},
                                 {"frontier", std::move(frontier)},
                                 {"key_id", head.key_id},
                                 {"root_hash", hex_encode(head.root_hash)},
                                 {"tree_size", head.tree_size},
                                 {"type", "head"}}));
}

std::string audit_line_end(const AuditLineCounts& counts) {
    return line_of(Json::object({{"events", counts.events},
                                 {"heads", counts.heads},
                                 {"log", counts.log_entries},
                                 {"type", "end"},
                                 {"waiting", counts.waiting}}))
        .value();
}

AuditExportReader::AuditExportReader(std::vector<Ed25519PublicKey> trusted_keys, KeyTrust trust)
    : trusted_keys_(std::move(trusted_keys)), trust_(trust) {}

void AuditExportReader::on_log_entry(std::function<void(const AuditLogEntry&)> take) {
    take_log_entry_ = std::move(take);
}

Status AuditExportReader::add_line(std::string_view line) {
    ++line_;
    if (line.ends_with('\n')) {
        line.remove_suffix(1);
    }
    const auto json = Json::parse(line);
    auto added = json.ok() ? add(*json) : Status(json.error());
    if (!added.ok()) {
        return bad(fmt::format("line {}: {}", line_, added.error().message));
    }
    return added;
}

Status AuditExportReader::add(const Json& line) {
    const Json* type = line.find("type");
    const std::string name = type != nullptr && type->is_string() ? *type->as_string() : "";
    if (ended_) {
        return bad("nothing follows the line of type \"end\"");
    }
    if (!verifier_) {
        return name == "audit"
                   ? begin(line)
                   : Status(bad("an audit export begins with a line of type \"audit\""));
    }
    if (name == "event") {
        return add_event(line, EventLine::logged);
    }
    if (name == "waiting" && !version_1_) {
        return add_event(line, EventLine::waiting);
    }
    if (name == "log") {
        return add_log_entry(line);
    }
    if (name == "head") {
        return add_head(line);
    }
    return name == "end" ? end(line) : Status(bad("this is not a line of an audit export"));
}

Status AuditExportReader::add_event(const Json& line, EventLine kind) {
    Members members(line, 13);
    const AuditEvent event = read_event(members);
    if (members.fault().empty()) {
        ++(kind == EventLine::logged ? counts_.events : counts_.waiting);
        verifier_->add_event(event);
        if (kind == EventLine::waiting) {
            verifier_->add_waiting(event.event_id);
        }
    }
    return status_of(members);
}

Status AuditExportReader::add_log_entry(const Json& line) {
    Members members(line, version_1_ ? 4 : 6);
    const AuditLogEntry entry = read_log_entry(members, version_1_);
    if (members.fault().empty()) {
        ++counts_.log_entries;
        verifier_->add_log_entry(entry);
        if (take_log_entry_) {
            take_log_entry_(entry);
        }
    }
    return status_of(members);
}

Status AuditExportReader::add_head(const Json& line) {
    Members members(line, version_1_ ? 5 : 6);
    AuditHead head = read_head(members, version_1_);
    if (members.fault().empty()) {
        ++counts_.heads;
        verifier_->add_head(std::move(head));
    }
    return status_of(members);
}

Status AuditExportReader::begin(const Json& line) {
    Members members(line, 3);
    const std::string version = members.text("audit_version");
    const Uuid tenant_id = members.uuid("tenant_id");
    if (!members.fault().empty()) {
        return status_of(members);
    }
    if (version != kVersion && version != kVersion1) {
        return bad(fmt::format("this export has the version \"{}\"; this program reads {} and {}",
                               version, kVersion1, kVersion));
    }
    version_1_ = version == kVersion1;
    tenant_id_ = tenant_id;
    verifier_.emplace(tenant_id, trusted_keys_, trust_,
                      version_1_ ? Unplaced::any : Unplaced::listed);
    for (OutsideHead& head : outside_heads_) {
        verifier_->add_outside_head(std::move(head));
    }
    outside_heads_.clear();
    return ok_status();
}

Status AuditExportReader::end(const Json& line) {
    Members members(line, version_1_ ? 4 : 5);
    AuditLineCounts said;
    said.events = members.number("events");
    said.waiting = version_1_ ? 0 : members.number("waiting");
    said.log_entries = members.number("log");
    said.heads = members.number("heads");
    if (!members.fault().empty()) {
        return status_of(members);
    }
    if (said != counts_) {
        return bad(
            "the export's last line counts other lines than the file has: lines are missing "
            "or were added");
    }
    ended_ = true;
    return ok_status();
}

void AuditExportReader::add_outside_head(OutsideHead head) {
    if (verifier_) {
        verifier_->add_outside_head(std::move(head));
    } else {
        outside_heads_.push_back(std::move(head));
    }
}

Result<AuditReport> AuditExportReader::finish() {
    if (!ended_) {
        return bad("the export is cut short: its last line, of type \"end\", is missing");
    }
    return verifier_->finish();
}

}  // namespace jobforge::passport
