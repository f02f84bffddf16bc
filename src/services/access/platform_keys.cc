#include "services/access/platform_keys.h"

#include <fmt/format.h>

#include "base/text/bytes.h"
#include "engine/database/json_rows.h"
#include "statements/access.h"

namespace jobforge::services {

namespace {

Error with_hint(Error error) {
    if (error.sqlstate == "42501" && error.hint.empty()) {
        error.hint = "Platform keys need an administrator's login; docs/sql.md#roles makes one.";
    }
    return error;
}

Result<std::vector<Json>> read_rows(pg::Connection& connection, const pg::Statement& statement,
                                    const pg::Params& params) {
    auto rows = connection.exec(statement, params);
    return rows.ok() ? engine::parse_json_rows(*rows)
                     : Result<std::vector<Json>>(with_hint(std::move(rows).error()));
}

}  // namespace

Result<CreatedPlatformKey> create_platform_key(pg::Connection& connection, const Pepper& pepper,
                                               std::string_view environment,
                                               const NewPlatformKey& key) {
    const auto text = ApiKeyText::make(environment, KeyKind::platform);
    if (!text.ok()) {
        return text.error();
    }
    const Sha256 mac = pepper.mac(*text);
    pg::Params params;
    params.text(text->key_id).bytea(bytes_of(mac)).text(key.name).opt_timestamp(key.expires_at);
    constexpr unsigned kFloat8 = 701;  // its oid, the same in every Postgres
    if (key.expires_in) {
        params.real(std::chrono::duration<double>(*key.expires_in).count());
    } else {
        params.null(kFloat8);
    }
    if (auto made = connection.exec(statements::access::kCreatePlatformKey, params); !made.ok()) {
        return with_hint(std::move(made).error());
    }
    pg::Params id;
    id.text(text->key_id);
    auto rows = read_rows(connection, statements::access::kGetPlatformKey, id);
    if (!rows.ok() || rows->size() != 1) {
        return rows.ok() ? Error::of(ErrorCode::INTERNAL_ERROR, "the new key is not listed")
                         : std::move(rows).error();
    }
    return CreatedPlatformKey{text->text(), std::move(rows->front())};
}

Result<std::vector<Json>> list_platform_keys(pg::Connection& connection) {
    return read_rows(connection, statements::access::kListPlatformKeys, {});
}

Status revoke_platform_key(pg::Connection& connection, const std::string& key_id,
                           const std::string& reason) {
    pg::Params params;
    params.text(key_id).text(reason);
    auto done = connection.exec(statements::access::kRevokePlatformKey, params);
    return done.ok() ? ok_status() : Status(with_hint(std::move(done).error()));
}

}  // namespace jobforge::services
