// jobforge passports create|revoke|versions|list|keys; the other verbs have files of
// their own
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/passports_commands.h"
#include "cli/commands/use_case.h"
#include "cli/view/output.h"
#include "services/passport/passports.h"

namespace jobforge::cli {

namespace {

struct PassportsOptions {
    std::string product;
    std::string passport;
    std::string version;
    std::string id;
    std::string reason;
    std::optional<std::string> status;
    PageOptions page;
};

constexpr int kProductsAPage = 1000;

// A product by its id or its sku. NOT_FOUND.
Result<Uuid> find_product(engine::TenantCalls& calls, const std::string& id_or_sku) {
    if (auto id = Uuid::parse(id_or_sku); id.ok()) {
        return id;
    }
    services::Page page{.limit = kProductsAPage, .before = {}};
    for (;;) {
        auto rows = services::list_products(calls, page);
        if (!rows.ok()) {
            return std::move(rows).error();
        }
        for (const Json& row : *rows) {
            if (text_member(row, "sku") == id_or_sku) {
                return Uuid::parse(text_member(row, "battery_product_id"));
            }
        }
        if (rows->size() < kProductsAPage) {
            break;
        }
        auto last = Uuid::parse(text_member(rows->back(), "battery_product_id"));
        if (!last.ok()) {
            return last;
        }
        page.before = *last;
    }
    Error error = Error::of(ErrorCode::NOT_FOUND,
                            fmt::format("there is no product with the sku \"{}\"", id_or_sku));
    error.hint = "Make it with: jobforge products create --sku SKU --name NAME";
    return error;
}

Status create(const Context& context, engine::TenantCalls& calls, const std::string& product,
              const std::optional<Uuid>& id) {
    const auto found = find_product(calls, product);
    if (!found.ok()) {
        return found.error();
    }
    auto made = services::create_passport(
        calls, {.battery_product_id = *found, .passport_id = id, .actor_id = kActor});
    if (!made.ok()) {
        return std::move(made).error();
    }
    print_id(context, "passport_id", *made,
             Json::object({{"battery_product_id", found->to_string()}}));
    return ok_status();
}

int run_create(const Context& context, const PassportsOptions& options) {
    const auto id = optional_id_argument(kPassportId, options.id);
    if (!id.ok()) {
        return context.fail(id.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) {
        return create(context, calls, options.product, *id);
    });
}

int run_revoke(const Context& context, const PassportsOptions& options) {
    return with_id(
        context, kVersionId, options.version,
        [&](engine::TenantCalls& calls, const Uuid& id) -> Status {
            if (auto done = services::revoke_passport_version(calls, id, options.reason, kActor);
                !done.ok()) {
                return done;
            }
            print_line(context.json ? Json::object({{"passport_version_id", id.to_string()},
                                                    {"status", "REVOKED"}})
                                          .dump()
                                    : fmt::format("{} REVOKED", id.to_string()));
            return ok_status();
        });
}

int run_versions(const Context& context, const PassportsOptions& options) {
    const auto passport = optional_id_argument(kPassportId, options.passport);
    const auto before = optional_id_argument(kVersionId, options.page.before);
    if (!passport.ok() || !before.ok()) {
        return context.fail(passport.ok() ? before.error() : passport.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) {
        services::VersionFilter filter;
        filter.limit = options.page.limit;
        filter.before = *before;
        filter.passport_id = *passport;
        filter.status = options.status;
        return show_rows(context, services::list_passport_versions(calls, filter),
                         {"passport_version_id", "sku", "version_number", "status", "issued_at",
                          "signing_key_id", "qr_png_bytes", "passport_id"});
    });
}

int run_list(const Context& context, const PassportsOptions& options) {
    const auto before = optional_id_argument(kPassportId, options.page.before);
    if (!before.ok()) {
        return context.fail(before.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) {
        return show_rows(
            context,
            services::list_passports(calls, {.limit = options.page.limit, .before = *before}),
            {"passport_id", "sku", "name", "version_count", "active_passport_version_id",
             "created_at"});
    });
}

int run_keys(const Context& context, const PassportsOptions& /*options*/) {
    return with_calls(context, [&context](engine::TenantCalls& calls) {
        return show_rows(context, services::list_signing_keys(calls),
                         {"key_id", "public_key", "created_at", "retired_at"});
    });
}

std::shared_ptr<PassportsOptions> fresh() {
    return std::make_shared<PassportsOptions>();
}

void add_lists(Command passports, Context& context) {
    auto versions = fresh();
    Command of_passport =
        add_verb(passports, context, versions, "versions",
                 "Versions of one passport, or of all, newest first", &run_versions);
    of_passport.option("PASSPORT", versions->passport, "Passport id");
    of_passport.option("--status", versions->status,
                       "COMPILING, SIGNED, ACTIVE, SUPERSEDED or REVOKED");
    add_page_options(of_passport, versions->page);

    auto listed = fresh();
    Command list =
        add_verb(passports, context, listed, "list", "Passports, newest first", &run_list);
    add_page_options(list, listed->page);
    add_verb(passports, context, fresh(), "keys", "The public keys that signed them", &run_keys);
}

}  // namespace

void add_passports(Command program, Context& context) {
    Command passports =
        program.group("passports", "Stored passports: compile, activate, revoke, replay");

    auto created = fresh();
    Command create = add_verb(passports, context, created, "create",
                              "A passport of a product, without versions yet", &run_create);
    create.option("--product", created->product, "The product's id or sku").required();
    create.option("--id", created->id, "An id of your own: then repeating is harmless");

    add_passports_compile(passports, context);
    add_passports_findings(passports, context);
    auto revoked = fresh();
    Command revoke =
        add_verb(passports, context, revoked, "revoke", "To REVOKED, for ever", &run_revoke);
    revoke.option("VERSION", revoked->version, "Passport version id").required();
    revoke.option("--reason", revoked->reason, "Why; kept with it").required();
    add_lists(passports, context);
    add_passports_artifacts(passports, context);
}

}  // namespace jobforge::cli
