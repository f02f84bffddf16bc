// BPC-AUDIT-1: an audit trail as JSON lines, to be verified where there is no database.
//
// One canonical JSON object a line, each ended by a line end:
//   {"audit_version":"BPC-AUDIT-1","tenant_id":...,"type":"audit"}     first
//   {...,"type":"event"}        every event, in event_seq order
//   {...,"type":"log"}          every log entry
//   {...,"type":"head"}         every signed head
//   {"events":N,"heads":N,"log":N,"type":"end"}                        last: a cut file has none
//
// Hashes are hex, the payload is its stored text. docs/formats.md lists the members. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/json.h>

#include "passport/audit_chain.h"

namespace jobforge::passport {

[[nodiscard]] std::string audit_line_begin(const Uuid& tenant_id);
// Fail if a stored text is no UTF-8 or a number is beyond 2^53-1: such a row cannot be written.
[[nodiscard]] Result<std::string> audit_line(const AuditEvent& event);
[[nodiscard]] Result<std::string> audit_line(const AuditLogEntry& entry);
[[nodiscard]] Result<std::string> audit_line(const AuditHead& head);
[[nodiscard]] std::string audit_line_end(std::int64_t events, std::int64_t log_entries,
                                         std::int64_t heads);

// Reads an export line by line and feeds a verifier: the same checks as on the database.
class AuditExportReader final {
public:
    explicit AuditExportReader(std::vector<Ed25519PublicKey> trusted_keys);

    // One line, with or without its line end. VALIDATION_ERROR "line N: ..." for a line that is no
    // part of an export, or out of place: nothing can be said about such a file.
    [[nodiscard]] Status add_line(std::string_view line);
    // Before or between the lines; see AuditVerifier.
    void add_outside_head(std::string checkpoint);
    // VALIDATION_ERROR if the file ends before its end; else what the verifier found.
    [[nodiscard]] Result<AuditReport> finish();
    // Known once the first line was read.
    [[nodiscard]] const std::optional<Uuid>& tenant_id() const noexcept { return tenant_id_; }

private:
    [[nodiscard]] Status add(const Json& line);
    [[nodiscard]] Status begin(const Json& line);
    [[nodiscard]] Status end(const Json& line);

    std::vector<Ed25519PublicKey> trusted_keys_;
    std::vector<std::string> outside_heads_;
    std::optional<Uuid> tenant_id_;
    std::optional<AuditVerifier> verifier_;
    std::int64_t line_ = 0;
    std::int64_t events_ = 0;
    std::int64_t log_entries_ = 0;
    std::int64_t heads_ = 0;
    bool ended_ = false;
};

}  // namespace jobforge::passport
