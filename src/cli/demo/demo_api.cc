#include "cli/demo/demo_api.h"

#include <fmt/format.h>

#include "cli/serve/access_service.h"
#include "cli/view/output.h"
#include "cli/view/rows_view.h"
#include "services/access/access_admin.h"
#include "services/access/pepper_check.h"
#include "services/passport/passports.h"

namespace jobforge::cli {

namespace {

// Where the passport that was just made is shown to anybody.
Status show_public_page(engine::TenantCalls& calls, const std::string& api_url) {
    services::VersionFilter filter;
    filter.status = "ACTIVE";
    filter.limit = 1;
    const auto versions = services::list_passport_versions(calls, filter);
    if (!versions.ok()) {
        return versions.error();
    }
    for (const Json& version : *versions) {
        print_line(
            fmt::format("  what a phone sees that scans the passport's code, no key: {}/p/{}",
                        api_url, cell_of(version, "passport_version_id")));
    }
    return ok_status();
}

}  // namespace

Status show_api(const Context& context, const std::string& database_url,
                const std::string& api_url) {
    auto tenant = context.tenant_id(database_url);
    auto pepper_text = api_key_pepper(context.config);
    if (!tenant.ok() || !pepper_text.ok()) {
        return tenant.ok() ? std::move(pepper_text).error() : std::move(tenant).error();
    }
    engine::TenantCallsOptions options;
    options.database_url = database_url;
    options.tenant_id = *tenant;
    options.pool_size = 1;
    auto calls = engine::TenantCalls::connect(std::move(options));
    auto pepper = services::Pepper::from_base64(pepper_text->base64);
    if (!calls.ok() || !pepper.ok()) {
        return calls.ok() ? std::move(pepper).error() : std::move(calls).error();
    }
    services::NewApiKey key;
    key.name = "demo";
    key.roles = {"Admin"};
    key.actor_id = "demo";
    const auto run = [&](const pg::Statement& statement, pg::Params params) {
        return calls->run_one(statement, std::move(params), engine::Repeat::always);
    };
    if (auto same = services::require_same_pepper(run, *pepper); !same.ok()) {
        return same;
    }
    const auto made = services::create_api_key(*calls, *pepper, context.config.environment, key);
    if (!made.ok()) {
        return made.error();
    }
    print_line(
        fmt::format("\nthe same over HTTP, with a key that is shown this once:\n"
                    "  curl -H 'Authorization: Bearer {}' '{}/v1/jobs?limit=3'\n"
                    "  all paths: {}/docs",
                    made->text, api_url, api_url));
    if (auto noted = services::note_pepper(run, *pepper); !noted.ok()) {
        return noted;
    }
    return show_public_page(*calls, api_url);
}

}  // namespace jobforge::cli
