// /v1/artifacts: the bytes behind an artifact_ref, which are files of jobs and large payloads and
// results.
#include <algorithm>

#include "api/answers.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "statements/jobs.h"

namespace jobforge::api {

namespace {

using services::Permission;

// What a job has written there goes into a header.
std::string header_safe(std::string_view media_type) {
    const bool safe = std::all_of(media_type.begin(), media_type.end(),
                                  [](char c) { return c >= ' ' && c <= '~'; });
    return safe && !media_type.empty() ? std::string(media_type) : "application/octet-stream";
}

// The name is the content's SHA-256, and so is its ETag. An attachment: a job's HTML must not run
// as a page of this server.
Result<http::Response> get_artifact(RequestContext& context) {
    pg::Params params;
    params.text(context.parameter("artifact_ref"));
    const auto rows = context.calls->run_one(statements::jobs::kApiGetArtifact, std::move(params),
                                             engine::Repeat::always);
    if (!rows.ok()) {
        return rows.error();
    }
    http::Response response = immutable_response(context.request, std::string(rows->text(0, 0)),
                                                 header_safe(rows->text(0, 1)));
    http::set_header(response, "Content-Disposition", "attachment");
    return response;
}

}  // namespace

std::span<const Route> artifact_routes() {
    static constexpr Route kRoutes[] = {
        {"GET", "/v1/artifacts/{artifact_ref}", Permission::jobs_read, Work::read, &get_artifact},
    };
    return kRoutes;
}

}  // namespace jobforge::api
