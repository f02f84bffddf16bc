// /v1/sources: where prices come from. A source is named by its name or its id.
#include "api/answers.h"
#include "api/job_fields.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "workloads/prices/sources.h"

namespace jobforge::api {

namespace {

using workloads::Permission;

std::string source_of(const RequestContext& context) {
    return std::string(context.parameter("source"));
}

// The body is the source, as jobforge.save_source reads it: new, or changed where it is named.
Result<Response> save(RequestContext& context) {
    const auto id = workloads::save_source(*context.calls, context.body, context.actor());
    if (!id.ok()) {
        return id.error();
    }
    return created_response("/v1/sources/" + id->to_string(),
                            Json::object({{"source_id", id->to_string()}}).dump());
}

Result<Response> list(RequestContext& context) {
    return answer_list(workloads::list_sources(*context.calls));
}

Result<Response> get(RequestContext& context) {
    return answer_object(workloads::get_source(*context.calls, source_of(context)));
}

Result<Response> set_rules(RequestContext& context) {
    return answer_done(
        workloads::set_source_rules(*context.calls, source_of(context), context.body));
}

Result<Response> enable(RequestContext& context) {
    return answer_done(workloads::set_source_enabled(*context.calls, source_of(context), true));
}

Result<Response> disable(RequestContext& context) {
    return answer_done(workloads::set_source_enabled(*context.calls, source_of(context), false));
}

Result<Response> pause(RequestContext& context) {
    BodyFields body(context.body);
    workloads::PauseEnd end;
    end.until = timestamp_of(body.opt_time("until"));
    const std::string reason = body.opt_text("reason").value_or("");
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    return answer_done(workloads::pause_source(*context.calls, source_of(context), end, reason));
}

Result<Response> resume(RequestContext& context) {
    return answer_done(workloads::resume_source(*context.calls, source_of(context)));
}

constexpr Permission kWrite = Permission::sources_write;
constexpr Route kRoutes[] = {
    {"POST", "/v1/sources", kWrite, Work::change, &save, kJobBody},
    {"GET", "/v1/sources", Permission::sources_read, Work::read, &list},
    {"GET", "/v1/sources/{source}", Permission::sources_read, Work::read, &get},
    {"PUT", "/v1/sources/{source}/rules", kWrite, Work::change, &set_rules, kSmallBody},
    {"POST", "/v1/sources/{source}/enable", kWrite, Work::change, &enable, kSmallBody},
    {"POST", "/v1/sources/{source}/disable", kWrite, Work::change, &disable, kSmallBody},
    {"POST", "/v1/sources/{source}/pause", kWrite, Work::change, &pause, kSmallBody},
    {"POST", "/v1/sources/{source}/resume", kWrite, Work::change, &resume, kSmallBody},
};

}  // namespace

std::span<const Route> source_routes() {
    return kRoutes;
}

}  // namespace jobforge::api
