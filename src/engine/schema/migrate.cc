#include "engine/schema/migrate.h"

#include <thread>

#include <fmt/format.h>

#include "engine/schema/migrate_state.h"
#include "engine/schema/schema_check.h"
#include "pg/connection.h"
#include "statements/schema.h"
#include "statements/session.h"

namespace jobforge::engine {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLockTries = 20;
constexpr std::chrono::milliseconds kBetweenTries{250};
constexpr std::string_view kNoTransaction = "-- no-transaction";

// A lock is held, two migrations met, or another database's migration changed the same role.
bool worth_another_try(const Error& error) {
    return error.sqlstate == "55P03" || error.sqlstate == "40P01" || error.sqlstate == "40001" ||
           (error.sqlstate == "XX000" && error.message.find("concurrently") != std::string::npos);
}

class Migration final {
public:
    Migration(pg::Connection& connection, const MigrateOptions& options)
        : connection_(connection), options_(options) {}

    [[nodiscard]] Result<MigrateReport> run() {
        if (auto ready = prepare(); !ready.ok()) {
            return std::move(ready).error();
        }
        if (!options_.dry_run) {
            if (auto locked = lock(); !locked.ok()) {
                return std::move(locked).error();
            }
        }
        auto plan = make_plan();
        if (!plan.ok()) {
            return std::move(plan).error();
        }
        if (!options_.dry_run) {
            if (auto applied = apply(*plan); !applied.ok()) {
                return std::move(applied).error();
            }
        }
        return report(*plan);
    }

private:
    static MigrateReport report(const MigratePlan& plan) {
        MigrateReport report;
        for (const EmbeddedFile& file : plan.migrations) {
            report.migrations.emplace_back(file.name);
        }
        for (const EmbeddedFile& file : plan.functions) {
            report.functions.emplace_back(file.name);
        }
        report.orphans = plan.orphans;
        return report;
    }

    void say(std::string_view step) const {
        if (options_.on_step) {
            options_.on_step(step);
        }
    }

    [[nodiscard]] Status prepare() {
        if (auto fits = require_server_version(connection_); !fits.ok()) {
            return fits;
        }
        auto pid = connection_.exec(statements::session::kBackendPid);
        if (!pid.ok()) {
            return std::move(pid).error();
        }
        // A pooler answers the handshake with a number of its own. Its sessions end with each
        // transaction, and with them the lock.
        if (pid->integer(0, 0) != connection_.backend_pid()) {
            Error error = Error::of(ErrorCode::CONFIG_MISSING,
                                    "migrations need a direct connection, and this one goes "
                                    "through a pooler");
            error.hint = "Set DATABASE_URL to the server's own host and port for jobforge migrate.";
            return error;
        }
        return connection_.script(statements::schema::kPrepareMigrationSession);
    }

