// The API as an application: it finds the route of each request and owns what requests share.
//
// api_request.h is the way of one request; http_server.h brings the bytes.
//
// Threads: all methods from any thread; plan() and observe() never block.
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

#include "api/access/rate_limit.h"
#include "api/api_request.h"
#include "api/job_streams.h"
#include "api/readiness.h"
#include "api/request_context.h"
#include "api/router.h"
#include "http/server/application.h"
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

class ApiService final : public http::Application {
public:
    // Connects once: CONFIG_MISSING, DB_UNAVAILABLE, UNAUTHORIZED, and what require_schema says.
    [[nodiscard]] static Result<std::unique_ptr<ApiService>> start(ApiServiceOptions options);
    ApiService(const ApiService&) = delete;
    ApiService& operator=(const ApiService&) = delete;
    ~ApiService();

    // For http::ServerOptions. One slot more than pool_size, so that even of one connection no
    // tenant has all; threads also for what needs no slot, such as health.
    [[nodiscard]] static std::size_t party_slots(int pool_size) noexcept {
        return static_cast<std::size_t>(pool_size) + 1;
    }
    [[nodiscard]] static int handler_threads(int pool_size) noexcept { return pool_size + 3; }

    // From the head alone: liveness, 404 (also for an id in another spelling, path_names.h), 405,
    // 401 without any key, and the route's limit. Everything else becomes an ApiRequest.
    [[nodiscard]] http::Plan plan(http::Request& request) override;
    void observe(const http::Observation& observation) override;

    [[nodiscard]] const Router& router() const noexcept { return router_; }

private:
    // Connections beside those of the slots: job streams, refusal notes, readiness.
    static constexpr int kOtherConnections = 3;
    ApiService(ApiServiceOptions options, services::Pepper pepper);
    [[nodiscard]] std::vector<std::pair<std::string, bool>> checks();

    const ApiServiceOptions options_;
    ApiTools tools_;
    const Router router_;
    pg::Pool pool_;
    Authenticator authenticator_;  // uses the pool
    PermissionCheck permissions_;  // uses the pool
    RateLimit key_limit_;
    RateLimit address_limit_;  // of those who show no key
    http::RequestMetrics metrics_;
    Readiness readiness_;
    JobStreams job_streams_;  // uses the pool
    RequestParts parts_;      // all of the above, for requests
};

}  // namespace jobforge::api
