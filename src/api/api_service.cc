#include "api/api_service.h"

#include <utility>

#include <fmt/format.h>

#include "api/path_names.h"
#include "api/routes.h"
#include "engine/schema/schema_check.h"
#include "statements/access.h"

namespace jobforge::api {

namespace {

// A claim sends its answer before it commits: what a frozen node has locked is free after this
// time, over TCP. (Over a Unix socket jobforge.end_frozen_sessions ends it, if a worker has the
// same login.)
constexpr std::chrono::seconds kFrozenAfter{15};
// Parties of requests that have no tenant (yet). A tenant's is its id.
constexpr std::string_view kLogInParty = "log-in";
constexpr std::string_view kPublicParty = "public";

pg::PoolOptions pool_options(const ApiServiceOptions& options, int others) {
    pg::PoolOptions pool;
    pool.connect.url = options.database_url;
    pool.connect.application_name = "jobforge api";
    pool.connect.prepare_statements = true;
    pool.connect.lock_timeout = options.lock_timeout;
    pool.connect.client_timeout = kFrozenAfter;
    pool.max_size = static_cast<int>(ApiService::party_slots(options.pool_size)) + others;
    return pool;
}

AuthenticatorOptions authenticator_options(const ApiServiceOptions& options) {
    return {.environment = options.tools.environment,
            .pepper = options.tools.pepper,
            .rate_limit = options.rate_limit,
            .log = options.log};
}

// Otherwise every request would fail, and none could say why to its client.
Status require_gateway(pg::Connection& connection) {
    const auto rows = connection.exec(statements::access::kApiMayServe);
    if (!rows.ok()) {
        return rows.error();
    }
    if (rows->boolean(0, 0)) {
        return ok_status();
    }
    Error error =
        Error::of(ErrorCode::FORBIDDEN,
                  fmt::format("the login {} may not serve the API: it has no jobforge_gateway",
                              rows->text(0, 1)));
    // Not "grant it": the login may be a tenant's, which could then act for all of them.
    error.hint = "Start it with a login of its own; docs/sql.md#roles makes one.";
    return error;
}

http::Response no_route(const RouteMatch& match, const http::RequestHead& head) {
    if (match.allow.empty()) {
        return http::error_response(404, ErrorCode::NOT_FOUND, "there is nothing under this path",
                                    head);
    }
    http::Response response = http::error_response(
        405, ErrorCode::VALIDATION_ERROR, "this path has other methods: " + match.allow, head);
    http::set_header(response, "Allow", match.allow);
    return response;
}

// A request without a key gets no memory for a body.
std::optional<http::Response> refuse_head(const http::RequestHead& head, const RouteMatch& match) {
    const std::string* key = head.header("authorization");
    const auto text = services::ApiKeyText::from_authorization(key == nullptr ? "" : *key);
    if (!text.ok()) {
        return http::error_response(text.error(), head);
    }
    const Status names = check_path_names(match.parameters);
    return names.ok() ? std::nullopt : std::optional(http::error_response(names.error(), head));
}

}  // namespace

ApiService::ApiService(ApiServiceOptions options, services::Pepper pepper)
    : options_(std::move(options)),
      tools_(options_.tools),
      router_(all_routes()),
      pool_(pool_options(options_, kOtherConnections)),
      authenticator_(pool_, authenticator_options(options_), std::move(pepper)),
      permissions_(pool_, options_.log),
      key_limit_(options_.rate_limit),
      address_limit_(options_.rate_limit),
      readiness_([this] { return checks(); }),
      job_streams_(pool_, options_.log, options_.job_streams),
      parts_{tools_,        pool_,          kOtherConnections, authenticator_, permissions_,
             key_limit_,    address_limit_, metrics_,          options_.log,   options_.access_log,
             options_.clock} {
    tools_.job_streams = &job_streams_;
    if (!tools_.ready) {
        tools_.ready = [this] { return readiness_.checks(); };
    }
    if (!tools_.metrics) {
        tools_.metrics = [this] { return metrics_.text(pool_.in_use()); };
    }
}

ApiService::~ApiService() = default;

Result<std::unique_ptr<ApiService>> ApiService::start(ApiServiceOptions options) {
    // One for the keys that come, one for the keys that are made.
    auto pepper = services::Pepper::from_base64(options.pepper_base64);
    auto maker = services::Pepper::from_base64(options.pepper_base64);
    if (!pepper.ok() || !maker.ok()) {
        return pepper.ok() ? std::move(maker).error() : std::move(pepper).error();
    }
    options.tools.pepper = std::make_shared<services::Pepper>(*std::move(maker));
    std::unique_ptr<ApiService> service(new ApiService(std::move(options), *std::move(pepper)));
    auto connection = service->pool_.acquire();
    if (!connection.ok()) {
        return std::move(connection).error();
    }
    if (auto fits = engine::require_schema(**connection); !fits.ok()) {
        return std::move(fits).error();
    }
    if (auto may = require_gateway(**connection); !may.ok()) {
        return std::move(may).error();
    }
    return service;
}

std::vector<std::pair<std::string, bool>> ApiService::checks() {
    std::vector<std::pair<std::string, bool>> checks;
    auto connection = pool_.acquire();
    const auto schema = connection.ok()
                            ? engine::check_schema(**connection)
                            : Result<engine::SchemaCheck>(std::move(connection).error());
    checks.emplace_back("database", schema.ok());
    // A newer schema is fine: in a roll-out the migration comes first, and the nodes of the last
    // release, which it goes on serving, must not all leave at that moment.
    using engine::SchemaState;
    checks.emplace_back("migrations", schema.ok() && (schema->state == SchemaState::current ||
                                                      schema->state == SchemaState::newer));
    if (options_.more_checks) {
        for (auto& check : options_.more_checks()) {
            checks.push_back(std::move(check));
        }
    }
    return checks;
}

http::Plan ApiService::plan(http::Request& request) {
    http::Plan plan;
    RouteMatch match = router_.match(request.method, request.path);
    if (match.route == nullptr) {
        plan.answer_now = no_route(match, request);
        return plan;
    }
    const Route& route = *match.route;
    plan.route_label = route.pattern;
    plan.body_limit = route.body_limit;
    plan.vital = route.vital;
    if (route.permission) {
        plan.vary = "Authorization";  // or a cache would answer one key with what another may see
        if (auto refused = refuse_head(request, match)) {
            plan.answer_now = std::move(refused);
            return plan;
        }
    }
    auto exchange = std::make_unique<ApiRequest>(parts_, request, std::move(match));
    if (route.work == Work::instant) {
        plan.answer_now = exchange->handle();
        return plan;
    }
    if (route.permission) {
        const services::Principal* principal = exchange->recognize();
        plan.party =
            principal != nullptr ? principal->tenant_id.to_string() : std::string(kLogInParty);
        plan.asks_admission = true;
        plan.may_begin = principal != nullptr && ApiRequest::may_begin(route, tools_);
    } else if (route.work == Work::open_read) {
        plan.party = kPublicParty;
    }
    plan.exchange = std::move(exchange);
    return plan;
}

void ApiService::observe(const http::Observation& observation) {
    observe_request(parts_, observation, nullptr);
}

}  // namespace jobforge::api
