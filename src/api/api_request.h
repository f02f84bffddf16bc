// One request on its way through the API: the only path there is, from its head to its answer.
//
//   1. match: the route was found by ApiService::plan() and stays here
//   2. parse: the body (415, 400)
//   3. authenticate: the key becomes a principal (401)
//   4. rate: a token of the key (429)
//   5. permit: roles and policies (403, with an audit event)
//   6. run: the route's handler. The check that key and policies are still what they were goes
//      first in the pipeline of the handler's own statements, so that it costs no round trip. A
//      change runs in one transaction with its Idempotency-Key's row and its stored answer.
//   7. answer: an error becomes the envelope; one of 500 and above is logged under its correlation
//      id
//
// Two executors run these steps. handle() runs them on a handler thread that may block. begin()
// runs them on the thread that has read the request, as long as memory has all they need, and sends
// the one statement of the handler; no thread waits for its rows. Where a step would block, or
// refuses, begin() stops: nothing was done, and handle() goes on with what is known. admit() runs
// steps 3 to 5 before a large body is read.
//
// A request begins again when the key or its policies have changed meanwhile (ACCESS_CHANGED).
//
// Threads: one at a time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include <jobforge/error.h>
#include <jobforge/log.h>

#include "api/access/authenticator.h"
#include "api/access/permission_check.h"
#include "api/access/rate_limit.h"
#include "api/request_context.h"
#include "api/router.h"
#include "http/server/application.h"
#include "http/server/http_metrics.h"
#include "pg/pool.h"

namespace jobforge::api {

// What all requests of a service share. Owned by the service.
struct RequestParts {
    ApiTools& tools;
    pg::Pool& pool;
    int other_connections;  // of the pool: not for begin()
    Authenticator& authenticator;
    PermissionCheck& permissions;
    RateLimit& key_limit;
    RateLimit& address_limit;  // of those who show no key
    http::RequestMetrics& metrics;
    Logger log;
    std::optional<Logger> access_log;
    std::function<RateLimit::TimePoint()> clock;
};

class ApiRequest final : public http::Exchange {
public:
    // `request` and `parts` must outlive this; the match has a route.
    ApiRequest(RequestParts& parts, http::Request& request, RouteMatch match);

    // Authenticates from memory alone, so that the request's party is known before its body is
    // read. Null: the key is not remembered.
    const services::Principal* recognize();

    [[nodiscard]] std::optional<http::Response> admit() override;
    [[nodiscard]] std::unique_ptr<http::PendingAnswer> begin() override;
    // Never throws.
    [[nodiscard]] http::Response handle() override;
    void observe(const http::Observation& observation) override;

    // Whether begin() may take requests of this route.
    [[nodiscard]] static bool may_begin(const Route& route, const ApiTools& tools);

private:
    class Pending;  // the answer of begin()

    [[nodiscard]] const Route& route() const noexcept { return *match_.route; }
    [[nodiscard]] bool is_read() const noexcept { return route().work == Work::read; }
    [[nodiscard]] RequestContext context() const;

    [[nodiscard]] std::optional<http::Response> parse();
    [[nodiscard]] Status authenticate();
    [[nodiscard]] bool take_rate();
    // Steps 3 to 5.
    [[nodiscard]] Status enter();
    [[nodiscard]] bool enter_at_once();
    [[nodiscard]] Result<http::Response> run();

    [[nodiscard]] Result<http::Response> try_admission();
    [[nodiscard]] Result<http::Response> try_request();
    // Tries again while that is worth it: the rights changed meanwhile, a connection died.
    using Try = Result<http::Response> (ApiRequest::*)();
    [[nodiscard]] http::Response answer_after(Try attempt, bool only_reads);
    [[nodiscard]] http::Response answer_open();
    [[nodiscard]] Result<http::Response> run_open();
    // The last step.
    [[nodiscard]] http::Response answer(Result<http::Response> result) const;
    [[nodiscard]] http::Response refusal(const Error& error) const;

    RequestParts& parts_;
    http::Request& request_;
    const RouteMatch match_;
    Json body_ = Json::object();
    bool parsed_ = false;
    std::optional<services::Principal> principal_;  // the newest that is known
    bool authenticated_ = false;                    // by principal_, for this try
    bool has_entered_ = false;                      // once, with principal_
    std::optional<RateDecision> rate_;              // taken once, by either executor
};

// Metrics, and the access log. `principal`: null if it is not known who asked.
void observe_request(RequestParts& parts, const http::Observation& observation,
                     const services::Principal* principal);

}  // namespace jobforge::api
