#include "engine/database/tenant_calls.h"

#include <algorithm>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "base/backoff.h"
#include "engine/database/json_rows.h"
#include "engine/schema/schema_check.h"
#include "pg/pool.h"
#include "statements/session.h"

namespace jobforge::engine {

namespace {

using Clock = std::chrono::steady_clock;

pg::PoolOptions pool_options(const TenantCallsOptions& options) {
    pg::PoolOptions pool;
    pool.connect.url = options.database_url;
    pool.connect.application_name = options.application_name;
    pool.connect.prepare_statements = true;
    pool.connect.connect_timeout = std::clamp(options.timeout, std::chrono::milliseconds(1000),
                                              std::chrono::milliseconds(60000));
    pool.connect.longest_answer = options.longest_call;
    pool.connect.answer_timeout = std::min(pool.connect.answer_timeout, options.longest_call);
    pool.max_size = options.pool_size;
    pool.acquire_timeout = options.timeout;
    return pool;
}

Status check_options(const TenantCallsOptions& options) {
    if (options.database_url.empty()) {
        return Error::of(ErrorCode::CONFIG_MISSING,
                         "database_url is empty; it must be a libpq URL or keyword string");
    }
    if (options.pool_size < 1 || options.pool_size > 100) {
        return Error::of(ErrorCode::CONFIG_MISSING,
                         fmt::format("pool_size is {}; it must be 1 to 100", options.pool_size));
    }
    if (options.timeout < std::chrono::milliseconds(1) ||
        options.timeout > std::chrono::hours(24)) {
        return Error::of(
            ErrorCode::CONFIG_MISSING,
            fmt::format("timeout is {} ms; it must be 1 ms to 24 h", options.timeout.count()));
    }
    return ok_status();
}

// A login that can do nothing fails at once, with the reason, and not at the first call.
Status check_tenant(const TenantCallsOptions& options, const pg::Rows& rows) {
    const std::optional<Uuid> tenant = rows.opt_uuid(0, 0);
    if (!tenant) {
        Error error = Error::of(
            ErrorCode::CONFIG_MISSING,
            options.tenant_id ? "this login may not choose a tenant, and is bound to none"
                              : "this login is bound to no tenant, and no tenant_id was given");
        error.hint = "Bind the login to its tenant: jobforge tenants bind-login TENANT LOGIN.";
        return error;
    }
    if (options.tenant_id && *tenant != *options.tenant_id) {
        return Error::of(ErrorCode::FORBIDDEN, "this login is bound to another tenant");
    }
    return ok_status();
}

// Whether the same call may be sent again. A refusal (JFxxx, constraint, rights) never is.
bool may_repeat(const Error& error, Repeat repeat) {
    if (error.code != ErrorCode::DB_UNAVAILABLE || !error.retryable) {
        return false;
    }
    return !error.outcome_unknown || repeat == Repeat::always;
}

double random_part() {
    thread_local std::minstd_rand generator{std::random_device{}()};
    return std::uniform_real_distribution<double>(0.0, 1.0)(generator);
}

}  // namespace

struct TenantCalls::Source {
    std::optional<pg::Pool> pool;          // nullopt: `connection`
    pg::Connection* connection = nullptr;  // within()
    std::vector<TenantCall> first = {};
};

TenantCalls::TenantCalls(TenantCallsOptions options, std::unique_ptr<Source> source)
    : options_(std::move(options)), source_(std::move(source)) {}
TenantCalls::TenantCalls(TenantCalls&&) noexcept = default;
TenantCalls& TenantCalls::operator=(TenantCalls&&) noexcept = default;
TenantCalls::~TenantCalls() = default;

TenantCalls TenantCalls::within(pg::Connection& connection, std::vector<TenantCall> first) {
    auto source = std::make_unique<Source>();
    source->connection = &connection;
    source->first = std::move(first);
    return {TenantCallsOptions{}, std::move(source)};
}

Result<TenantCalls> TenantCalls::connect(TenantCallsOptions options) {
    if (auto checked = check_options(options); !checked.ok()) {
        return std::move(checked).error();
    }
    auto source = std::make_unique<Source>();
    source->pool.emplace(pool_options(options));
    TenantCalls calls(std::move(options), std::move(source));
    if (auto checked = calls.check_login(); !checked.ok()) {
        return std::move(checked).error();
    }
    return calls;
}

Status TenantCalls::check_login() {
    {
        auto connection = source_->pool->acquire();
        if (!connection.ok()) {
            return std::move(connection).error();
        }
        if (auto fits = require_schema(**connection); !fits.ok()) {
            return std::move(fits).error();
        }
    }
    auto tenant = run_one(statements::session::kCurrentTenant, {}, Repeat::always);
    if (!tenant.ok()) {
        return std::move(tenant).error();
    }
    return check_tenant(options_, *tenant);
}

Result<std::vector<pg::Rows>> TenantCalls::run_on(pg::Connection& connection,
                                                  std::span<const TenantCall> calls) const {
    if (options_.tenant_id) {
        connection.queue(statements::session::kSetAppTenant,
                         std::move(pg::Params().text(options_.tenant_id->to_string())));
    }
    for (const TenantCall& call : calls) {
        connection.queue(call.statement, call.params);
    }
    auto rows = connection.flush();
    if (rows.ok() && options_.tenant_id) {
        rows->erase(rows->begin());
    }
    return rows;
}

Result<std::vector<pg::Rows>> TenantCalls::run_borrowed(std::span<const TenantCall> calls) {
    pg::Connection& connection = *source_->connection;
    if (connection.in_transaction()) {
        return run_in_savepoint(calls);
    }
    for (const TenantCall& call : source_->first) {
        connection.queue(call.statement, call.params);
    }
    auto rows = run_on(connection, calls);
    if (rows.ok()) {
        rows->erase(rows->begin(),
                    rows->begin() + static_cast<std::ptrdiff_t>(source_->first.size()));
    }
    return rows;
}

Result<std::vector<pg::Rows>> TenantCalls::run_in_savepoint(std::span<const TenantCall> calls) {
    pg::Connection& connection = *source_->connection;
    connection.queue(statements::session::kSavepoint, {});
    for (const TenantCall& call : calls) {
        connection.queue(call.statement, call.params);
    }
    connection.queue(statements::session::kReleaseSavepoint, {});
    auto rows = connection.flush();
    if (rows.ok()) {
        rows->erase(rows->begin());
        rows->pop_back();
    } else if (connection.alive()) {
        (void)connection.script(statements::session::kRollbackToCall);
    }
    return rows;
}

Result<std::vector<pg::Rows>> TenantCalls::run(std::span<const TenantCall> calls, Repeat repeat) {
    if (!source_->pool) {
        return run_borrowed(calls);
    }
    const auto deadline = Clock::now() + options_.timeout;
    for (int failures = 1;; ++failures) {
        Error error;
        if (auto connection = source_->pool->acquire(); !connection.ok()) {
            error = std::move(connection).error();
        } else if (auto rows = run_on(**connection, calls); rows.ok()) {
            return rows;
        } else {
            error = std::move(rows).error();
        }
        const std::chrono::milliseconds pause(reconnect_delay_ms(failures, random_part()));
        if (!may_repeat(error, repeat) || Clock::now() + pause >= deadline) {
            return error;
        }
        std::this_thread::sleep_for(pause);
    }
}

Result<pg::Rows> TenantCalls::run_one(const pg::Statement& statement, pg::Params params,
                                      Repeat repeat) {
    const TenantCall call{statement, std::move(params)};
    auto rows = run(std::span(&call, 1), repeat);
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    return std::move(rows->front());
}

Result<std::vector<Json>> TenantCalls::json_rows(const pg::Statement& statement,
                                                 pg::Params params) {
    auto rows = run_one(statement, std::move(params), Repeat::always);
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    return parse_json_rows(*rows);
}

Result<Json> TenantCalls::json_row(const pg::Statement& statement, pg::Params params) {
    auto rows = json_rows(statement, std::move(params));
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    if (rows->empty()) {
        return Error::of(ErrorCode::NOT_FOUND, "there is no such row");
    }
    return std::move(rows->front());
}

}  // namespace jobforge::engine
