// What every command has in hand: configuration, the chosen database and tenant, and the way errors
// are told.
//
// Exit codes (docs/cli.md): 0 ok, 1 failed, 2 bad configuration or usage, 3 database unreachable,
// 4 program and database do not fit, 5 handlers are left, 6 an audit trail is not anchored.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include <jobforge/client.h>
#include <jobforge/error.h>
#include <jobforge/log.h>

#include "base/text/redact.h"
#include "cli/config.h"
#include "cli/serve/services.h"
#include "engine/database/admin.h"
#include "engine/database/tenant_calls.h"

namespace jobforge::cli {

enum ExitCode : int {
    kOk = 0,
    kFailed = 1,
    kBadUsage = 2,
    kUnreachable = 3,
    kVersionMismatch = 4,
    kHandlersLeft = 5,  // a worker stopped while handlers ignored the request to stop
    kNotAnchored = 6,   // an audit trail is consistent, and no trusted key signed for it
};
[[nodiscard]] int exit_code_of(const Error& error) noexcept;

struct Context {
    explicit Context(const Services& given) : services(given) {}

    const Services& services;
    Config config;
    bool json = false;
    std::string tenant;    // --tenant; empty: JOBFORGE_TENANT, or the only one
    std::string data_dir;  // --data; empty: JOBFORGE_DATA

    // Reads the environment and lets the flags override it. CONFIG_MISSING.
    [[nodiscard]] Status configure(const Environment& environment);

    // DATABASE_URL, else BPC_DB_*, else the private cluster that runs in the data directory.
    [[nodiscard]] Result<std::string> database_url() const;
    // The tenant to act for; nullopt: the login's own. CONFIG_MISSING if it cannot be told.
    [[nodiscard]] Result<std::optional<Uuid>> tenant_id(const std::string& url) const;
    [[nodiscard]] Result<Client> client(
        std::function<void(std::span<const Uuid>)> after_enqueue = {}) const;
    // For use cases that are not jobs: documents, snapshots, passports ...
    [[nodiscard]] Result<engine::TenantCalls> calls() const;
    [[nodiscard]] Result<engine::Admin> admin() const;
    [[nodiscard]] Logger logger() const;
    // JSON lines whatever the level and the terminal: they are for programs, and asked for.
    [[nodiscard]] Logger access_logger() const;

    // "jobforge: CODE: message" and the hint, on standard error, without secrets. Returns the exit
    // code.
    [[nodiscard]] int fail(const Error& error) const;
};

// A tenant by id, or by its name among the administrator's list. NOT_FOUND, VALIDATION_ERROR (two
// of that name).
[[nodiscard]] Result<Uuid> find_tenant(engine::Admin& admin, const std::string& id_or_name);

}  // namespace jobforge::cli
