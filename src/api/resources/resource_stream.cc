// /v1/jobs/stream: what happens to jobs, as it happens (server-sent events).
#include <algorithm>
#include <array>

#include "api/job_streams.h"
#include "api/request_context.h"
#include "api/request_fields.h"
#include "api/routes.h"
#include "statements/jobs.h"

namespace jobforge::api {

namespace {

using engine::Repeat;
using services::Permission;

constexpr std::array<std::string_view, 6> kStatuses{"QUEUED", "RUNNING",   "SUCCEEDED",
                                                    "FAILED", "CANCELLED", "DEAD_LETTER"};

JobFilter filter_of(QueryFields& query) {
    JobFilter filter;
    filter.type = query.opt_text("type");
    filter.status = query.opt_text("status");
    filter.job_id = query.opt_uuid("job_id");
    if (filter.status &&
        std::find(kStatuses.begin(), kStatuses.end(), *filter.status) == kStatuses.end()) {
        query.refuse("status", "is not a status of a job");
    }
    return filter;
}

// Where the client was; nullopt: it is new.
Result<std::optional<StreamCursor>> last_event(const http::RequestHead& head) {
    const std::string* text = head.header("last-event-id");
    if (text == nullptr || text->empty()) {
        return std::optional<StreamCursor>();
    }
    auto cursor = StreamCursor::parse(*text);
    if (!cursor) {
        return field_error("Last-Event-ID", "is not the id of an event of this stream");
    }
    return cursor;
}

Result<http::Response> stream(RequestContext& context) {
    QueryFields query(context.request);
    JobFilter filter = filter_of(query);
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    auto since = last_event(context.request);
    if (!since.ok()) {
        return std::move(since).error();
    }
    const auto now = context.calls->run_one(statements::jobs::kApiStreamBegin, {}, Repeat::always);
    if (!now.ok()) {
        return now.error();
    }
    const StreamCursor here{std::string(now->text(0, 0)), now->integer(0, 1)};
    auto opened = context.tools.job_streams->open(*context.principal, std::move(filter),
                                                  since->value_or(here));
    if (!opened.ok()) {
        return std::move(opened).error();
    }
    if (!*since) {
        // From here on nothing is missed: who loads a list after this event has it complete.
        (void)(*opened)->send(http::sse_event("open", here.text(), "{}"));
    }
    http::Response response;
    response.stream = *std::move(opened);
    return response;
}

}  // namespace

std::span<const Route> stream_routes() {
    static constexpr Route kRoutes[] = {
        {"GET", "/v1/jobs/stream", Permission::jobs_read, Work::read, &stream},
    };
    return kRoutes;
}

}  // namespace jobforge::api
