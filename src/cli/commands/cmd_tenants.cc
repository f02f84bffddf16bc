// jobforge tenants list|create|delete|set|defaults|bind-login
#include <memory>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/commands/commands.h"
#include "cli/view/output.h"
#include "cli/view/rows_view.h"

namespace jobforge::cli {

namespace {

struct TenantOptions {
    std::string tenant;
    std::string name;
    std::string id;
    std::string login;
    std::optional<std::string> with_data;
    std::vector<std::string> settings;
};

int run_list(const Context& context) {
    auto admin = context.admin();
    if (!admin.ok()) {
        return context.fail(admin.error());
    }
    auto tenants = admin->tenants();
    if (!tenants.ok()) {
        return context.fail(tenants.error());
    }
    print(context.json ? rows_as_json(*tenants)
                       : rows_as_table(*tenants, {"tenant_id", "name", "status", "max_waiting_jobs",
                                                  "max_waiting_bytes", "concurrency_limit",
                                                  "min_priority", "created_at", "logins"}));
    return kOk;
}

int run_create(const Context& context, const TenantOptions& options) {
    std::optional<Uuid> id;
    if (!options.id.empty()) {
        auto parsed = Uuid::parse(options.id);
        if (!parsed.ok()) {
            return context.fail(parsed.error());
        }
        id = *parsed;
    }
    auto admin = context.admin();
    if (!admin.ok()) {
        return context.fail(admin.error());
    }
    auto created = admin->create_tenant(options.name, id);
    if (!created.ok()) {
        return context.fail(created.error());
    }
    const std::string text = created->to_string();
    print_line(context.json ? Json::object({{"tenant_id", text}, {"name", options.name}}).dump()
                            : text);
    return kOk;
}

int run_delete(const Context& context, const TenantOptions& options) {
    auto admin = context.admin();
    if (!admin.ok()) {
        return context.fail(admin.error());
    }
    auto id = find_tenant(*admin, options.tenant);
    if (!id.ok()) {
        return context.fail(id.error());
    }
    const auto deleted = admin->delete_tenant(*id, options.with_data);
    if (!deleted.ok()) {
        return context.fail(deleted.error());
    }
    const std::string text = id->to_string();
    print_line(context.json ? Json::object({{"tenant_id", text}, {"deleted", *deleted}}).dump()
                            : fmt::format("tenant {} is deleted{}{}", text,
                                          deleted->empty() ? "" : " with its data: ", *deleted));
    return kOk;
}

int run_set(const Context& context, const TenantOptions& options) {
    auto changes = settings_argument(options.settings);
    if (!changes.ok()) {
        return context.fail(changes.error());
    }
    auto admin = context.admin();
    if (!admin.ok()) {
        return context.fail(admin.error());
    }
    auto id = find_tenant(*admin, options.tenant);
    if (!id.ok()) {
        return context.fail(id.error());
    }
    auto row = admin->set_tenant(*id, *changes);
    if (!row.ok()) {
        return context.fail(row.error());
    }
    print(context.json ? row->dump() + "\n" : row_as_text(*row));
    return kOk;
}

int run_defaults(const Context& context, const TenantOptions& options) {
    auto changes = options.settings.empty() ? Result<Json>(Json::object())
                                            : settings_argument(options.settings);
    if (!changes.ok()) {
        return context.fail(changes.error());
    }
    auto admin = context.admin();
    if (!admin.ok()) {
        return context.fail(admin.error());
    }
    auto row = admin->set_tenant_defaults(*changes);
    if (!row.ok()) {
        return context.fail(row.error());
    }
    print(context.json ? row->dump() + "\n" : row_as_text(*row));
    return kOk;
}

int run_bind(const Context& context, const TenantOptions& options) {
    auto admin = context.admin();
    if (!admin.ok()) {
        return context.fail(admin.error());
    }
    auto id = find_tenant(*admin, options.tenant);
    if (!id.ok()) {
        return context.fail(id.error());
    }
    auto bound = admin->bind_login(*id, options.login);
    if (!bound.ok()) {
        return context.fail(bound.error());
    }
    print_line(context.json
                   ? Json::object({{"tenant_id", id->to_string()}, {"login", options.login}}).dump()
                   : fmt::format("login {} acts for tenant {}", options.login, id->to_string()));
    return kOk;
}

}  // namespace

void add_tenants(Command program, Context& context) {
    Command tenants = program.group("tenants", "Who uses this installation");
    auto options = std::make_shared<TenantOptions>();

    Command list = tenants.subcommand("list", "All tenants");
    list.runs([&context] { return run_list(context); });

    Command create = tenants.subcommand("create", "Make a tenant and print its id");
    create.option("NAME", options->name, "1 to 200 characters").required();
    create.option("--id", options->id, "Its uuid; default: a random one");
    create.runs([&context, options] { return run_create(context, *options); });

    Command remove = tenants.subcommand(
        "delete", "Delete a tenant that has no audit events, passports or other kept records");
    remove.option("TENANT", options->tenant, "Id or name").required();
    remove.option("--with-data", options->with_data,
                  "Its name once more: jobs and other data are deleted too (it must be SUSPENDED)");
    remove.runs([&context, options] { return run_delete(context, *options); });

    Command set = tenants.subcommand("set", "Change name, status, quota or limits");
    set.option("TENANT", options->tenant, "Id or name").required();
    set.option("KEY=VALUE", options->settings,
               "name, status, max_waiting_jobs, max_waiting_bytes, concurrency_limit, "
               "min_priority, max_leased_jobs; null: none")
        .required();
    set.runs([&context, options] { return run_set(context, *options); });

    Command defaults = tenants.subcommand("defaults", "The quotas that new tenants get");
    defaults.option("KEY=VALUE", options->settings,
                    "max_waiting_jobs, max_waiting_bytes; null: none; nothing: only shows them");
    defaults.runs([&context, options] { return run_defaults(context, *options); });

    Command bind = tenants.subcommand("bind-login", "Let a database login act for a tenant");
    bind.option("TENANT", options->tenant, "Id or name").required();
    bind.option("LOGIN", options->login, "An existing role; it is granted jobforge_tenant")
        .required();
    bind.runs([&context, options] { return run_bind(context, *options); });
}

}  // namespace jobforge::cli
