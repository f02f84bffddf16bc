#include "pg/session_settings.h"

#include <memory>
#include <string_view>

#include <fmt/format.h>

namespace jobforge::pg {

namespace {

struct Timeout {
    std::string_view name;
    int since;  // server version
};
constexpr Timeout kTimeouts[] = {{"statement_timeout", 0},
                                 {"lock_timeout", 0},
                                 {"idle_session_timeout", 140000},
                                 {"idle_in_transaction_session_timeout", 0},
                                 {"transaction_timeout", 170000}};

// The `options` of the URL or of PGOPTIONS, e.g. "-c statement_timeout=5min".
std::string given_options(PGconn* native) {
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> all(PQconninfo(native),
                                                                           &PQconninfoFree);
    for (const PQconninfoOption* one = all.get(); one != nullptr && one->keyword != nullptr;
         ++one) {
        if (std::string_view(one->keyword) == "options" && one->val != nullptr) {
            return one->val;
        }
    }
    return {};
}

std::string setting(std::string_view name, std::string_view value) {
    return fmt::format("pg_catalog.set_config('{}', '{}', false), ", name, value);
}

}  // namespace

std::string session_settings(PGconn* native, const ConnectOptions& options) {
    const std::string given = given_options(native);
    std::string sql = "select " + setting("default_transaction_isolation", "read committed") +
                      setting("row_security", "on");
    for (const Timeout& timeout : kTimeouts) {
        if (timeout.name == "lock_timeout" && options.lock_timeout.count() > 0) {
            sql += fmt::format(
                "case when pg_catalog.current_setting('lock_timeout') = '0' "
                "then pg_catalog.set_config('lock_timeout', '{}', false) end, ",
                options.lock_timeout.count());
            continue;
        }
        const bool ours =
            timeout.name == "statement_timeout" && options.statement_timeout.count() > 0;
        const bool kept = !ours && given.find(timeout.name) != std::string::npos;
        if (!kept && PQserverVersion(native) >= timeout.since) {
            sql += setting(timeout.name,
                           ours ? std::to_string(options.statement_timeout.count()) : "0");
        }
    }
    if (options.client_timeout.count() > 0) {
        sql += setting("tcp_user_timeout", std::to_string(options.client_timeout.count()));
    }
    return sql + fmt::format(
                     "case when pg_catalog.current_setting('synchronous_commit') = 'off' "
                     "then pg_catalog.set_config('synchronous_commit', 'on', false) end "
                     "where pg_catalog.pg_backend_pid() = {}",
                     PQbackendPID(native));
}

}  // namespace jobforge::pg
