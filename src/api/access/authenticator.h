// Who asks: the key of a request becomes a principal, or a refusal.
//
// A key that this node remembers costs no look into the database. All others log in: the database
// is asked, an address that fails too often is slowed down (log_in_limit.h), and a refused key is
// noted in its tenant's audit log (refusal_notes.h).
//
// Threads: all members from any thread; only log_in() blocks, on the database.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <jobforge/error.h>
#include <jobforge/log.h>

#include "api/access/log_in_limit.h"
#include "api/access/rate_limit.h"
#include "api/access/refusal_notes.h"
#include "api/route.h"
#include "http/parse/http_message.h"
#include "pg/pool.h"
#include "services/access/key_ring.h"

namespace jobforge::api {

struct AuthenticatorOptions {
    std::string environment = "dev";  // of the keys that are accepted
    std::shared_ptr<const services::Pepper> pepper;
    RateLimitOptions rate_limit = {};  // of log-ins that fail
    Logger log = {};
};

class Authenticator final {
public:
    using TimePoint = RateLimit::TimePoint;

    // `ring_pepper`: the same pepper once more, for the keys that are remembered. The pool must
    // outlive this.
    Authenticator(pg::Pool& pool, AuthenticatorOptions options, services::Pepper ring_pepper);

    // From memory alone; nullopt: log_in() must ask the database.
    [[nodiscard]] std::optional<services::Principal> find_remembered(std::string_view header) {
        return ring_.find_cached(header);
    }
    // The principal of the request's Authorization header. UNAUTHORIZED, API_KEY_REVOKED, and
    // RATE_LIMITED with `rate` set to the address's. `again`: this request has logged in before,
    // and so is not limited.
    [[nodiscard]] Result<services::Principal> log_in(const http::RequestHead& head,
                                                     const Route& route, bool again, TimePoint now,
                                                     std::optional<RateDecision>& rate);
    // What is remembered of this key is out of date.
    void forget(std::string_view key_id) { ring_.forget(key_id); }

private:
    [[nodiscard]] Result<services::Principal> find(std::string_view header);
    [[nodiscard]] Result<services::Principal> find_platform_key(const services::ApiKeyText& key);
    void note_refused(const http::RequestHead& head, const Route& route, std::string_view header,
                      const Error& error);

    pg::Pool& pool_;
    const AuthenticatorOptions options_;
    services::KeyRing ring_;
    LogInLimit log_in_limit_;
    RefusalNotes refusal_notes_;  // last: its thread uses the pool and the ring
};

}  // namespace jobforge::api
