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

#include "api/access/log_in_limit.h"
#include "api/access/rate_limit.h"
#include "api/access/refusal_notes.h"
#include "api/job_streams.h"
#include "api/readiness.h"
#include "api/request_context.h"
#include "api/router.h"
#include "http/server/http_metrics.h"
#include "http/server/http_server.h"
#include "http/server/pending_answer.h"
#include "pg/pool.h"
#include "services/access/key_ring.h"

namespace jobforge::api {

struct ApiServiceOptions {
    std::string database_url;  // a login with jobforge_gateway
    // How many requests the database works on at once, of all tenants together. No tenant can take
    // all of them if the server is given party_slots() and handler_threads().
    int pool_size = 10;
    // How long a statement waits for a lock, where the login's settings do not say it. The net:
    // what waits for a tenant's open transaction ends with 503.
    std::chrono::milliseconds lock_timeout{5000};
    RateLimitOptions rate_limit = {};
    JobStreamsOptions job_streams = {};
    std::string pepper_base64;  // a secret; of the API keys
    ApiTools tools = {};        // without pepper; `ready` and `metrics` have defaults
    // More checks of readiness (the broker), beside the database and its schema.
    std::function<std::vector<std::pair<std::string, bool>>()> more_checks = {};
    Logger log = {};
    std::optional<Logger> access_log = {};  // a line for each request; nullopt: none
    std::function<RateLimit::TimePoint()> clock = [] { return std::chrono::steady_clock::now(); };
};

class ApiService final {
public:
    // Connects once: CONFIG_MISSING, DB_UNAVAILABLE, UNAUTHORIZED, and what require_schema says.
    [[nodiscard]] static Result<std::unique_ptr<ApiService>> start(ApiServiceOptions options);
    ApiService(const ApiService&) = delete;
    ApiService& operator=(const ApiService&) = delete;
    ~ApiService();

    // For HttpServerOptions. One slot more than pool_size, so that even of one connection no tenant
    // has all; threads also for what needs no slot, such as health.
    [[nodiscard]] static std::size_t party_slots(int pool_size) noexcept {
        return static_cast<std::size_t>(pool_size) + 1;
    }
    [[nodiscard]] static int handler_threads(int pool_size) noexcept { return pool_size + 3; }

    // From the head alone: liveness, 404 (also for an id in another spelling, path_names.h), 405,
    // 401 without any key, and the route's limit.
    [[nodiscard]] Plan plan(const RequestHead& head);
    // Before a large body is read: steps 1 and 2 of handle(), with the newest word of the database
    // about the key. An answer is a refusal. The rate that was taken is not taken again by
    // handle(). May block on the database.
    [[nodiscard]] std::optional<Response> admit(Request& request);
    // Sends the statement of a plain request and returns what is waited for; null: handle() must
    // answer it. Never blocks. The request must stay until that is destroyed.
    [[nodiscard]] std::unique_ptr<PendingAnswer> begin(Request& request);
    // Never throws; may block on the database.
    [[nodiscard]] Response handle(Request& request);
    // Metrics, and the access log: its key is the one that handle() or begin() found.
    void observe(const Observation& observation);

    [[nodiscard]] const Router& router() const noexcept { return router_; }

private:
    class Pending;  // api_service_begin.cc
    // Connections beside those of the slots: job streams, refusal notes, readiness.
    static constexpr int kOtherConnections = 3;
    // What is known of a request before its handler runs (Request::admission).
    struct Admission {
        std::optional<services::Principal> principal = {};  // by the cache, when its head came
        std::optional<RateDecision> rate = {};              // taken already
    };
    ApiService(ApiServiceOptions options, services::Pepper pepper);
    // One request on its way.
    struct Asked {
        Request& request;
        const RouteMatch& match;
        const Json& body;
        bool only_looks;                                // twice is as good as once
        std::optional<RateDecision> rate = {};          // once its key is known
        std::optional<services::Principal> known = {};  // by the plan, for the first try
        std::string key_id = {};
    };

    void plan_with_key(const RequestHead& head, const RouteMatch& match, Plan& plan);
    [[nodiscard]] bool may_begin(const Request& request, const Route& route) const;
    [[nodiscard]] Response answer_open(const Request& request, const RouteMatch& match);
    [[nodiscard]] Result<Response> answer_anybody(const Request& request, const RouteMatch& match);
    [[nodiscard]] Response answer_limited(const Request& request, const RouteMatch& match);
    [[nodiscard]] Response answer_with_key(Request& request, const RouteMatch& match);
    // One try, or several while it is worth it: the rights changed meanwhile, a connection died.
    using Try = Result<Response> (ApiService::*)(Asked& asked);
    [[nodiscard]] Response answer_after(Try attempt, Asked& asked);
    [[nodiscard]] Result<Response> try_request(Asked& asked);
    [[nodiscard]] Result<Response> try_admission(Asked& asked);
    [[nodiscard]] Result<services::Principal> enter(Asked& asked);
    [[nodiscard]] Result<services::Principal> authenticate(Asked& asked);
    static void remember(Request& request, const services::Principal& principal);
    [[nodiscard]] Result<services::Principal> log_in(Asked& asked, std::string_view header);
    using Find = std::function<Result<services::Principal>()>;
    [[nodiscard]] Result<services::Principal> log_in_limited(Asked& asked, std::string_view header,
                                                             const Find& find);
    [[nodiscard]] Result<services::Principal> find_platform_key(const services::ApiKeyText& key);
    [[nodiscard]] Status permit_platform(const Asked& asked, const services::Principal& principal);
    [[nodiscard]] Status permit(const Asked& asked, const services::Principal& principal);
    [[nodiscard]] Result<services::Decision> decide(const Asked& asked,
                                                    const services::Principal& principal);
    [[nodiscard]] Result<Response> run(Asked& asked, const services::Principal& principal);
    void note_not_found(const Asked& asked, const services::Principal& principal);
    void note_refused_key(const Asked& asked, std::string_view header, const Error& error);
    [[nodiscard]] Response refusal(const Error& error, const Request& request) const;
    [[nodiscard]] std::vector<std::pair<std::string, bool>> checks();

    const ApiServiceOptions options_;
    ApiTools tools_;
    const Router router_;
    pg::Pool pool_;
    services::KeyRing ring_;
    RateLimit rate_limit_;
    RateLimit address_limit_;  // of requests without a key
    LogInLimit log_in_limit_;
    HttpMetrics metrics_;
    Readiness readiness_;
    RefusalNotes refusal_notes_;  // uses the pool and the ring
    JobStreams job_streams_;      // uses the pool
};

}  // namespace jobforge::api
