#include "api/api_service.h"

#include <algorithm>
#include <any>
#include <exception>

#include <fmt/format.h>

#include "api/answers.h"
#include "api/path_names.h"
#include "api/request_body.h"
#include "api/request_run.h"
#include "api/routes.h"
#include "engine/schema/schema_check.h"

namespace jobforge::api {

namespace {

constexpr int kTries = 3;
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

services::KeyRingOptions ring_options(const ApiServiceOptions& options) {
    services::KeyRingOptions ring;
    ring.environment = options.tools.environment;
    return ring;
}

constexpr pg::Statement kMayServe{
    "api_may_serve",
    "select pg_catalog.pg_has_role(session_user, 'jobforge_gateway', 'usage'), session_user::text"};

// Otherwise every request would fail, and none could say why to its client.
Status require_gateway(pg::Connection& connection) {
    const auto rows = connection.exec(kMayServe);
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

// The transaction that a deadlock ended has changed nothing, and the others are through when it
// runs again: two keys that revoke each other wait for each other's requests.
bool was_deadlocked(const Error& error) {
    return error.sqlstate == "40P01";
}

// Reads are repeated. A change is repeated only if it certainly did not happen.
bool worth_another_try(const Error& error, bool only_looks) {
    return error.code == ErrorCode::ACCESS_CHANGED || was_deadlocked(error) ||
           (error.connection_lost && (only_looks || !error.outcome_unknown));
}

}  // namespace

ApiService::ApiService(ApiServiceOptions options, services::Pepper pepper)
    : options_(std::move(options)),
      tools_(options_.tools),
      router_(all_routes()),
      pool_(pool_options(options_, kOtherConnections)),
      ring_(std::move(pepper), ring_options(options_)),
      rate_limit_(options_.rate_limit),
      address_limit_(options_.rate_limit),
      log_in_limit_(options_.rate_limit),
      readiness_([this] { return checks(); }),
      refusal_notes_(pool_, options_.log,
                     [this](const std::string& key_id) { return ring_.has(key_id); }),
      job_streams_(pool_, options_.log, options_.job_streams) {
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

Plan ApiService::plan(const RequestHead& head) {
    Plan plan;
    const RouteMatch match = router_.match(head.method, head.path);
    if (match.route == nullptr) {
        if (match.allow.empty()) {
            plan.answer_now =
                error_response(404, ErrorCode::NOT_FOUND, "there is nothing under this path", head);
        } else {
            plan.answer_now = error_response(405, ErrorCode::VALIDATION_ERROR,
                                             "this path has other methods: " + match.allow, head);
            set_header(*plan.answer_now, "Allow", match.allow);
        }
        return plan;
    }
    plan.route_label = match.route->pattern;
    plan.body_limit = match.route->body_limit;
    plan.vital = match.route->vital;
    if (match.route->work == Work::instant) {
        Request request;
        static_cast<RequestHead&>(request) = head;
        plan.answer_now = answer_open(request, match);
        return plan;
    }
    if (match.route->permission) {
        plan_with_key(head, match, plan);
    } else if (match.route->work == Work::open_read) {
        plan.party = kPublicParty;
    }
    return plan;
}

// A request without a key gets no memory for a body.
void ApiService::plan_with_key(const RequestHead& head, const RouteMatch& match, Plan& plan) {
    plan.vary = "Authorization";  // or a cache would answer one key with what another may see
    const std::string* key = head.header("authorization");
    const auto text = services::ApiKeyText::from_authorization(key == nullptr ? "" : *key);
    if (!text.ok()) {
        plan.answer_now = error_response(text.error(), head);
        return;
    }
    if (const Status names = check_path_names(match.parameters); !names.ok()) {
        plan.answer_now = error_response(names.error(), head);
        return;
    }
    Admission admission;
    if (head.header_count("authorization") == 1) {
        admission.principal = ring_.find_cached(*key);
    }
    plan.party =
        admission.principal ? admission.principal->tenant_id.to_string() : std::string(kLogInParty);
    plan.admission = std::move(admission);
}

Response ApiService::handle(Request& request) {
    try {
        const RouteMatch match = router_.match(request.method, request.path);
        if (match.route == nullptr) {
            return error_response(404, ErrorCode::NOT_FOUND, "there is nothing under this path",
                                  request);
        }
        if (!request.body.empty() && !match.route->raw_body && !is_json(request)) {
            return error_response(415, ErrorCode::VALIDATION_ERROR,
                                  "the body must be JSON: Content-Type: application/json", request);
        }
        return match.route->permission ? answer_with_key(request, match)
                                       : answer_open(request, match);
    } catch (const std::exception& thrown) {
        return refusal(Error::of(ErrorCode::INTERNAL_ERROR, thrown.what()), request);
    }
}

// What costs a look into the database has a rate, also without a key.
Response ApiService::answer_limited(const Request& request, const RouteMatch& match) {
    std::optional<RateDecision> rate;
    if (address_limit_.enabled()) {
        rate = address_limit_.take(request.remote_address, options_.clock());
    }
    Result<Response> response =
        Error::of(ErrorCode::RATE_LIMITED, "too many requests from this address");
    if (rate && !rate->allowed) {
        metrics_.count_rate_limited();
    } else {
        response = answer_anybody(request, match);
    }
    Response answer = response.ok() ? *std::move(response) : refusal(response.error(), request);
    if (rate) {
        add_rate_headers(answer, *rate);
    }
    return answer;
}

Result<Response> ApiService::answer_anybody(const Request& request, const RouteMatch& match) {
    const Json nothing = Json::object();
    RequestContext context{request, match.parameters, tools_, nothing};
    auto connection = pool_.acquire();
    if (!connection.ok()) {
        return std::move(connection).error();
    }
    auto calls = engine::TenantCalls::within(**connection, {});
    context.calls = &calls;
    return match.route->answer(context);
}

Response ApiService::answer_open(const Request& request, const RouteMatch& match) {
    if (match.route->work == Work::open_read) {
        return answer_limited(request, match);
    }
    const Json nothing = Json::object();
    RequestContext context{request, match.parameters, tools_, nothing};
    auto response = match.route->answer(context);
    return response.ok() ? *std::move(response) : refusal(response.error(), request);
}

Response ApiService::answer_with_key(Request& request, const RouteMatch& match) {
    const auto body = body_of(request, *match.route);
    if (!body.ok()) {
        return refusal(body.error(), request);
    }
    Asked asked{request, match, *body, match.route->work == Work::read};
    if (const auto* admission = std::any_cast<Admission>(&request.admission)) {
        asked.rate = admission->rate;
        asked.known = admission->principal;
    }
    return answer_after(&ApiService::try_request, asked);
}

Response ApiService::answer_after(Try attempt, Asked& asked) {
    auto response = (this->*attempt)(asked);
    for (int tries = 1;
         tries < kTries && !response.ok() && worth_another_try(response.error(), asked.only_looks);
         ++tries) {
        if (response.error().code == ErrorCode::ACCESS_CHANGED) {
            ring_.forget(asked.key_id);
        }
        response = (this->*attempt)(asked);
    }
    Response answer =
        response.ok() ? *std::move(response) : refusal(response.error(), asked.request);
    if (asked.rate) {
        add_rate_headers(answer, *asked.rate);
    }
    return answer;
}

Result<Response> ApiService::try_request(Asked& asked) {
    const auto principal = enter(asked);
    if (!principal.ok()) {
        return principal.error();
    }
    return run(asked, *principal);
}

Result<services::Principal> ApiService::enter(Asked& asked) {
    auto principal = authenticate(asked);
    if (!principal.ok()) {
        return principal;
    }
    asked.key_id = principal->key_id;
    if (rate_limit_.enabled() && !asked.rate) {
        asked.rate = rate_limit_.take(principal->key_id, options_.clock());
    }
    if (asked.rate && !asked.rate->allowed) {
        metrics_.count_rate_limited();
        return Error::of(ErrorCode::RATE_LIMITED, "too many requests with this key");
    }
    if (auto permitted = permit(asked, *principal); !permitted.ok()) {
        return std::move(permitted).error();
    }
    return principal;
}

Result<Response> ApiService::run(Asked& asked, const services::Principal& principal) {
    RequestContext context{asked.request, asked.match.parameters, tools_, asked.body, &principal};
    Result<Response> response = Error::of(ErrorCode::INTERNAL_ERROR, "the request was not run");
    {
        auto connection = pool_.acquire();
        if (!connection.ok()) {
            return std::move(connection).error();
        }
        response = run_on_connection(**connection, *asked.match.route, context);
    }
    if (!response.ok() && response.error().code == ErrorCode::NOT_FOUND) {
        note_not_found(asked, principal);
    }
    if (response.ok() && tools_.after_enqueue && !context.enqueued.empty()) {
        tools_.after_enqueue(context.enqueued);
    }
    return response;
}

Response ApiService::refusal(const Error& error, const Request& request) const {
    Response response = error_response(error, request);
    if (response.status >= 500) {
        options_.log.error("request failed", {{"correlation_id", request.correlation_id},
                                              {"method", request.method},
                                              {"path", request.path},
                                              {"error", error.describe()}});
    }
    return response;
}

}  // namespace jobforge::api
