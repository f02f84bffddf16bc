// A tenant's audit trail up to one signed head, as pages of BPC-AUDIT-2 lines
// (passport/audit_export.h).
//
// All that is under a head was committed before it was signed and never changes. So pages may be
// read one after the other, in transactions of their own, by different nodes: put together they are
// one export, and the same one whenever it is read. Memory: one page. Threads: those of the calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <jobforge/error.h>

#include "engine/database/tenant_calls.h"

namespace jobforge::services {

// Where the next page begins.
struct AuditPlace {
    enum class Part : char { events = 'e', log = 'l', heads = 'h' };
    Part part = Part::events;
    std::int64_t after = 0;      // event_seq, log_index or tree_size of the last row
    std::int64_t tree_size = 0;  // of the head that the export ends with
    std::int64_t heads = 0;      // up to that one

    // "e.17.30.4".
    [[nodiscard]] std::string text() const;
    // nullopt: not made by text().
    [[nodiscard]] static std::optional<AuditPlace> parse(std::string_view text);
};

struct AuditPage {
    std::string lines;
    std::optional<AuditPlace> next;  // nullopt: the export ends here
};

// The page at `place`; nullopt: the first one, of the newest head (without one the export is
// empty). `limit`: rows, 1..10000; some pages have fewer and still a next one.
[[nodiscard]] Result<AuditPage> read_audit_page(engine::TenantCalls& calls, const Uuid& tenant,
                                                std::optional<AuditPlace> place, int limit);

// Events under the newest head.
[[nodiscard]] Result<std::int64_t> audit_length(engine::TenantCalls& calls);

}  // namespace jobforge::services
