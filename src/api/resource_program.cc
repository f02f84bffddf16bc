// What the program says about itself, to anybody: health, metrics, its API. No tenant's data.
#include "api/answers.h"
#include "api/embedded_api.h"
#include "api/request_context.h"
#include "api/routes.h"

namespace jobforge::api {

namespace {

// 503 means: restart me.
Result<Response> live(RequestContext& /*context*/) {
    return json_response(R"({"status":"ok","checks":{}})");
}

// 503 means: send me no work.
Result<Response> ready(RequestContext& context) {
    Json checks = Json::object();
    bool all = true;
    for (const auto& [name, holds] : context.tools.ready()) {
        checks.set(name, holds);
        all = all && holds;
    }
    Response response = json_response(
        Json::object({{"status", all ? "ok" : "unavailable"}, {"checks", std::move(checks)}})
            .dump(),
        all ? 200 : 503);
    if (!all) {
        set_header(response, "Retry-After", "1");
    }
    return response;
}

Result<Response> metrics(RequestContext& context) {
    Response response = json_response(context.tools.metrics());
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    return response;
}

Result<Response> openapi(RequestContext& /*context*/) {
    Response response = json_response(std::string(openapi_yaml()));
    response.content_type = "application/yaml";
    return response;
}

Result<Response> docs(RequestContext& /*context*/) {
    Response response = json_response(std::string(api_page()));
    response.content_type = "text/html; charset=utf-8";
    set_header(response, "Content-Security-Policy",
               "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
    return response;
}

constexpr Route kRoutes[] = {
    {"GET", "/v1/health/live", {}, Work::none, &live},
    {"GET", "/v1/health/ready", {}, Work::none, &ready},
    {"GET", "/v1/metrics", {}, Work::none, &metrics},
    {"GET", "/v1/openapi.yaml", {}, Work::none, &openapi},
    {"GET", "/docs", {}, Work::none, &docs},
};

}  // namespace

std::span<const Route> program_routes() {
    return kRoutes;
}

}  // namespace jobforge::api
