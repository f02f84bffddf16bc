// /v1/audit/export and /v1/audit/verify: the whole trail, taken away or checked here.
#include <mutex>

#include <fmt/format.h>

#include "api/answers.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "services/audit/audit.h"
#include "services/audit/audit_pages.h"
#include "services/audit/audit_verdict.h"

namespace jobforge::api {

namespace {

using services::Permission;

constexpr int kMostLines = 1000;
// 150 bytes of memory and some microseconds an event: 15 MB and about a second.
constexpr std::int64_t kLongestTrail = 100'000;

// The last page has no X-Next-Cursor.
Result<http::Response> export_trail(RequestContext& context) {
    QueryFields query(context.request);
    const int limit = query.opt_int("limit", 1, kMostLines).value_or(kMostLines);
    std::optional<services::AuditPlace> place;
    if (const auto cursor = query.opt_text("cursor")) {
        const auto text = cursor_text(*cursor);
        place = text ? services::AuditPlace::parse(*text) : std::nullopt;
        if (!place) {
            query.refuse("cursor", "is not the X-Next-Cursor of an earlier page");
        }
    }
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    auto page =
        services::read_audit_page(*context.calls, context.principal->tenant_id, place, limit);
    if (!page.ok()) {
        return std::move(page).error();
    }
    http::Response response;
    response.content_type = "application/x-ndjson";
    response.body = std::move(page->lines);
    if (page->next) {
        http::set_header(response, "X-Next-Cursor", cursor_of(page->next->text()));
    }
    return response;
}

Error too_long(std::int64_t length) {
    Error error = Error::of(ErrorCode::BUDGET_EXCEEDED,
                            fmt::format("a trail of {} events is not verified by a request: {} at "
                                        "most",
                                        length, kLongestTrail));
    error.hint =
        "Export it, and run jobforge audit verify --file where it costs other tenants nothing.";
    return error;
}

// With this node's own keys and the head that is kept here: those of the database would be the word
// of what is checked. One at a time on a node, for all keys: it is the one request that reads all
// that a tenant ever did.
Result<http::Response> verify_trail(RequestContext& context) {
    static std::mutex at_work;
    const std::unique_lock alone(at_work, std::try_to_lock);
    if (!alone.owns_lock()) {
        return Error::of(ErrorCode::RATE_LIMITED, "this node verifies another trail now");
    }
    const auto length = services::audit_length(*context.calls);
    if (!length.ok()) {
        return length.error();
    }
    if (*length > kLongestTrail) {
        return too_long(*length);
    }
    // Before the rows: a head that is kept meanwhile would be beyond a log that was read already.
    services::AuditEvidence evidence;
    if (context.tools.audit_evidence) {
        auto known = context.tools.audit_evidence(context.principal->tenant_id);
        if (!known.ok()) {
            return std::move(known).error();
        }
        evidence = *std::move(known);
    }
    const auto report =
        services::verify_audit(*context.connection, {.tenant = context.principal->tenant_id,
                                                     .keys = evidence.public_keys(),
                                                     .outside_heads = evidence.heads,
                                                     .trust = evidence.trust});
    if (!report.ok()) {
        return report.error();
    }
    return json_response(services::audit_answer(*report, evidence).dump());
}

}  // namespace

std::span<const Route> audit_trail_routes() {
    static constexpr Route kRoutes[] = {
        {"GET", "/v1/audit/export", Permission::audit_read, Work::read, &export_trail},
        {"GET", "/v1/audit/verify", Permission::audit_read, Work::read, &verify_trail},
    };
    return kRoutes;
}

}  // namespace jobforge::api
