// jobforge keys create|list|rotate|revoke
#include <cstdio>

#include <fmt/format.h>

#include "base/text/duration_text.h"
#include "cli/arguments.h"
#include "cli/commands/commands.h"
#include "cli/commands/platform_key_commands.h"
#include "cli/commands/use_case.h"
#include "cli/offline/key_argument.h"
#include "cli/serve/access_service.h"
#include "cli/usage.h"
#include "cli/view/output.h"
#include "cli/view/rows_view.h"
#include "services/access/access_admin.h"
#include "services/access/pepper_check.h"

namespace jobforge::cli {

namespace {

struct KeyOptions {
    std::string name;
    std::vector<std::string> roles;
    std::string expires;
    std::string id;
    std::string overlap = "24h";
    std::string reason;
    std::optional<std::string> status;
    bool platform = false;
    bool new_pepper = false;
    PageOptions page;
};

Result<services::Pepper> pepper_of(const Context& context) {
    const auto pepper = api_key_pepper(context.config);
    if (!pepper.ok()) {
        return pepper.error();
    }
    if (!pepper->made_for_foreign_database.empty()) {
        std::fputs(fmt::format("jobforge: warning: a pepper was made in {}. {}\n",
                               pepper->made_for_foreign_database, kForeignPepper)
                       .c_str(),
                   stderr);
    }
    return services::Pepper::from_base64(pepper->base64);
}

services::RunStatement runner(engine::TenantCalls& calls) {
    return [&calls](const pg::Statement& statement, pg::Params params) {
        return calls.run_one(statement, std::move(params), engine::Repeat::always);
    };
}

services::PepperChange change_of(const KeyOptions& options) {
    return options.new_pepper ? services::PepperChange::meant : services::PepperChange::refused;
}

// The key first, alone on its line: the one thing that is never shown again.
void show_created(const Context& context, const services::CreatedApiKey& made) {
    Json row = Json::object({{"key", made.text}});
    for (const char* member : {"key_id", "name", "roles", "expires_at"}) {
        if (const Json* value = made.row.find(member)) {
            row.set(member, *value);
        }
    }
    print(context.json ? row.dump() + "\n" : row_as_text(row));
}

Status require_pepper(engine::TenantCalls& calls, const services::Pepper& pepper,
                      const KeyOptions& options) {
    return options.new_pepper ? ok_status() : services::require_same_pepper(runner(calls), pepper);
}

// By the database's clock, which is also the one that ends the key.
Result<std::optional<pg::Timestamp>> expiry_of(const Context& context, const std::string& text) {
    const auto when = from_now_argument("--expires", text);
    if (!when.ok()) {
        return when.error();
    }
    if (!when->at && !when->from_now) {
        return std::optional<pg::Timestamp>();
    }
    auto client = context.client();
    if (!client.ok()) {
        return std::move(client).error();
    }
    const auto time = resolve(*when, *client);
    if (!time.ok()) {
        return time.error();
    }
    return std::optional(pg::Timestamp{(*time)->time_since_epoch().count()});
}

int run_create(const Context& context, const KeyOptions& options) {
    if (options.platform != options.roles.empty()) {
        Error error = Error::of(ErrorCode::VALIDATION_ERROR,
                                "a key has roles in its tenant, or --platform and no tenant");
        error.hint = "Such as: jobforge keys create NAME --role Operator.";
        (void)context.fail(error);
        return kBadUsage;
    }
    const auto pepper = pepper_of(context);
    if (!pepper.ok()) {
        return context.fail(pepper.error());
    }
    if (options.platform) {
        const auto when = from_now_argument("--expires", options.expires);
        return when.ok()
                   ? create_platform_key(context, *pepper, change_of(options), options.name, *when)
                   : context.fail(when.error());
    }
    const auto expires = expiry_of(context, options.expires);
    if (!expires.ok()) {
        return context.fail(expires.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) -> Status {
        if (auto fits = require_pepper(calls, *pepper, options); !fits.ok()) {
            return fits;
        }
        const auto made = services::create_api_key(calls, *pepper, context.config.environment,
                                                   {.name = options.name,
                                                    .roles = options.roles,
                                                    .expires_at = *expires,
                                                    .actor_id = kActor});
        if (!made.ok()) {
            return made.error();
        }
        show_created(context, *made);
        remark(context, "The key is shown this once: it is stored nowhere.");
        return services::note_pepper(runner(calls), *pepper, change_of(options));
    });
}

int run_rotate(const Context& context, const KeyOptions& options) {
    const auto id = key_argument(options.id);
    const auto overlap = parse_duration_ms(options.overlap);
    if (!id.ok() || !overlap.ok()) {
        return context.fail(id.ok() ? usage_error("--overlap: " + overlap.error().message)
                                    : id.error());
    }
    const auto pepper = pepper_of(context);
    if (!pepper.ok()) {
        return context.fail(pepper.error());
    }
    const auto span = std::chrono::ceil<std::chrono::seconds>(std::chrono::milliseconds(*overlap));
    return with_calls(context, [&](engine::TenantCalls& calls) -> Status {
        if (auto fits = require_pepper(calls, *pepper, options); !fits.ok()) {
            return fits;
        }
        const auto made =
            services::rotate_api_key(calls, *pepper, context.config.environment, *id, span, kActor);
        if (!made.ok()) {
            return made.error();
        }
        show_created(context, *made);
        remark(context, span.count() == 0
                            ? std::string("The new key is shown this once. The old one is revoked.")
                            : fmt::format("The new key is shown this once. The old one works for "
                                          "another {}.",
                                          options.overlap));
        return services::note_pepper(runner(calls), *pepper, change_of(options));
    });
}

int run_revoke(const Context& context, const KeyOptions& options) {
    const auto id = key_argument(options.id);
    if (!id.ok()) {
        return context.fail(id.error());
    }
    const auto whole = services::ApiKeyText::parse(options.id);
    if (options.platform || (whole.ok() && whole->kind == services::KeyKind::platform)) {
        return revoke_platform_key(context, *id, options.reason);
    }
    return with_calls(context, [&](engine::TenantCalls& calls) -> Status {
        const auto row = services::revoke_api_key(calls, *id, options.reason, kActor);
        if (!row.ok()) {
            return row.error();
        }
        print_line(context.json ? row->dump() : fmt::format("{} REVOKED", *id));
        return ok_status();
    });
}

int run_list(const Context& context, const KeyOptions& options) {
    if (options.platform) {
        return list_platform_keys(context);
    }
    services::KeyFilter filter;
    filter.limit = options.page.limit;
    filter.status = options.status;
    if (!options.page.before.empty()) {
        const auto before = key_argument(options.page.before);
        if (!before.ok()) {
            return context.fail(before.error());
        }
        filter.before = *before;
    }
    return with_calls(context, [&](engine::TenantCalls& calls) {
        return show_rows(context, services::list_api_keys(calls, filter),
                         {"key_id", "name", "roles", "status", "expires_at", "last_used_at",
                          "rotated_to", "created_at"});
    });
}

void add_new_pepper(Command command, KeyOptions& options) {
    command.flag("--new-pepper", options.new_pepper,
                 "Make it although the pepper is another one than that of the keys before: nodes "
                 "with this pepper refuse those");
}

std::shared_ptr<KeyOptions> fresh() {
    return std::make_shared<KeyOptions>();
}

}  // namespace

void add_keys(Command program, Context& context) {
    Command keys = program.group("keys", "API keys: who may use the HTTP API");

    auto created = fresh();
    Command create =
        add_verb(keys, context, created, "create", "A key; prints it, this once", &run_create);
    create.option("NAME", created->name, "For people: who uses it").required();
    create
        .option("--role", created->roles,
                "Admin, ComplianceOfficer, Auditor or Operator; repeatable")
        .one_at_a_time();
    create.flag("--platform", created->platform,
                "It administers all tenants, over the HTTP API, and has no tenant of its own");
    add_new_pepper(create, *created);
    create.option("--expires", created->expires, "When it ends: a time, or a span from now (90d)");

    auto listed = fresh();
    Command list = add_verb(keys, context, listed, "list", "Keys, newest first", &run_list);
    list.option("--status", listed->status, "ACTIVE or REVOKED");
    list.flag("--platform", listed->platform, "Platform keys instead of the tenant's, all of them");
    add_page_options(list, listed->page);

    auto rotated = fresh();
    Command rotate = add_verb(keys, context, rotated, "rotate",
                              "A new key in place of another; prints it, this once", &run_rotate);
    rotate.option("KEY", rotated->id, "Key id").required();
    rotate.option("--overlap", rotated->overlap, "How long the old key still works; 0s: not at all")
        .shows_default();
    add_new_pepper(rotate, *rotated);

    auto revoked = fresh();
    Command revoke =
        add_verb(keys, context, revoked, "revoke", "End a key, at once and for good", &run_revoke);
    revoke.option("KEY", revoked->id, "Key id, or the whole key").required();
    revoke.option("--reason", revoked->reason, "For the audit log");
    revoke.flag("--platform", revoked->platform, "The id is that of a platform key");
}

}  // namespace jobforge::cli
