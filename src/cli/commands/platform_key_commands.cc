#include "cli/commands/platform_key_commands.h"

#include <fmt/format.h>

#include "cli/commands/use_case.h"
#include "cli/view/output.h"
#include "cli/view/rows_view.h"
#include "services/access/platform_keys.h"

namespace jobforge::cli {

int create_platform_key(const Context& context, const services::Pepper& pepper,
                        services::PepperChange change, const std::string& name,
                        const When& expires) {
    services::NewPlatformKey key;
    key.name = name;
    key.expires_in = expires.from_now;
    if (expires.at) {
        key.expires_at = pg::Timestamp{expires.at->time_since_epoch().count()};
    }
    auto admin = context.admin();
    if (!admin.ok()) {
        return context.fail(admin.error());
    }
    const auto run = [&](const pg::Statement& statement, const pg::Params& params) {
        return admin->connection().exec(statement, params);
    };
    if (change == services::PepperChange::refused) {
        if (auto same = services::require_same_pepper(run, pepper); !same.ok()) {
            return context.fail(same.error());
        }
    }
    const auto made =
        services::create_platform_key(admin->connection(), pepper, context.config.environment, key);
    if (!made.ok()) {
        return context.fail(made.error());
    }
    Json row = Json::object({{"key", made->text}});
    for (const char* member : {"key_id", "name", "expires_at"}) {
        if (const Json* value = made->row.find(member)) {
            row.set(member, *value);
        }
    }
    print(context.json ? row.dump() + "\n" : row_as_text(row));
    remark(context,
           "The key is shown this once: it is stored nowhere. It administers every tenant.");
    const auto noted = services::note_pepper(run, pepper, change);
    return noted.ok() ? kOk : context.fail(noted.error());
}

int list_platform_keys(const Context& context) {
    auto admin = context.admin();
    if (!admin.ok()) {
        return context.fail(admin.error());
    }
    const auto rows = services::list_platform_keys(admin->connection());
    if (!rows.ok()) {
        return context.fail(rows.error());
    }
    print(context.json ? rows_as_json(*rows)
                       : rows_as_table(*rows, {"key_id", "name", "status", "expires_at",
                                               "last_used_at", "created_by", "created_at"}));
    return kOk;
}

int revoke_platform_key(const Context& context, const std::string& key_id,
                        const std::string& reason) {
    auto admin = context.admin();
    if (!admin.ok()) {
        return context.fail(admin.error());
    }
    const auto done = services::revoke_platform_key(admin->connection(), key_id, reason);
    if (!done.ok()) {
        return context.fail(done.error());
    }
    print_line(context.json ? Json::object({{"key_id", key_id}, {"status", "REVOKED"}}).dump()
                            : fmt::format("{} REVOKED", key_id));
    return kOk;
}

}  // namespace jobforge::cli
