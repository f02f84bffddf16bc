#include "http/server/ops_answer.h"

#include <sys/random.h>

#include <array>
#include <chrono>
#include <exception>

#include <fmt/format.h>

#include <jobforge/json.h>
#include <jobforge/uuid.h>

namespace jobforge::http {

namespace {

constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

std::string new_correlation_id() {
    std::array<std::uint8_t, 10> random{};
    (void)!::getrandom(random.data(), random.size(), 0);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return Uuid::v7(std::chrono::duration_cast<std::chrono::milliseconds>(now).count(), random)
        .to_string();
}

OpsAnswer metrics(const OpsServerOptions& options) {
    return {200, std::string(kMetricsType), options.metrics()};
}

OpsAnswer health(bool good, Json checks) {
    const Json body =
        Json::object({{"status", good ? "ok" : "unavailable"}, {"checks", std::move(checks)}});
    return {good ? 200 : 503, "application/json", body.dump()};
}

OpsAnswer live(const OpsServerOptions& options) {
    return health(options.live(), Json::object());
}

OpsAnswer ready(const OpsServerOptions& options) {
    bool good = true;
    Json checks = Json::object();
    for (const auto& [name, holds] : options.ready()) {
        good = good && holds;
        checks.set(name, holds);
    }
    return health(good, std::move(checks));
}

struct Route {
    std::string_view path;
    OpsAnswer (*answer)(const OpsServerOptions&);
};

constexpr std::array<Route, 6> kRoutes = {{
    {"/metrics", metrics},
    {"/v1/metrics", metrics},
    {"/health/live", live},
    {"/v1/health/live", live},
    {"/health/ready", ready},
    {"/v1/health/ready", ready},
}};

OpsAnswer failed_callback(const OpsServerOptions& options, std::string_view path,
                          std::string_view what) {
    OpsAnswer answer = ops_error(500, ErrorCode::INTERNAL_ERROR, "the worker failed to answer");
    if (options.log) {
        options.log(LogLevel::error, fmt::format("{} failed: {} (correlation_id {})", path, what,
                                                 answer.correlation_id));
    }
    return answer;
}

}  // namespace

OpsAnswer ops_error(int status, ErrorCode code, std::string_view message) {
    OpsAnswer answer;
    answer.status = status;
    answer.correlation_id = new_correlation_id();
    const Json error = Json::object({{"code", to_string(code)},
                                     {"message", message},
                                     {"correlation_id", answer.correlation_id},
                                     {"details", Json::object()}});
    answer.body = Json::object({{"error", error}}).dump();
    return answer;
}

OpsAnswer answer_ops(const OpsServerOptions& options, std::string_view method,
                     std::string_view target) {
    const std::string_view path = target.substr(0, target.find('?'));
    for (const Route& route : kRoutes) {
        if (route.path != path) {
            continue;
        }
        if (method != "GET" && method != "HEAD") {
            OpsAnswer answer =
                ops_error(405, ErrorCode::VALIDATION_ERROR, "this path takes GET and HEAD only");
            answer.allow = "GET, HEAD";
            return answer;
        }
        try {
            return route.answer(options);
        } catch (const std::exception& fault) {
            return failed_callback(options, path, fault.what());
        } catch (...) {
            return failed_callback(options, path, "an unknown exception");
        }
    }
    return ops_error(404, ErrorCode::NOT_FOUND,
                     "there is no such path; there are /metrics, /health/live and /health/ready");
}

}  // namespace jobforge::http
