// /v1/sources: where prices come from. A source is named by its name or its id, neither of which
// ever changes.
#include <fmt/format.h>

#include "api/answers.h"
#include "api/job_fields.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "services/prices/sources.h"

namespace jobforge::api {

namespace {

using services::Permission;

std::string source_of(const RequestContext& context) {
    return std::string(context.parameter("source"));
}

constexpr std::string_view kCollection = "/v1/sources";

// The paths of a source, under its name and its id; `rest` follows them. Of one that does not exist
// yet: what it would have.
Result<ThingPaths> paths_of(RequestContext& context, const std::string& source,
                            std::string_view rest) {
    const auto path = [&](std::string_view name) {
        return fmt::format("{}/{}{}", kCollection, name, rest);
    };
    ThingPaths paths{path(source)};
    const auto row = services::get_source(*context.calls, source);
    if (!row.ok()) {
        return row.error().code == ErrorCode::NOT_FOUND ? Result<ThingPaths>(std::move(paths))
                                                        : Result<ThingPaths>(row.error());
    }
    for (const char* member : {"name", "source_id"}) {
        const Json* value = row->find(member);
        if (value == nullptr || value->as_string() == nullptr) {
            return Error::of(ErrorCode::INTERNAL_ERROR, "a source without a name or an id");
        }
        paths.push_back(path(*value->as_string()));
    }
    return paths;
}

// /v1/sources/{source}...: a denial under the name holds under the id too, and the other way round.
Result<std::vector<ThingPaths>> named_in_path(RequestContext& context) {
    const std::string source = source_of(context);
    const std::string_view path = context.request.path;
    auto paths = paths_of(context, source, path.substr(kCollection.size() + 1 + source.size()));
    if (!paths.ok()) {
        return std::move(paths).error();
    }
    return std::vector<ThingPaths>{*std::move(paths)};
}

// POST /v1/sources changes the source that its body names: what is denied under that source's own
// path is denied here.
Result<std::vector<ThingPaths>> named_in_body(RequestContext& context) {
    std::vector<ThingPaths> things{{std::string(kCollection)}};
    const Json* name = context.body.find("name");
    if (name == nullptr || name->as_string() == nullptr) {
        return things;
    }
    auto paths = paths_of(context, *name->as_string(), {});
    if (!paths.ok()) {
        return std::move(paths).error();
    }
    things.push_back(*std::move(paths));
    return things;
}

// The body is the source, as jobforge.save_source reads it: new, or changed where it is named.
Result<http::Response> save(RequestContext& context) {
    const auto id = services::save_source(*context.calls, context.body, context.actor());
    if (!id.ok()) {
        return id.error();
    }
    return created_response("/v1/sources/" + id->to_string(),
                            Json::object({{"source_id", id->to_string()}}).dump());
}

Result<http::Response> list(RequestContext& context) {
    return answer_list(services::list_sources(*context.calls));
}

Result<http::Response> get(RequestContext& context) {
    return answer_object(services::get_source(*context.calls, source_of(context)));
}

Result<http::Response> set_rules(RequestContext& context) {
    return answer_done(
        services::set_source_rules(*context.calls, source_of(context), context.body));
}

Result<http::Response> enable(RequestContext& context) {
    return answer_done(services::set_source_enabled(*context.calls, source_of(context), true));
}

Result<http::Response> disable(RequestContext& context) {
    return answer_done(services::set_source_enabled(*context.calls, source_of(context), false));
}

Result<http::Response> pause(RequestContext& context) {
    BodyFields body(context.body);
    services::PauseEnd end;
    end.until = timestamp_of(body.opt_time("until"));
    const std::string reason = body.opt_text("reason").value_or("");
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    return answer_done(services::pause_source(*context.calls, source_of(context), end, reason));
}

Result<http::Response> resume(RequestContext& context) {
    return answer_done(services::resume_source(*context.calls, source_of(context)));
}

constexpr Permission kWrite = Permission::sources_write;
constexpr Permission kRead = Permission::sources_read;

// A route of one source.
constexpr Route of_one(std::string_view method, std::string_view pattern, Permission permission,
                       Work work, Answer answer, std::uint64_t body_limit) {
    return {.method = method,
            .pattern = pattern,
            .permission = permission,
            .work = work,
            .answer = answer,
            .body_limit = body_limit,
            .things = &named_in_path};
}

}  // namespace

std::span<const Route> source_routes() {
    static constexpr Route kRoutes[] = {
        {.method = "POST",
         .pattern = kCollection,
         .permission = kWrite,
         .work = Work::change,
         .answer = &save,
         .body_limit = kJobBody,
         .things = &named_in_body},
        {"GET", kCollection, kRead, Work::read, &list},
        of_one("GET", "/v1/sources/{source}", kRead, Work::read, &get, 0),
        of_one("PUT", "/v1/sources/{source}/rules", kWrite, Work::change, &set_rules, kSmallBody),
        of_one("POST", "/v1/sources/{source}/enable", kWrite, Work::change, &enable, kSmallBody),
        of_one("POST", "/v1/sources/{source}/disable", kWrite, Work::change, &disable, kSmallBody),
        of_one("POST", "/v1/sources/{source}/pause", kWrite, Work::change, &pause, kSmallBody),
        of_one("POST", "/v1/sources/{source}/resume", kWrite, Work::change, &resume, kSmallBody),
    };
    return kRoutes;
}

}  // namespace jobforge::api
