// BPC-AUDIT-2: an audit trail as JSON lines, to be verified where there is no database.
//
// One canonical JSON object a line, each ended by a line end:
//   {"audit_version":"BPC-AUDIT-2","tenant_id":...,"type":"audit"}     first
//   {...,"type":"event"}        every event that is in the log, in event_seq order
//   {...,"type":"waiting"}      between them, if wanted, those that wait for a place in the log
//   {...,"type":"log"}          every log entry
//   {...,"type":"head"}         every signed head
//   {"events":N,"heads":N,"log":N,"type":"end","waiting":N}            last: a cut file has none
//
// BPC-AUDIT-1, which releases before wrote, is read too: its log has leaves of form 1, its heads no
// frontier, and an event that waits looks like one that was added. Hashes are hex, the payload is
// its stored text. docs/formats.md lists the members. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/json.h>

#include "audit/audit_chain.h"

namespace jobforge::passport {

[[nodiscard]] std::string audit_line_begin(const Uuid& tenant_id);
// Fail if a stored text is not UTF-8 or a number is beyond 2^53-1: such a row cannot be written.
enum class EventLine { logged, waiting };
[[nodiscard]] Result<std::string> audit_line(const AuditEvent& event,
                                             EventLine kind = EventLine::logged);
[[nodiscard]] Result<std::string> audit_line(const AuditLogEntry& entry);
[[nodiscard]] Result<std::string> audit_line(const AuditHead& head);
struct AuditLineCounts {
    std::int64_t events = 0;
    std::int64_t waiting = 0;
    std::int64_t log_entries = 0;
    std::int64_t heads = 0;
    friend bool operator==(const AuditLineCounts&, const AuditLineCounts&) = default;
};
[[nodiscard]] std::string audit_line_end(const AuditLineCounts& counts);

// Reads an export line by line and feeds a verifier: the same checks as on the database.
class AuditExportReader final {
public:
    explicit AuditExportReader(std::vector<Ed25519PublicKey> trusted_keys,
                               KeyTrust trust = KeyTrust::given);

    // One line, with or without its line end. VALIDATION_ERROR "line N: ..." for a line that is not
    // part of an export, or out of place: nothing can be said about such a file.
    [[nodiscard]] Status add_line(std::string_view line);
    // Before or between the lines; see AuditVerifier.
    void add_outside_head(OutsideHead head);
    // VALIDATION_ERROR if the file ends before its end; else what the verifier found.
    [[nodiscard]] Result<AuditReport> finish();
    // Each log entry once its line was read: for proofs over the log.
    void on_log_entry(std::function<void(const AuditLogEntry&)> take);
    // Known once the first line was read.
    [[nodiscard]] const std::optional<Uuid>& tenant_id() const noexcept { return tenant_id_; }

private:
    [[nodiscard]] Status add(const Json& line);
    [[nodiscard]] Status begin(const Json& line);
    [[nodiscard]] Status add_event(const Json& line, EventLine kind);
    [[nodiscard]] Status add_log_entry(const Json& line);
    [[nodiscard]] Status add_head(const Json& line);
    [[nodiscard]] Status end(const Json& line);

    std::vector<Ed25519PublicKey> trusted_keys_;
    KeyTrust trust_;
    std::vector<OutsideHead> outside_heads_;
    std::function<void(const AuditLogEntry&)> take_log_entry_;
    bool version_1_ = false;
    std::optional<Uuid> tenant_id_;
    std::optional<AuditVerifier> verifier_;
    std::int64_t line_ = 0;
    AuditLineCounts counts_;
    bool ended_ = false;
};

}  // namespace jobforge::passport
