// Every finding of the doctor: the database is broken in one way, and the doctor names that and
// what to do. Each test also knows that the same check was content before.
#include "engine/database/admin_doctor.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/schema/embedded_sql.h"
#include "engine/schema/migrate.h"
#include "localpg/cluster.h"
#include "temp_dir.h"
#include "test_cluster.h"
#include "worker_world.h"

namespace jobforge::engine {

// So that a failed expectation shows what the doctor said.
static void PrintTo(const Finding& finding, std::ostream* out) {
    *out << to_string(finding.level) << ' ' << finding.check << ": " << finding.what << " -> "
         << finding.advice << '\n';
}

}  // namespace jobforge::engine

namespace jobforge::test {
namespace {

using engine::DoctorLimits;
using engine::Finding;
using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

using Findings = std::vector<Finding>;

auto finding(const char* check, Finding::Level level, const std::string& what,
             const std::string& advice = "") {
    return AllOf(Field("check", &Finding::check, check), Field("level", &Finding::level, level),
                 Field("what", &Finding::what, HasSubstr(what)),
                 Field("advice", &Finding::advice, HasSubstr(advice)));
}
auto ok(const char* check, const std::string& what = "") {
    return finding(check, Finding::Level::ok, what);
}
auto warning(const char* check, const std::string& what, const std::string& advice) {
    return finding(check, Finding::Level::warn, what, advice);
}
auto failure(const char* check, const std::string& what, const std::string& advice) {
    return finding(check, Finding::Level::fail, what, advice);
}

class Doctor : public WorkerWorld {
protected:
    Findings examine(const DoctorLimits& limits = {}) {
        auto doctor = database_.connect();
        return engine::examine(doctor, limits);
    }
    // A registered worker that holds one running job of this type.
    Uuid running(const std::string& name) {
        type(name);
        const Uuid id = enqueue(name);
        run(
            fmt::format("select jobforge.register_worker('w1', 'host1', 42, 'v', array['{0}'], 4);"
                        "select count(*) from jobforge.claim_jobs('w1', 1, array['{0}'])",
                        name));
        EXPECT_EQ(job(id, "status"), "RUNNING");
        return id;
    }
    void silence_workers() {
        run("update jobforge.workers set heartbeat_at = heartbeat_at - interval '5 minutes'");
    }
};

TEST_F(Doctor, finds_nothing_wrong_with_a_fresh_database) {
    const Findings findings = examine();
    for (const Finding& one : findings) {
        // The tests' login is a superuser, and the doctor says so.
        if (one.check != "login") {
            EXPECT_EQ(one.level, Finding::Level::ok) << one.check << ": " << one.what;
        }
        EXPECT_EQ(one.advice.empty(), one.level == Finding::Level::ok) << one.check;
    }
    for (const char* check : {"connection", "server_version", "settings", "roles", "migrations",
                              "open_transactions", "prepared_transactions", "replication_slots",
                              "notify_queue", "bloat", "workers", "jobs"}) {
        EXPECT_THAT(findings, Contains(ok(check)));
    }
}

TEST_F(Doctor, names_the_session_of_an_old_open_transaction) {
    auto forgetful =
        pg::Connection::connect({.url = database_.url(), .application_name = "nightly report"});
    ASSERT_TRUE(forgetful.ok());
    expect_ok(forgetful->script("test_begin", "begin; select 1"));
    EXPECT_THAT(examine(), Contains(ok("open_transactions", "no transaction is older than 1 min")));
    const std::string pid = std::to_string(forgetful->backend_pid());
    EXPECT_THAT(examine({.old_transaction_seconds = 0}),
                Contains(warning("open_transactions",
                                 "pid " + pid +
                                     ", login postgres, application \"nightly report\", "
                                     "idle in transaction",
                                 "select pg_terminate_backend(" + pid + ")")));
}

TEST_F(Doctor, counts_dead_rows_and_says_which_table_to_vacuum) {
    run("alter table jobforge.workers set (autovacuum_enabled = off);"
        "insert into jobforge.workers (worker_id, host, pid, version, types, slots) "
        "select 'dead' || n, 'h', 1, 'v', '{}', 1 from generate_series(1, 50) n;"
        "delete from jobforge.workers; select pg_stat_force_next_flush()");
    EXPECT_THAT(examine(), Contains(ok("bloat", "workers: 0 live and 50 dead rows")));
    EXPECT_THAT(
        examine({.dead_rows = 49}),
        Contains(warning("bloat", "workers: 0 live and 50 dead rows, autovacuum last ran never",
                         "vacuum jobforge.workers")));
}

TEST_F(Doctor, names_a_silent_worker_only_while_it_holds_jobs) {
    const Uuid id = running("t");
    EXPECT_THAT(examine(), Contains(ok("workers")));
    silence_workers();
    EXPECT_THAT(
        examine(),
        Contains(warning("workers", "worker w1 (host host1, pid 42) has been silent for 5 min",
                         "If it hangs, kill it")));
    run(fmt::format("select jobforge.cancel_job('{}')", id.to_string()));
    EXPECT_THAT(examine(), Contains(ok("workers")));
}

TEST_F(Doctor, counts_leases_that_nobody_takes_back) {
    running("t");
    EXPECT_THAT(examine({.stuck_seconds = 0}), Not(Contains(Field(&Finding::check, "stuck_jobs"))));
    run("update jobforge.jobs set lease_expires_at = now() - interval '2 minutes'");
    EXPECT_THAT(examine(),
                Contains(failure("stuck_jobs", "1 t job has had an expired lease for up to 2 min",
                                 "jobforge worker")));
}

TEST_F(Doctor, tells_due_jobs_without_a_worker_from_those_that_a_worker_does_not_take) {
    type("t");
    enqueue("t", "{}", "p_scheduled_at => now() - interval '10 minutes'");
    EXPECT_THAT(examine(), Contains(failure("stuck_jobs", "t jobs have been due for 10 min",
                                            "Start a worker with that handler")));
    run("select jobforge.register_worker('w1', 'h', 1, 'v', array['t'], 1)");
    for (const char* advice : {"jobforge explain", "a place in quarantine"}) {
        EXPECT_THAT(examine(),
                    Contains(warning("stuck_jobs", "t jobs have been due for 10 min", advice)));
    }
    EXPECT_THAT(examine({.stuck_seconds = 3600}), Contains(ok("jobs", "no job is stuck")));
}

TEST_F(Doctor, counts_dead_letters_until_they_are_retried) {
    const Uuid id = running("t");
    run(
        fmt::format("update jobforge.jobs set max_attempts = 1;"
                    "select * from jobforge.fail_job('w1', '{}', '{}', 1, "
                    "'{{\"code\": \"X\", \"message\": \"m\", \"retryable\": true}}')",
                    tenant_.to_string(), id.to_string()));
    EXPECT_EQ(job(id, "status"), "DEAD_LETTER");
    EXPECT_THAT(examine(), Contains(warning("dead_letters", "1 t job is in the dead letter",
                                            "retry --all --status DEAD_LETTER --type t")));
    run(fmt::format("select jobforge.reschedule_job('{}', null, true)", id.to_string()));
    EXPECT_THAT(examine(), Not(Contains(Field(&Finding::check, "dead_letters"))));
}

TEST_F(Doctor, finds_settings_with_which_an_acknowledged_job_can_be_lost) {
    run(fmt::format("alter database \"{}\" set synchronous_commit = off", database_.name()));
    auto doctor = database_.connect();
    EXPECT_THAT(engine::examine(doctor),
                Contains(failure("settings", "synchronous_commit is off", "switch it on again")));
    auto value = doctor.exec({"test_value", "select current_setting('synchronous_commit')"});
    EXPECT_EQ(value->text(0, 0), "on") << "our own sessions do not go by it";
}

TEST_F(Doctor, names_defaults_of_sessions_that_stand_in_the_way) {
    for (const char* setting :
         {"default_transaction_isolation = 'repeatable read'", "row_security = off",
          "default_transaction_read_only = on", "statement_timeout = 900",
          "idle_in_transaction_session_timeout = 800"}) {
        run(fmt::format("alter database \"{}\" set {}", database_.name(), setting));
    }
    auto doctor = database_.connect();
    const Findings findings = engine::examine(doctor);
    EXPECT_THAT(findings, Contains(warning("session_defaults", "isolation is repeatable read",
                                           "read committed")));
    EXPECT_THAT(findings, Contains(warning("session_defaults", "row_security is off", "42501")));
    EXPECT_THAT(findings, Contains(failure("session_defaults", "read_only is on", "25006")));
    for (const char* timeout :
         {"statement_timeout is 900 ms", "idle_in_transaction_session_timeout is 800 ms"}) {
        EXPECT_THAT(findings, Contains(warning("session_defaults", timeout, "above a second")));
    }
}

// The doctor has a login of its own; the workers' one has its own defaults. (In this database
// alone: other tests have doctors on the same server.)
TEST_F(Doctor, names_the_defaults_of_other_logins_that_have_our_roles) {
    const std::string worker = "worker_" + database_.name();
    const std::string stranger = "stranger_" + database_.name();
    run(fmt::format("create role \"{}\" login in role jobforge_worker; create role \"{}\" login",
                    worker, stranger));
    const auto set = [&](const std::string& login, const std::string& setting) {
        run(fmt::format("alter role \"{}\" in database \"{}\" set {}", login, database_.name(),
                        setting));
    };
    set(stranger, "statement_timeout = 900");
    set(worker, "lock_timeout = '0s'");
    set(worker, "default_transaction_read_only = false");
    EXPECT_THAT(examine(), Not(Contains(Field(&Finding::check, "session_defaults"))));
    set(worker, "default_transaction_read_only = true");
    set(worker, "statement_timeout = '900ms'");
    set(worker, "default_transaction_isolation = 'serializable'");
    const Findings findings = examine();
    const std::string login = "login " + worker + ": ";
    EXPECT_THAT(findings,
                Contains(failure("session_defaults", login + "default_transaction_read_only is on",
                                 "25006")));
    EXPECT_THAT(findings, Contains(warning("session_defaults",
                                           login + "default_transaction_isolation is serializable",
                                           "read committed")));
    EXPECT_THAT(findings, Contains(warning("session_defaults", login + "statement_timeout is 900ms",
                                           "above a second")));
    run(fmt::format("drop role \"{}\"; drop role \"{}\"", worker, stranger));
}

TEST_F(Doctor, says_what_a_login_without_rights_cannot_see) {
    const std::string login = "stranger_" + database_.name();
    run(fmt::format("create role \"{}\" login", login));
    auto stranger = database_.connect(login);
    const Findings findings = engine::examine(stranger);
    EXPECT_THAT(findings, Contains(failure("login", "is a member of: nothing", "docs/sql.md")));
    EXPECT_THAT(findings, Contains(failure("migrations", "has no rights in schema jobforge",
                                           "grant jobforge_tenant")));
    EXPECT_THAT(findings, Contains(warning("open_transactions", "cannot be seen",
                                           "grant pg_read_all_stats")));
    run(fmt::format("grant jobforge_worker to \"{}\"", login));
    auto member = database_.connect(login);
    EXPECT_THAT(engine::examine(member), Contains(ok("login", "is a member of: jobforge_worker")));
    run(fmt::format("drop role \"{}\"", login));
}

TEST_F(Doctor, names_a_login_that_is_bound_to_a_tenant_and_reaches_all_of_them) {
    const std::string login = "bound_" + database_.name();
    run(
        fmt::format("create role \"{0}\" login in role jobforge_tenant; select "
                    "jobforge.bind_login(jobforge.create_tenant('t'), '{0}')",
                    login));
    auto doctor = database_.connect();
    EXPECT_THAT(engine::examine(doctor), Not(Contains(Field(&Finding::check, "tenant_logins"))));
    run(fmt::format("grant jobforge_worker to \"{}\"", login));
    EXPECT_THAT(engine::examine(doctor), Contains(failure("tenant_logins", "reaches every tenant",
                                                          "revoke jobforge_worker from " + login)));
    run(fmt::format("drop role \"{}\"", login));
}

TEST_F(Doctor, a_lost_connection_is_a_failed_check_and_no_crash) {
    auto doctor = database_.connect();
    run(fmt::format("select pg_terminate_backend({}, 5000)", doctor.backend_pid()));
    EXPECT_THAT(engine::examine(doctor), Contains(Field(&Finding::level, Finding::Level::fail)));
}

TEST(DoctorMigrations, an_empty_an_older_and_a_newer_database_get_their_own_advice) {
    TestDatabase database;
    auto connection = database.connect();
    EXPECT_THAT(engine::examine(connection),
                Contains(failure("migrations", "no Jobforge schema", "jobforge migrate")));
    ASSERT_TRUE(engine::migrate(database.url()).ok());
    const auto embedded = engine::embedded_migrations();
    const std::string last(embedded.back().name);
    EXPECT_THAT(engine::examine(connection), Contains(ok("migrations", last)));

    expect_ok(connection.script(
        "test_older", fmt::format("delete from jobforge.migrations where name = '{}'", last)));
    EXPECT_THAT(engine::examine(connection),
                Contains(failure("migrations", "this program needs " + last, "jobforge migrate")));
    expect_ok(connection.script("test_newer",
                                "insert into jobforge.migrations values "
                                "('9999_future.sql', repeat('0', 64), now(), 'test', 0)"));
    const Findings newer = engine::examine(connection);
    EXPECT_THAT(newer, Contains(failure("migrations", "the database has 9999_future.sql",
                                        "or a newer one")));
    EXPECT_THAT(newer, Contains(ok("jobs")));  // what it can still see, it looks at
}

// What is the whole server's gets a server of its own.
TEST(DoctorServer, names_slots_prepared_transactions_and_roles_with_too_many_rights) {
    TempDir home;
    auto cluster = pg::PrivateCluster::start(
        {.data_dir = home.path() + "/cluster",
         .bin_dir = {},
         .settings = {{"wal_level", "logical"}, {"max_prepared_transactions", "2"}},
         .on_event = {}});
    ASSERT_TRUE(cluster.ok()) << cluster.error().describe();
    const std::string url = (*cluster)->admin_url();
    auto admin = pg::Connection::connect({.url = url});
    EXPECT_THAT(
        engine::examine(*admin),
        Contains(failure("roles", "roles are missing: jobforge_owner", "jobforge migrate")));
    ASSERT_TRUE(engine::migrate(url).ok());
    const Findings before = engine::examine(*admin);
    for (const char* check : {"roles", "prepared_transactions", "replication_slots"}) {
        EXPECT_THAT(before, Contains(ok(check)));
    }
    expect_ok(admin->script("test_slot",
                            "select pg_create_logical_replication_slot('old_one', 'pgoutput')"));
    expect_ok(admin->script("test_prepare",
                            "begin; create table forgotten (a int); prepare transaction 'lost'"));
    expect_ok(admin->script("test_role", "alter role jobforge_worker login"));
    const Findings findings = engine::examine(*admin);
    EXPECT_THAT(findings, Contains(warning("replication_slots", "slot old_one (not in use)",
                                           "pg_drop_replication_slot('old_one')")));
    EXPECT_THAT(findings, Contains(warning("prepared_transactions", "'lost' was prepared",
                                           "rollback prepared 'lost'")));
    EXPECT_THAT(findings, Contains(failure("roles", "jobforge_worker", "nologin")));
}

}  // namespace
}  // namespace jobforge::test
