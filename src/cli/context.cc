#include "cli/context.h"

#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

#include "base/text/visible_text.h"
#include "cli/usage.h"
#include "engine/schema/schema_check.h"
#include "localpg/cluster.h"

namespace jobforge::cli {

namespace {

std::string member(const Json& row, std::string_view key) {
    const Json* value = row.find(key);
    const std::string* text = value == nullptr ? nullptr : value->as_string();
    return text == nullptr ? std::string() : *text;
}

Result<std::optional<Uuid>> only_tenant(const std::vector<Json>& tenants) {
    if (tenants.size() == 1) {
        auto id = Uuid::parse(member(tenants.front(), "tenant_id"));
        if (!id.ok()) {
            return std::move(id).error();
        }
        return std::optional(*id);
    }
    Error error = Error::of(ErrorCode::CONFIG_MISSING,
                            tenants.empty() ? std::string("there is no tenant yet")
                                            : fmt::format("there are {} tenants", tenants.size()));
    error.hint = tenants.empty() ? "Create one: jobforge tenants create NAME"
                                 : "Say which: --tenant ID or NAME, or JOBFORGE_TENANT.";
    return error;
}

}  // namespace

int exit_code_of(const Error& error) noexcept {
    if (engine::is_version_mismatch(error)) {
        return kVersionMismatch;
    }
    if (is_usage_error(error)) {
        return kBadUsage;
    }
    switch (error.code) {
        case ErrorCode::CONFIG_MISSING:
            return kBadUsage;
        case ErrorCode::DB_UNAVAILABLE:
        case ErrorCode::UNAUTHORIZED:
            return kUnreachable;
        case ErrorCode::NOT_FOUND:
            return error.sqlstate == "3D000" ? kUnreachable : kFailed;
        default:
            return kFailed;
    }
}

Status Context::configure(const Environment& environment) {
    auto read = read_config(environment);
    if (!read.ok()) {
        return std::move(read).error();
    }
    config = *std::move(read);
    config.named_secrets = process_secrets();
    if (!tenant.empty()) {
        config.tenant = tenant;
    }
    if (!data_dir.empty()) {
        config.data_dir = data_dir;
    }
    return ok_status();
}

Result<std::string> Context::database_url() const {
    if (!config.database_url.empty()) {
        return config.database_url;
    }
    auto url = pg::PrivateCluster::running_url(config.data_dir);
    if (url.ok()) {
        return url;
    }
    Error error = Error::of(ErrorCode::CONFIG_MISSING,
                            fmt::format("there is no database: DATABASE_URL is not set, and no "
                                        "private Postgres runs in {}",
                                        config.data_dir));
    error.hint = "Start one with: jobforge up. Or set DATABASE_URL.";
    return error;
}

Result<std::optional<Uuid>> Context::tenant_id(const std::string& url) const {
    if (auto id = Uuid::parse(config.tenant); id.ok()) {
        return std::optional(*id);
    }
    auto connected = engine::Admin::connect(url);
    if (!connected.ok()) {
        return std::move(connected).error();
    }
    if (!config.tenant.empty()) {
        auto id = find_tenant(*connected, config.tenant);
        if (!id.ok()) {
            return std::move(id).error();
        }
        return std::optional(*id);
    }
    auto tenants = connected->tenants();
    if (!tenants.ok()) {
        // Not an administrator: the login's own tenant, if it is bound to one.
        if (tenants.error().code == ErrorCode::FORBIDDEN) {
            return std::optional<Uuid>();
        }
        return std::move(tenants).error();
    }
    return only_tenant(*tenants);
}

Result<Client> Context::client(std::function<void(std::span<const Uuid>)> after_enqueue) const {
    auto url = database_url();
    if (!url.ok()) {
        return std::move(url).error();
    }
    auto id = tenant_id(*url);
    if (!id.ok()) {
        return std::move(id).error();
    }
    ClientOptions options;
    options.database_url = *std::move(url);
    options.tenant_id = *id;
    options.pool_size = 2;
    options.created_by = "jobforge cli";
    options.after_enqueue = std::move(after_enqueue);
    return Client::connect(std::move(options));
}

Result<engine::TenantCalls> Context::calls() const {
    auto url = database_url();
    if (!url.ok()) {
        return std::move(url).error();
    }
    auto id = tenant_id(*url);
    if (!id.ok()) {
        return std::move(id).error();
    }
    engine::TenantCallsOptions options;
    options.database_url = *std::move(url);
    options.tenant_id = *id;
    options.pool_size = 2;
    options.application_name = "jobforge cli";
    return engine::TenantCalls::connect(std::move(options));
}

Result<engine::Admin> Context::admin() const {
    auto url = database_url();
    if (!url.ok()) {
        return std::move(url).error();
    }
    return engine::Admin::connect(*url);
}

Logger Context::logger() const {
    LogOptions options;
    options.level = config.log_level;
    options.json = config.log_json.value_or(::isatty(STDERR_FILENO) == 0);
    options.secrets = config.secrets();
    return Logger(make_line_sink(std::move(options)));
}

Logger Context::access_logger() const {
    LogOptions options;
    options.secrets = config.secrets();
    return Logger(make_line_sink(std::move(options)));
}

int Context::fail(const Error& error) const {
    const Redactor redactor(config.secrets());
    std::string text = fmt::format("jobforge: {}: {}\n", to_string(error.code), error.message);
    if (!error.hint.empty()) {
        text += fmt::format("  {}\n", error.hint);
    }
    text = visible_lines(redactor.apply(text));
    std::fwrite(text.data(), 1, text.size(), stderr);
    return exit_code_of(error);
}

Result<Uuid> find_tenant(engine::Admin& admin, const std::string& id_or_name) {
    if (auto id = Uuid::parse(id_or_name); id.ok()) {
        return id;
    }
    auto tenants = admin.tenants();
    if (!tenants.ok()) {
        Error error = std::move(tenants).error();
        if (error.code == ErrorCode::FORBIDDEN) {
            error.message = "only an administrator can look a tenant up by its name";
            error.hint = "Give the tenant's id.";
        }
        return error;
    }
    std::vector<Uuid> found;
    for (const Json& row : *tenants) {
        if (member(row, "name") == id_or_name) {
            auto id = Uuid::parse(member(row, "tenant_id"));
            if (id.ok()) {
                found.push_back(*id);
            }
        }
    }
    if (found.size() == 1) {
        return found.front();
    }
    if (found.empty()) {
        Error error =
            Error::of(ErrorCode::NOT_FOUND, fmt::format("there is no tenant \"{}\"", id_or_name));
        error.hint = "See: jobforge tenants list";
        return error;
    }
    return Error::of(
        ErrorCode::VALIDATION_ERROR,
        fmt::format("{} tenants are called \"{}\": give the id", found.size(), id_or_name));
}

}  // namespace jobforge::cli
