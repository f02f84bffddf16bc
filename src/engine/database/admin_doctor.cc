#include "engine/database/admin_doctor.h"

#include <fmt/format.h>

#include "base/text/counted.h"
#include "base/text/duration_text.h"
#include "engine/schema/schema_check.h"
#include "statements/doctor.h"

namespace jobforge::engine {

namespace {

using Level = Finding::Level;
using Findings = std::vector<Finding>;

std::string age(double seconds) {
    return format_duration_ms(static_cast<std::int64_t>(seconds * 1000));
}

class Doctor final {
public:
    Doctor(pg::Connection& connection, const DoctorLimits& limits)
        : connection_(connection), limits_(limits) {}

    [[nodiscard]] Findings examine() {
        check_connection();
        check_settings();
        check_defaults();
        check_roles();
        const bool ours = check_migrations();
        check_transactions();
        check_prepared();
        check_slots();
        check_notify_queue();
        if (ours) {
            check_logins();
            check_bloat();
            check_workers();
            check_types();
        }
        return std::move(findings_);
    }

private:
    void add(std::string_view check, Level level, std::string what, std::string advice = "") {
        findings_.push_back({std::string(check), level, std::move(what), std::move(advice)});
    }

    // The rows, or a finding that says why they could not be had.
    std::optional<pg::Rows> ask(std::string_view check, const pg::Statement& statement) {
        auto rows = connection_.exec(statement);
        if (rows.ok()) {
            return *std::move(rows);
        }
        const Error& error = rows.error();
        add(check, error.sqlstate == "42501" ? Level::warn : Level::fail, error.message,
            error.sqlstate == "42501"
                ? "Run doctor as a member of jobforge_owner or as a superuser."
                : error.hint);
        return std::nullopt;
    }

    void check_connection() {
        const int version = connection_.server_version();
        add("connection", Level::ok, "connected");
        if (auto fits = require_server_version(connection_); !fits.ok()) {
            add("server_version", Level::fail, fits.error().message, "Upgrade the server.");
        } else {
            add("server_version", Level::ok,
                fmt::format("Postgres {}.{}", version / 10000, version % 10000));
        }
    }

    void check_settings() {
        const auto rows = ask("settings", statements::doctor::kDoctorSettings);
        if (!rows) {
            return;
        }
        for (int row = 0; row < rows->size(); ++row) {
            const std::string_view value = rows->text(row, 1);
            const bool weak = value == "off" || value == "local";
            add("settings", weak ? Level::fail : Level::ok,
                fmt::format("{} is {}", rows->text(row, 0), value),
                weak ? "An acknowledged job can be lost in a crash: switch it on again." : "");
        }
    }

    void check_defaults() {
        if (const auto rows = ask("session_defaults", statements::doctor::kDoctorSessionDefaults)) {
            for (int row = 0; row < rows->size(); ++row) {
                check_default("", rows->text(row, 0), rows->text(row, 1));
            }
        }
        if (const auto rows = ask("session_defaults", statements::doctor::kDoctorLoginDefaults)) {
            for (int row = 0; row < rows->size(); ++row) {
                check_default(fmt::format("login {}: ", rows->text(row, 0)), rows->text(row, 1),
                              rows->text(row, 2));
            }
        }
    }

    // `value` as it was written: "on", "true" and "1" are the same.
    void check_default(const std::string& whose, std::string_view name, std::string_view value) {
        const bool off = value == "off" || value == "false" || value == "no" || value == "0";
        if (name == "default_transaction_isolation" && value != "read committed") {
            add("session_defaults", Level::warn, fmt::format("{}{} is {}", whose, name, value),
                "Our direct sessions set read committed themselves. Sessions through a pooler "
                "and clients of the SQL functions cannot claim or settle jobs at another "
                "level: set it to read committed for their logins.");
        } else if (name == "default_transaction_read_only" && !off) {
            add("session_defaults", Level::fail, whose + "default_transaction_read_only is on",
                "Nothing can be enqueued, claimed or settled on this server (SQLSTATE 25006): "
                "switch it off, or connect to the primary.");
        } else if (name == "row_security" && off) {
            add("session_defaults", Level::warn, whose + "row_security is off",
                "Our functions and sessions set it on for themselves. Queries of your own on "
                "tenants' tables fail (SQLSTATE 42501): switch it on for the role or the "
                "database.");
        } else if (name.ends_with("_timeout") &&
                   value.find_first_of("123456789") != std::string_view::npos) {
            add("session_defaults", Level::warn,
                fmt::format("{}{} is {}{}", whose, name, value, whose.empty() ? " ms" : ""),
                "Our direct sessions set it to 0 themselves. Sessions through a pooler and "
                "clients of the SQL functions are ended by it: remove it for their logins, or "
                "keep it well above a second.");
        }
    }

