#include "services/audit/audit_pages.h"

#include <charconv>

#include <fmt/format.h>

#include "audit/audit_export.h"
#include "services/audit/audit_rows.h"
#include "statements/audit.h"

namespace jobforge::services {

namespace {

using engine::Repeat;
using Part = AuditPlace::Part;

// The line of a row; nothing for one that is not under the head.
Result<std::string> line_of(Part part, const pg::Rows& rows, int row) {
    switch (part) {
        case Part::events:
            return rows.boolean(row, 13) ? passport::audit_line(audit_event_of(rows, row))
                                         : Result<std::string>(std::string());
        case Part::log:
            return passport::audit_line(audit_log_entry_of(rows, row));
        case Part::heads:
            break;
    }
    return passport::audit_line(audit_head_of(rows, row));
}

const pg::Statement& statement_of(Part part) {
    return part == Part::events ? statements::audit::kAuditEventsPage
           : part == Part::log  ? statements::audit::kAuditLogPage
                                : statements::audit::kAuditHeadsPage;
}

Result<pg::Rows> read_rows(engine::TenantCalls& calls, const AuditPlace& place, int limit) {
    pg::Params params;
    params.int8(place.after).int4(limit).int8(place.tree_size);
    return calls.run_one(statement_of(place.part), std::move(params), Repeat::always);
}

// Where a whole part ends: the next part, or the line that ends the export. Each log entry under
// the head is an event of its own, so there are as many of both.
void end_part(const AuditPlace& place, AuditPage& page) {
    switch (place.part) {
        case Part::events:
            page.next = AuditPlace{Part::log, -1, place.tree_size, place.heads};
            return;
        case Part::log:
            page.next = AuditPlace{Part::heads, 0, place.tree_size, place.heads};
            return;
        case Part::heads:
            page.lines += passport::audit_line_end({.events = place.tree_size,
                                                    .waiting = 0,
                                                    .log_entries = place.tree_size,
                                                    .heads = place.heads});
            return;
    }
}

// The next number of a cursor's text, behind a dot.
std::optional<std::int64_t> next_number(std::string_view& text) {
    std::int64_t number = 0;
    if (text.empty() || text.front() != '.') {
        return std::nullopt;
    }
    const auto read = std::from_chars(text.data() + 1, text.data() + text.size(), number);
    if (read.ec != std::errc()) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    return number;
}

}  // namespace

std::string AuditPlace::text() const {
    return fmt::format("{}.{}.{}.{}", static_cast<char>(part), after, tree_size, heads);
}

std::optional<AuditPlace> AuditPlace::parse(std::string_view text) {
    if (text.empty() || std::string_view("elh").find(text[0]) == std::string_view::npos) {
        return std::nullopt;
    }
    const auto part = static_cast<Part>(text[0]);
    text.remove_prefix(1);
    const auto after = next_number(text);
    const auto size = next_number(text);
    const auto heads = next_number(text);
    if (!after || !size || !heads || !text.empty() || *size < 0 || *heads < 0) {
        return std::nullopt;
    }
    return AuditPlace{part, *after, *size, *heads};
}

Result<std::int64_t> audit_length(engine::TenantCalls& calls) {
    const auto extent = calls.run_one(statements::audit::kAuditExtent, {}, Repeat::always);
    return extent.ok() ? Result<std::int64_t>(extent->integer(0, 0))
                       : Result<std::int64_t>(extent.error());
}

Result<AuditPage> read_audit_page(engine::TenantCalls& calls, const Uuid& tenant,
                                  std::optional<AuditPlace> place, int limit) {
    AuditPage page;
    if (!place) {
        const auto extent = calls.run_one(statements::audit::kAuditExtent, {}, Repeat::always);
        if (!extent.ok()) {
            return extent.error();
        }
        place = AuditPlace{Part::events, 0, extent->integer(0, 0), extent->integer(0, 1)};
        page.lines = passport::audit_line_begin(tenant);
    }
    const auto rows = read_rows(calls, *place, limit);
    if (!rows.ok()) {
        return rows.error();
    }
    for (int row = 0; row < rows->size(); ++row) {
        const auto line = line_of(place->part, *rows, row);
        if (!line.ok()) {
            return line.error();
        }
        page.lines += *line;
    }
    if (rows->size() == limit) {
        page.next =
            AuditPlace{place->part, rows->integer(limit - 1, 0), place->tree_size, place->heads};
    } else {
        end_part(*place, page);
    }
    return page;
}

}  // namespace jobforge::services
