// What the program says about itself, to anybody: health, metrics, its API. No tenant's data.
#include "api/answers.h"
#include "api/pages/embedded_api.h"
#include "api/pages/html_text.h"
#include "api/request_context.h"
#include "api/routes.h"

namespace jobforge::api {

namespace {

// 503 means: restart me.
Result<http::Response> live(RequestContext& /*context*/) {
    return json_response(R"({"status":"ok","checks":{}})");
}

// 503 means: send me no work.
Result<http::Response> ready(RequestContext& context) {
    Json checks = Json::object();
    bool all = true;
    for (const auto& [name, holds] : context.tools.ready()) {
        checks.set(name, holds);
        all = all && holds;
    }
    http::Response response = json_response(
        Json::object({{"status", all ? "ok" : "unavailable"}, {"checks", std::move(checks)}})
            .dump(),
        all ? 200 : 503);
    if (!all) {
        http::set_header(response, "Retry-After", "1");
    }
    return response;
}

Result<http::Response> metrics(RequestContext& context) {
    http::Response response = json_response(context.tools.metrics());
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    return response;
}

Result<http::Response> openapi(RequestContext& /*context*/) {
    http::Response response = json_response(std::string(openapi_yaml()));
    response.content_type = "application/yaml";
    return response;
}

// What stands between the tags of its style sheet.
std::string_view style_of(std::string_view page) {
    constexpr std::string_view kOpen = "<style>";
    const std::size_t begin = page.find(kOpen) + kOpen.size();
    return page.substr(begin, page.find("</style>") - begin);
}

Result<http::Response> docs(RequestContext& /*context*/) {
    static const std::string kPolicy = page_policy(style_of(api_page()));
    http::Response response = json_response(std::string(api_page()));
    response.content_type = "text/html; charset=utf-8";
    http::set_header(response, "Content-Security-Policy", kPolicy);
    http::set_header(response, "Referrer-Policy", "no-referrer");
    return response;
}

}  // namespace

std::span<const Route> program_routes() {
    static constexpr Route kRoutes[] = {
        {.method = "GET",
         .pattern = "/v1/health/live",
         .permission = {},
         .work = Work::instant,
         .answer = &live,
         .vital = true},
        {.method = "GET",
         .pattern = "/v1/health/ready",
         .permission = {},
         .work = Work::none,
         .answer = &ready,
         .vital = true},
        {"GET", "/v1/metrics", {}, Work::none, &metrics},
        {"GET", "/v1/openapi.yaml", {}, Work::none, &openapi},
        {"GET", "/docs", {}, Work::none, &docs},
    };
    return kRoutes;
}

}  // namespace jobforge::api