    void check_roles() {
        const auto rows = ask("roles", statements::doctor::kDoctorRoles);
        if (!rows) {
            return;
        }
        std::string missing;
        std::string too_much;
        std::string member;
        for (int row = 0; row < rows->size(); ++row) {
            const std::string name = " " + std::string(rows->text(row, 0));
            missing += rows->boolean(row, 1) ? "" : name;
            too_much += rows->boolean(row, 2) ? name : "";
            member += rows->boolean(row, 3) ? name : "";
        }
        if (!missing.empty()) {
            add("roles", Level::fail, "roles are missing:" + missing, "Run: jobforge migrate");
        } else if (!too_much.empty()) {
            add("roles", Level::fail, "roles may log in or bypass row-level security:" + too_much,
                "alter role NAME nologin nosuperuser nobypassrls");
        } else {
            add("roles", Level::ok, "all seven roles are there");
        }
        const std::string login(rows->text(0, 4));
        if (rows->boolean(0, 5)) {
            add("login", Level::warn, fmt::format("the login {} is a superuser", login),
                "Fine for administration; give workers and services logins of their own.");
        } else {
            add("login", member.empty() ? Level::fail : Level::ok,
                fmt::format("the login {} is a member of:{}", login,
                            member.empty() ? " nothing" : member),
                member.empty() ? "docs/sql.md has the role for each kind of login" : "");
        }
    }

    void check_logins() {
        const auto rows = ask("tenant_logins", statements::doctor::kDoctorLogins);
        for (int row = 0; rows && row < rows->size(); ++row) {
            const std::string_view spans = rows->text(row, 2);
            add("tenant_logins", Level::fail,
                fmt::format("the login {} is bound to tenant {} and has {}, which reaches every "
                            "tenant",
                            rows->text(row, 0), rows->text(row, 1), spans),
                spans.starts_with("jobforge_")
                    ? fmt::format("revoke {} from {}", spans, rows->text(row, 0))
                    : "Give the tenant a login of its own that has only jobforge_tenant.");
        }
    }

    bool check_migrations() {
        auto check = check_schema(connection_);
        if (!check.ok()) {
            add("migrations", Level::fail, check.error().message, check.error().hint);
            return false;
        }
        if (auto fits = require_schema(*check); !fits.ok()) {
            add("migrations", Level::fail, fits.error().message, fits.error().hint);
            return check->state == SchemaState::newer;
        }
        add("migrations", Level::ok, "the schema is current: " + check->database);
        return true;
    }

    void check_transactions() {
        const auto sees = ask("open_transactions", statements::doctor::kDoctorSeesSessions);
        const auto rows = ask("open_transactions", statements::doctor::kDoctorTransactions);
        if (!sees || !rows) {
            return;
        }
        if (!rows->empty() && rows->real(0, 4) > limits_.old_transaction_seconds) {
            add("open_transactions", Level::warn,
                fmt::format("a transaction has been open for {}: pid {}, login {}, application "
                            "\"{}\", {}",
                            age(rows->real(0, 4)), rows->integer(0, 0), rows->text(0, 2),
                            rows->text(0, 1), rows->text(0, 3)),
                fmt::format("It keeps dead rows from being removed and slows every claim. End it: "
                            "select pg_terminate_backend({})",
                            rows->integer(0, 0)));
        } else if (!sees->boolean(0, 0)) {
            add("open_transactions", Level::warn, "other logins' sessions cannot be seen",
                "grant pg_read_all_stats to LOGIN");
        } else {
            add("open_transactions", Level::ok,
                fmt::format("no transaction is older than {}",
                            age(limits_.old_transaction_seconds)));
        }
    }

    void check_prepared() {
        const auto rows =
            ask("prepared_transactions", statements::doctor::kDoctorPreparedTransactions);
        if (!rows) {
            return;
        }
        if (rows->empty()) {
            add("prepared_transactions", Level::ok, "there are none");
            return;
        }
        add("prepared_transactions", Level::warn,
            fmt::format("'{}' was prepared {} ago and never ended", rows->text(0, 0),
                        age(rows->real(0, 1))),
            fmt::format("commit prepared '{0}' or rollback prepared '{0}'", rows->text(0, 0)));
    }

    void check_slots() {
        const auto rows = ask("replication_slots", statements::doctor::kDoctorReplicationSlots);
        if (!rows) {
            return;
        }
        if (rows->empty() || (rows->boolean(0, 1) && rows->integer(0, 2) < 1'000'000)) {
            add("replication_slots", Level::ok, "none holds old rows back");
            return;
        }
        add("replication_slots", Level::warn,
            fmt::format("slot {} ({}) holds back rows of the last {} transactions",
                        rows->text(0, 0), rows->boolean(0, 1) ? "active" : "not in use",
                        rows->integer(0, 2)),
            fmt::format("If it is not needed: select pg_drop_replication_slot('{}')",
                        rows->text(0, 0)));
    }

