// From an Authorization header to its principal: the API keys of all tenants, cached.
//
// What is cached is the row of a key (find_api_key): its mac, roles, version and the policies that
// concern it. The secret is compared at every request. The cache is never the authority: each
// request names the versions it decided by, and enter_request (request_calls.h) refuses them in the
// database once anything has changed. So a revocation holds on every node from its commit on,
// without messages between nodes, and costs no round trip of its own.
//
// The way of a request (api_request.h):
//     auto principal = ring.find(header, pool);               401
//     decide(principal->roles, *principal->policies, ...)     403 -> access_denied_calls()
//     [enter_request, the request's statements] in one pipeline
//     on ACCESS_CHANGED: ring.forget(key_id), and all of it once more
// A refusal goes through enter_request too (access_denied_calls begins with it), or a key whose
// policies were just loosened would be refused by its old ones for as long as it is cached.
//
// Threads: all methods from any thread.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <jobforge/error.h>
#include <jobforge/uuid.h>

#include "base/crypto/hash.h"
#include "pg/pool.h"
#include "services/access/key_text.h"
#include "services/access/permissions.h"
#include "services/access/policies.h"

namespace jobforge::services {

// The sender of a request, as the database knew it when it was asked. Cheap to copy.
struct Principal {
    Uuid tenant_id;  // nil for a platform key
    std::string key_id;
    Roles roles;
    std::int64_t version = 0;                  // of the key
    std::int64_t access_version = 0;           // of the tenant's policies
    std::shared_ptr<const Policies> policies;  // never null
    // Of a platform key, which has neither tenant nor roles: what its every transaction shows to
    // the database (enter_platform_request). Not of this ring: no node remembers platform keys.
    std::optional<Sha256> platform_mac = {};
};

struct KeyRingOptions {
    std::string environment = "dev";  // BPC_ENV: other keys are refused
    std::size_t capacity = 10'000;    // keys in the cache; the one used longest ago leaves
};

class KeyRing final {
public:
    KeyRing(Pepper pepper, KeyRingOptions options);
    ~KeyRing();
    KeyRing(const KeyRing&) = delete;
    KeyRing& operator=(const KeyRing&) = delete;

    // UNAUTHORIZED: no header, no key, unknown, wrong secret or expired. Neither the message nor
    // the time tells the middle three apart: the secret is compared and the database asked once,
    // also for a wrong secret of a key that is cached. API_KEY_REVOKED only with the
    // secret. DB_UNAVAILABLE, TIMEOUT. A connection is taken from `pool` unless a cached key
    // matches, and is back when this returns: call it while holding none.
    [[nodiscard]] Result<Principal> find(std::string_view authorization, pg::Pool& pool);
    // The same from the cache alone, for a thread that must not wait. Nothing means: ask find().
    // As long for a key that is not cached as for a wrong secret.
    [[nodiscard]] std::optional<Principal> find_cached(std::string_view authorization);
    // The next find() asks the database again, also if an answer from before is still on its way.
    void forget(std::string_view key_id);
    [[nodiscard]] std::size_t size() const;
    // Whether a key of that id is cached.
    [[nodiscard]] bool has(const std::string& key_id) const;

private:
    struct Row;
    using RowPtr = std::shared_ptr<const Row>;
    [[nodiscard]] Result<ApiKeyText> key_of(std::string_view authorization) const;
    // Whether that secret opens the row; null: a key that does not exist.
    [[nodiscard]] bool opens(const ApiKeyText& key, const Row* row) const;
    // The answer once the secret has opened it.
    [[nodiscard]] static Result<Principal> told(const Row& row);
    // `seen`: forgotten_ before the database was asked.
    [[nodiscard]] RowPtr cached(const std::string& key_id, std::uint64_t& seen);
    [[nodiscard]] Result<RowPtr> look_up(const std::string& key_id, std::uint64_t seen,
                                         pg::Pool& pool);
    void keep(const std::string& key_id, RowPtr row, std::uint64_t seen);

    const Pepper pepper_;
    const KeyRingOptions options_;
    mutable std::mutex mutex_;
    std::list<std::string> by_use_;  // the last used first
    struct Place {
        RowPtr row;
        std::list<std::string>::iterator use;
    };
    std::unordered_map<std::string, Place> rows_;
    std::uint64_t forgotten_ = 0;  // calls of forget()
};

}  // namespace jobforge::services