    [[nodiscard]] Status lock() {
        const auto deadline = Clock::now() + options_.lock_wait;
        for (bool first = true;; first = false) {
            auto locked = connection_.exec(statements::schema::kTryMigrationLock);
            if (!locked.ok()) {
                return std::move(locked).error();
            }
            if (locked->boolean(0, 0)) {
                return ok_status();
            }
            if (first) {
                say("waiting for another migration to end");
            }
            if (Clock::now() >= deadline) {
                return Error::of(ErrorCode::TIMEOUT,
                                 fmt::format("another migration of this database has been running "
                                             "for more than {} s",
                                             options_.lock_wait.count() / 1000));
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    }

    // Reads in a transaction that is rolled back: a login that borrows the owner's rights to read
    // its tables leaves no trace, and a dry run changes nothing.
    [[nodiscard]] Result<MigratePlan> make_plan() {
        auto transaction = pg::Transaction::begin(connection_);
        if (!transaction.ok()) {
            return std::move(transaction).error();
        }
        if (auto borrowed = borrow_ownership(connection_); !borrowed.ok()) {
            return explain_forbidden(std::move(borrowed).error());
        }
        auto applied = read_applied(connection_);
        transaction->rollback();
        if (!applied.ok()) {
            return std::move(applied).error();
        }
        return plan_migration(*applied, options_.migrations, options_.functions);
    }

    [[nodiscard]] Status apply(const MigratePlan& plan) {
        if (plan.migrations.empty() && plan.functions.empty()) {
            return ok_status();
        }
        if (auto tables = try_often([this] { return bookkeeping(); }); !tables.ok()) {
            return explain_forbidden(std::move(tables).error());
        }
        for (const EmbeddedFile& file : plan.migrations) {
            say(file.name);
            auto done = file.text.starts_with(kNoTransaction)
                            ? apply_alone(file)
                            : try_often([&] { return apply_migration(file); });
            if (!done.ok()) {
                return done;
            }
        }
        if (plan.functions.empty()) {
            return ok_status();
        }
        say(fmt::format("functions ({} files)", plan.functions.size()));
        return try_often([&] { return apply_functions(plan.functions); });
    }

    template <typename Step>
    [[nodiscard]] Status try_often(Step step) {
        for (int tries = 1;; ++tries) {
            Status done = step();
            if (done.ok() || tries == kLockTries || !worth_another_try(done.error())) {
                return done;
            }
            say("waiting for a lock");
            std::this_thread::sleep_for(kBetweenTries);
        }
    }

    // BEGIN, the owner's rights, the work, the rights back, COMMIT.
    template <typename Work>
    [[nodiscard]] Status as_owner(Work work) {
        auto transaction = pg::Transaction::begin(connection_);
        if (!transaction.ok()) {
            return std::move(transaction).error();
        }
        auto set = connection_.exec(statements::schema::kBeginMigrating,
                                    pg::Params().text(std::to_string(kLockTimeout.count())));
        if (!set.ok()) {
            return std::move(set).error();
        }
        if (auto borrowed = borrow_ownership(connection_); !borrowed.ok()) {
            return borrowed;
        }
        if (auto worked = work(); !worked.ok()) {
            return worked;
        }
        if (auto returned = return_ownership(connection_); !returned.ok()) {
            return returned;
        }
        return transaction->commit();
    }

    [[nodiscard]] Status bookkeeping() {
        auto transaction = pg::Transaction::begin(connection_);
        if (!transaction.ok()) {
            return std::move(transaction).error();
        }
        if (auto created = create_bookkeeping(connection_); !created.ok()) {
            return created;
        }
        return transaction->commit();
    }

    [[nodiscard]] Status run_file(std::string_view kind, const EmbeddedFile& file) {
        Status done = connection_.script(file.name, file.text);
        if (!done.ok()) {
            Error error = std::move(done).error();
            error.message = fmt::format("{} {}: {}", kind, file.name, error.message);
            return error;
        }
        return done;
    }

    [[nodiscard]] Status run_and_record(const EmbeddedFile& file) {
        const auto start = Clock::now();
        if (auto done = run_file("migration", file); !done.ok()) {
            return done;
        }
        const auto took =
            std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
        return record_migration(connection_, file, took.count());
    }

    [[nodiscard]] Status apply_migration(const EmbeddedFile& file) {
        return as_owner([&] { return run_and_record(file); });
    }

    // Outside a transaction the borrowed rights must be committed before and taken back after.
    [[nodiscard]] Status apply_alone(const EmbeddedFile& file) {
        std::string lent;
        auto borrowed = as_owner([this, &lent] { return keep_lent(lent); });
        if (!borrowed.ok()) {
            return borrowed;
        }
        Status done = run_and_record(file);
        auto returned = connection_.script("return_lent_roles", lent);
        return done.ok() ? returned : done;
    }

    // Takes the loan over from the transaction: return_ownership then finds nothing to do.
    [[nodiscard]] Status keep_lent(std::string& take_back) {
        auto roles = connection_.exec(statements::schema::kLentRoles);
        if (!roles.ok()) {
            return std::move(roles).error();
        }
        take_back = std::string(roles->text(0, 0));
        return connection_.script(statements::schema::kKeepLentRoles);
    }

    [[nodiscard]] Status apply_functions(const std::vector<EmbeddedFile>& files) {
        return as_owner([&]() -> Status {
            for (const EmbeddedFile& file : files) {
                if (auto done = run_file("function", file); !done.ok()) {
                    return done;
                }
                if (auto recorded = record_function(connection_, file); !recorded.ok()) {
                    return recorded;
                }
            }
            return ok_status();
        });
    }

    static Error explain_forbidden(Error error) {
        if (error.sqlstate == "42501") {
            error.hint =
                "jobforge migrate needs a superuser, or a login with CREATEROLE that owns "
                "the database.";
        }
        return error;
    }

    pg::Connection& connection_;
    const MigrateOptions& options_;
};

}  // namespace

Result<MigrateReport> migrate(const std::string& url, const MigrateOptions& options) {
    pg::ConnectOptions connect;
    connect.url = url;
    connect.application_name = "jobforge migrate";
    auto connection = pg::Connection::connect(connect);
    if (!connection.ok()) {
        return std::move(connection).error();
    }
    return Migration(*connection, options).run();
}

}  // namespace jobforge::engine
