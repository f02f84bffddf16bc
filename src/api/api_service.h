// The API as a function: a request in, an answer out. http_server.h brings the bytes.
//
// The way of a request (handle):
//   1. the router finds its route; what has no permission is answered here
//   2. the key (401), its rate (429), its roles and policies (403, with an audit event)
//   3. a connection; the check that key and policies are still what they were goes first in the
//      pipeline of the request's own statements, so that it costs no round trip
//   4. a change runs in one transaction with its Idempotency-Key's row and its stored answer
//   5. an error becomes the envelope; one of 500 and above is logged under its correlation id
// When the key or its policies have changed meanwhile (ACCESS_CHANGED) the request begins again.
//
// begin() is the short way of plain requests that blocks no thread.
//
// Threads: all methods from any thread; plan(), begin() and observe() never block.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/log.h>

#include "api/http_metrics.h"
#include "api/http_server.h"
#include "api/job_streams.h"
#include "api/pending_answer.h"
#include "api/rate_limit.h"
#include "api/request_context.h"
#include "api/router.h"
#include "pg/pool.h"
#include "workloads/access/key_ring.h"

namespace jobforge::api {

struct ApiServiceOptions {
    std::string database_url;  // a login with jobforge_gateway; jobforge_worker too for claims
    int pool_size = 10;        // as many as there are handler threads
    RateLimitOptions rate_limit = {};
    JobStreamsOptions job_streams = {};
    std::string pepper_base64;  // a secret; of the API keys
    ApiTools tools = {};        // without pepper; `ready` and `metrics` have defaults
    // More checks of readiness (the broker), beside the database and its schema.
    std::function<std::vector<std::pair<std::string, bool>>()> more_checks = {};
    Logger log = {};
    std::function<RateLimit::TimePoint()> clock = [] { return std::chrono::steady_clock::now(); };
};

class ApiService final {
public:
    // Connects once: CONFIG_MISSING, DB_UNAVAILABLE, UNAUTHORIZED, and what require_schema says.
    [[nodiscard]] static Result<std::unique_ptr<ApiService>> start(ApiServiceOptions options);
    ApiService(const ApiService&) = delete;
    ApiService& operator=(const ApiService&) = delete;
    ~ApiService();

    // From the head alone: 404, 405, 401 without any key, and the route's limit.
    [[nodiscard]] Plan plan(const RequestHead& head) const;
    // Before a large body is read: steps 1 and 2 of handle(), with the newest word of the database
    // about the key. An answer is a refusal. The rate that was taken is not taken again by
    // handle(). May block on the database.
    [[nodiscard]] std::optional<Response> admit(Request& request);
    // Sends the statement of a plain request and returns what is waited for; null: handle() must
    // answer it. Never blocks. The request must stay until that is destroyed.
    [[nodiscard]] std::unique_ptr<PendingAnswer> begin(Request& request);
    // Never throws; may block on the database.
    [[nodiscard]] Response handle(const Request& request);
    void observe(const Observation& observation) { metrics_.observe(observation); }

    [[nodiscard]] const Router& router() const noexcept { return router_; }

private:
    class Pending;                          // api_service_begin.cc
    static constexpr int kLeftByBegin = 2;  // connections
    ApiService(ApiServiceOptions options, workloads::Pepper pepper);
    // One request on its way.
    struct Asked {
        const Request& request;
        const RouteMatch& match;
        const Json& body;
        bool only_looks;                        // twice is as good as once
        std::optional<RateDecision> rate = {};  // once its key is known
        std::string key_id = {};
    };

    [[nodiscard]] bool may_begin(const Request& request, const Route& route) const;
    [[nodiscard]] Response answer_open(const Request& request, const RouteMatch& match);
    [[nodiscard]] Result<Response> answer_anybody(const Request& request, const RouteMatch& match);
    [[nodiscard]] Response answer_limited(const Request& request, const RouteMatch& match);
    [[nodiscard]] Response answer_with_key(const Request& request, const RouteMatch& match);
    // One try, or several while it is worth it: the rights changed meanwhile, a connection died.
    using Try = Result<Response> (ApiService::*)(Asked& asked);
    [[nodiscard]] Response answer_after(Try attempt, Asked& asked);
    [[nodiscard]] Result<Response> try_request(Asked& asked);
    [[nodiscard]] Result<Response> try_admission(Asked& asked);
    [[nodiscard]] Result<workloads::Principal> enter(Asked& asked);
    [[nodiscard]] Result<workloads::Principal> authenticate(const Asked& asked);
    [[nodiscard]] Status permit(const Asked& asked, const workloads::Principal& principal);
    [[nodiscard]] Result<Response> run(Asked& asked, const workloads::Principal& principal);
    void note_not_found(const Asked& asked, const workloads::Principal& principal);
    void note_refused_key(const Asked& asked, const Error& error);
    [[nodiscard]] Response refusal(const Error& error, const Request& request) const;
    [[nodiscard]] std::vector<std::pair<std::string, bool>> checks();

    const ApiServiceOptions options_;
    ApiTools tools_;
    const Router router_;
    pg::Pool pool_;
    workloads::KeyRing ring_;
    RateLimit rate_limit_;
    RateLimit address_limit_;  // of those who show no key
    RateLimit refusals_;       // audit events about keys that could not enter
    HttpMetrics metrics_;
    JobStreams job_streams_;  // uses the pool
};

}  // namespace jobforge::api
