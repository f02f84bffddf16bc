#include "services/access/key_ring.h"

#include "services/secrets/secret_file.h"
#include "statements/access.h"

namespace jobforge::services {

namespace {

// Has the form of an id. No key has it, but for a chance of one in 2^80.
constexpr std::string_view kNobodysId = "aaaaaaaaaaaaaaaa";

// The same for an unknown id and a wrong secret.
Error unknown_key() {
    Error error = Error::of(ErrorCode::UNAUTHORIZED, "this API key is not known");
    error.hint = "Look at the whole key, or ask for a new one.";
    return error;
}

}  // namespace

struct KeyRing::Row {
    Principal principal;
    std::string secret_mac;
    bool revoked = false;
    bool expired = false;
};

KeyRing::KeyRing(Pepper pepper, KeyRingOptions options)
    : pepper_(std::move(pepper)), options_(std::move(options)) {}
KeyRing::~KeyRing() = default;

Result<ApiKeyText> KeyRing::key_of(std::string_view authorization) const {
    auto key = ApiKeyText::from_authorization(authorization);
    if (key.ok() && key->environment != options_.environment) {
        return Error::of(ErrorCode::UNAUTHORIZED, "this API key belongs to another environment");
    }
    if (key.ok() && key->kind != KeyKind::tenant) {
        return unknown_key();
    }
    return key;
}

Result<Principal> KeyRing::find(std::string_view authorization, pg::Pool& pool) {
    const auto key = key_of(authorization);
    if (!key.ok()) {
        return key.error();
    }
    std::uint64_t seen = 0;
    const RowPtr row = cached(key->key_id, seen);
    if (row != nullptr && opens(*key, row.get())) {
        return told(*row);
    }
    // An id that does not exist costs a look into the database. A wrong secret of a key that is
    // cached must cost the same, or its time would tell that the id exists.
    const auto found = look_up(row != nullptr ? std::string(kNobodysId) : key->key_id, seen, pool);
    if (!found.ok()) {
        return found.error();
    }
    if (row != nullptr || !opens(*key, found->get())) {
        return unknown_key();
    }
    return told(**found);
}

std::optional<Principal> KeyRing::find_cached(std::string_view authorization) {
    const auto key = key_of(authorization);
    if (!key.ok()) {
        return std::nullopt;
    }
    std::uint64_t seen = 0;
    const RowPtr row = cached(key->key_id, seen);
    if (!opens(*key, row.get())) {
        return std::nullopt;
    }
    auto principal = told(*row);
    return principal.ok() ? std::optional(*std::move(principal)) : std::nullopt;
}

// An unknown id is compared too: the time is that of a wrong secret.
bool KeyRing::opens(const ApiKeyText& key, const Row* row) const {
    return pepper_.matches(
        key, row != nullptr ? std::optional<std::string_view>(row->secret_mac) : std::nullopt);
}

Result<Principal> KeyRing::told(const Row& row) {
    if (row.revoked) {
        return Error::of(ErrorCode::API_KEY_REVOKED, "this API key was revoked");
    }
    if (row.expired) {
        return Error::of(ErrorCode::UNAUTHORIZED, "this API key has expired");
    }
    return row.principal;
}

Result<KeyRing::RowPtr> KeyRing::look_up(const std::string& key_id, std::uint64_t seen,
                                         pg::Pool& pool) {
    pg::Params params;
    params.text(key_id);
    // A pooled connection may have died unnoticed: a read is sent again, once.
    for (bool again : {true, false}) {
        auto connection = pool.acquire();
        if (!connection.ok()) {
            return std::move(connection).error();
        }
        const auto rows = (*connection)->exec(statements::access::kFindApiKey, params);
        if (!rows.ok()) {
            if (again && rows.error().connection_lost) {
                continue;
            }
            return rows.error();
        }
        if (rows->empty()) {
            return RowPtr();  // not kept: ids that do not exist would push out those in use
        }
        auto policies = Policies::from_json(rows->json(0, 7));
        if (!policies.ok()) {
            return std::move(policies).error();
        }
        auto row = std::make_shared<Row>();
        row->principal = {.tenant_id = rows->uuid(0, 0),
                          .key_id = key_id,
                          .roles = Roles::of(rows->text_array(0, 2)),
                          .version = rows->integer(0, 5),
                          .access_version = rows->integer(0, 6),
                          .policies = std::make_shared<const Policies>(*std::move(policies))};
        row->secret_mac = rows->text(0, 1);
        row->revoked = rows->text(0, 3) == "REVOKED";
        row->expired = rows->boolean(0, 4);
        keep(key_id, row, seen);
        return RowPtr(std::move(row));
    }
    return Error::of(ErrorCode::DB_UNAVAILABLE, "the database connection was lost");
}

KeyRing::RowPtr KeyRing::cached(const std::string& key_id, std::uint64_t& seen) {
    const std::lock_guard lock(mutex_);
    seen = forgotten_;
    const auto found = rows_.find(key_id);
    if (found == rows_.end()) {
        return nullptr;
    }
    by_use_.splice(by_use_.begin(), by_use_, found->second.use);
    return found->second.row;
}

void KeyRing::keep(const std::string& key_id, RowPtr row, std::uint64_t seen) {
    const std::lock_guard lock(mutex_);
    if (seen != forgotten_) {
        return;  // asked before the answer was found out of date
    }
    if (const auto found = rows_.find(key_id); found != rows_.end()) {
        found->second.row = std::move(row);
        return;
    }
    by_use_.push_front(key_id);
    rows_.emplace(key_id, Place{std::move(row), by_use_.begin()});
    if (rows_.size() > options_.capacity) {
        rows_.erase(by_use_.back());
        by_use_.pop_back();
    }
}

void KeyRing::forget(std::string_view key_id) {
    const std::lock_guard lock(mutex_);
    ++forgotten_;
    if (const auto found = rows_.find(std::string(key_id)); found != rows_.end()) {
        by_use_.erase(found->second.use);
        rows_.erase(found);
    }
}

bool KeyRing::has(const std::string& key_id) const {
    const std::lock_guard lock(mutex_);
    return rows_.contains(key_id);
}

std::size_t KeyRing::size() const {
    const std::lock_guard lock(mutex_);
    return rows_.size();
}

}  // namespace jobforge::services