    void check_notify_queue() {
        const auto rows = ask("notify_queue", statements::doctor::kDoctorNotifyQueue);
        if (!rows) {
            return;
        }
        const double usage = rows->real(0, 0);
        add("notify_queue",
            usage > 0.5    ? Level::fail
            : usage > 0.05 ? Level::warn
                           : Level::ok,
            fmt::format("{:.1f} % full", usage * 100),
            usage > 0.05 ? "A session that LISTENs sits in a transaction: end it "
                           "(open_transactions), or commits will fail."
                         : "");
    }

    void check_bloat() {
        const auto rows = ask("bloat", statements::doctor::kDoctorBloat);
        if (!rows) {
            return;
        }
        for (int row = 0; row < rows->size(); ++row) {
            const std::int64_t live = rows->integer(row, 1);
            const std::int64_t dead = rows->integer(row, 2);
            const bool bloated = dead > limits_.dead_rows && dead > live;
            add("bloat", bloated ? Level::warn : Level::ok,
                fmt::format("{}: {} live and {} dead rows, autovacuum last ran {}",
                            rows->text(row, 0), live, dead, rows->text(row, 3)),
                bloated ? fmt::format("Look for old transactions above, then: vacuum jobforge.{}",
                                      rows->text(row, 0))
                        : "");
        }
    }

    void check_workers() {
        const auto rows = ask("workers", statements::doctor::kDoctorWorkers);
        if (!rows) {
            return;
        }
        for (int row = 0; row < rows->size(); ++row) {
            // A worker over HTTP has no process that we know of.
            const std::string process =
                rows->integer(row, 2) == 0
                    ? std::string(rows->text(row, 1))
                    : fmt::format("host {}, pid {}", rows->text(row, 1), rows->integer(row, 2));
            add("workers", Level::warn,
                fmt::format("worker {} ({}) has been silent for {} and holds {}",
                            rows->text(row, 0), process, age(rows->real(row, 3)),
                            counted(rows->integer(row, 4), "job")),
                "Its jobs are taken back when their leases end, by any running worker. If it "
                "hangs, "
                "kill it.");
        }
        if (rows->empty()) {
            add("workers", Level::ok, "no silent worker holds jobs");
        }
    }

    void check_types() {
        const auto rows = ask("jobs", statements::doctor::kDoctorTypes);
        if (!rows) {
            return;
        }
        const std::size_t before = findings_.size();
        for (int row = 0; row < rows->size(); ++row) {
            check_type(*rows, row);
        }
        if (findings_.size() == before) {
            add("jobs", Level::ok, "no job is stuck and there are no dead letters");
        }
    }

    void check_type(const pg::Rows& rows, int row) {
        const std::string type(rows.text(row, 0));
        const double due = rows.opt_real(row, 2).value_or(0);
        const double expired = rows.opt_real(row, 4).value_or(0);
        if (expired > limits_.stuck_seconds) {
            add("stuck_jobs", Level::fail,
                fmt::format("{} had an expired lease for up to {}",
                            counted(rows.integer(row, 3), type + " job has", type + " jobs have"),
                            age(expired)),
                "No worker takes them back: start one (jobforge worker).");
        }
        if (due > limits_.stuck_seconds && rows.integer(row, 1) == 0) {
            add("stuck_jobs", Level::fail,
                fmt::format(
                    "{} jobs have been due for {} and no live worker has a handler for them", type,
                    age(due)),
                "Start a worker with that handler.");
        } else if (due > limits_.stuck_seconds) {
            add("stuck_jobs", Level::warn,
                fmt::format("{} jobs have been due for {} although {} a handler", type, age(due),
                            counted(rows.integer(row, 1), "live worker has", "live workers have")),
                fmt::format(
                    "More slots, or a higher limit of the type or tenant; jobs that lost a worker "
                    "wait for a place in quarantine. For one of "
                    "jobforge jobs list --status QUEUED --type {}, ask: jobforge explain "
                    "JOB",
                    type));
        }
        if (rows.integer(row, 5) > 0) {
            add("dead_letters", Level::warn,
                fmt::format("{} in the dead letter",
                            counted(rows.integer(row, 5), type + " job is", type + " jobs are")),
                fmt::format("jobforge jobs list --status DEAD_LETTER --type {}; then jobforge jobs "
                            "retry --all --status DEAD_LETTER --type {}",
                            type, type));
        }
    }

    pg::Connection& connection_;
    DoctorLimits limits_;
    Findings findings_;
};

}  // namespace

std::string_view to_string(Finding::Level level) noexcept {
    switch (level) {
        case Level::ok:
            return "ok";
        case Level::warn:
            return "warn";
        case Level::fail:
            break;
    }
    return "fail";
}

std::vector<Finding> examine(pg::Connection& connection, const DoctorLimits& limits) {
    return Doctor(connection, limits).examine();
}

}  // namespace jobforge::engine
