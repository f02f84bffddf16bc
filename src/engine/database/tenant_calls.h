// Calls of SQL functions for one tenant: a pool of connections, and the one way in which clients
// and use cases talk to the database.
//
// A call runs in one round trip and one transaction with app.tenant_id set for exactly that long,
// so it works through PgBouncer in transaction mode. While the database is away, calls are
// repeated until the timeout, if repeating cannot do harm (Repeat).
//
// Threads: all methods from any thread. Ownership: movable.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>
#include <jobforge/uuid.h>

#include "pg/connection.h"

namespace jobforge::engine {

// One statement with its parameters.
struct TenantCall {
    pg::Statement statement;
    pg::Params params;
};

// What to do when the connection breaks and it is unknown whether the call took effect.
enum class Repeat {
    always,       // the same call again has the same effect: reads, enqueues with a key
    if_not_done,  // only when it certainly had no effect
};

struct TenantCallsOptions {
    std::string database_url;                  // libpq URI or keywords; PgBouncer is fine
    std::optional<Uuid> tenant_id = {};        // for gateway and worker logins
    int pool_size = 4;                         // 1..100 connections, opened when needed
    std::chrono::milliseconds timeout{10000};  // for a free connection and for reconnects
    std::string application_name = "jobforge client";
    // A call that takes longer is given up and its connection closed, also while the server lives:
    // one stuck server process must not hold its caller for ever. Above what the longest calls need
    // (a retry of a whole backlog).
    std::chrono::milliseconds longest_call{300000};
};

class TenantCalls final {
public:
    // Calls on one connection in the caller's hands, which must outlive them: for a service that
    // acts for another tenant with every request. Outside of a transaction `first` goes ahead of
    // each run in the same pipeline, so that one round trip names the key and the call. Inside of
    // an open one the caller commits, and a run that fails takes back what it did and nothing else,
    // as a run of its own transaction would: use cases may ask for what is not there and go on.
    // Nothing is ever repeated.
    // Threads: those of the connection, one at a time.
    [[nodiscard]] static TenantCalls within(pg::Connection& connection,
                                            std::vector<TenantCall> first);
    // Connects once: program and database must fit, the login must act for a tenant.
    // CONFIG_MISSING, DB_UNAVAILABLE, UNAUTHORIZED, NOT_FOUND, FORBIDDEN.
    [[nodiscard]] static Result<TenantCalls> connect(TenantCallsOptions options);
    TenantCalls(TenantCalls&&) noexcept;
    TenantCalls& operator=(TenantCalls&&) noexcept;
    ~TenantCalls();

    // The rows of each call; all calls in one transaction.
    [[nodiscard]] Result<std::vector<pg::Rows>> run(std::span<const TenantCall> calls,
                                                    Repeat repeat);
    [[nodiscard]] Result<pg::Rows> run_one(const pg::Statement& statement, pg::Params params,
                                           Repeat repeat);
    // Statements whose only column is JSON (row_to_json keeps the order of the columns).
    [[nodiscard]] Result<std::vector<Json>> json_rows(const pg::Statement& statement,
                                                      pg::Params params);
    // The one row. NOT_FOUND if there is none.
    [[nodiscard]] Result<Json> json_row(const pg::Statement& statement, pg::Params params);
    // The same on a connection in the caller's hands, once.
    [[nodiscard]] Result<std::vector<pg::Rows>> run_on(pg::Connection& connection,
                                                       std::span<const TenantCall> calls) const;

    [[nodiscard]] const TenantCallsOptions& options() const noexcept { return options_; }

private:
    struct Source;  // a pool of our own, or what within() was given
    TenantCalls(TenantCallsOptions options, std::unique_ptr<Source> source);
    [[nodiscard]] Status check_login();
    [[nodiscard]] Result<std::vector<pg::Rows>> run_borrowed(std::span<const TenantCall> calls);
    [[nodiscard]] Result<std::vector<pg::Rows>> run_in_savepoint(std::span<const TenantCall> calls);

    TenantCallsOptions options_;
    std::unique_ptr<Source> source_;
};

}  // namespace jobforge::engine
