// A database that does not let us in, is not there, or belongs to another release: one clear line,
// an exit code that says which, nothing changed, and no password anywhere.
#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli_world.h"
#include "engine/schema/embedded_sql.h"
#include "localpg/cluster.h"
#include "temp_dir.h"
#include "test_paths.h"

namespace jobforge::cli {
namespace {

using test::Finished;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kRight[] = "the-right-password-0815";
constexpr char kWrong[] = "a-wrong-password-4711";

// Every command that meets a database.
const std::vector<std::vector<std::string>> kCommands{{"migrate"},
                                                      {"migrate", "--dry-run"},
                                                      {"up"},
                                                      {"worker"},
                                                      {"stats"},
                                                      {"doctor"},
                                                      {"workers"},
                                                      {"types", "list"},
                                                      {"tenants", "list"},
                                                      {"tenants", "create", "x"},
                                                      {"jobs", "list"},
                                                      {"enqueue", "test.echo", "{}"},
                                                      {"docs", "list"},
                                                      {"facts", "list"},
                                                      {"snapshots", "list"},
                                                      {"rules", "list"},
                                                      {"products", "list"},
                                                      {"passports", "list"},
                                                      {"webhooks", "list"},
                                                      {"audit", "verify"}};

// A server that asks for passwords on its TCP port, with a login that may do everything.
class PasswordServer : public ::testing::Test {
protected:
    PasswordServer() {
        pg::ClusterOptions options;
        options.data_dir = home_.path() + "/cluster";
        options.port = test::free_port();
        options.tcp = true;
        port_ = std::to_string(options.port);
        auto cluster = pg::PrivateCluster::start(options);
        EXPECT_TRUE(cluster.ok()) << (cluster.ok() ? "" : cluster.error().describe());
        cluster_ = *std::move(cluster);
        admin_.emplace(*pg::Connection::connect({.url = cluster_->admin_url()}));
        EXPECT_TRUE(
            admin_
                ->script("test_login",
                         fmt::format("create role chief login superuser password '{}'", kRight))
                .ok());
    }
    [[nodiscard]] Variables with_password(const char* password) const {
        return {{"DATABASE_URL", ""},        {"BPC_DB_HOST", "127.0.0.1"},
                {"BPC_DB_PORT", port_},      {"BPC_DB_USER", "chief"},
                {"BPC_DB_NAME", "jobforge"}, {"BPC_DB_PASSWORD", password},
                {"BPC_LOG_LEVEL", "debug"}};
    }
    std::string one(const std::string& sql) {
        auto rows = admin_->exec({"test_one", "select (" + sql + ")::text"});
        return rows.ok() ? std::string(rows->text(0, 0)) : rows.error().describe();
    }

    test::TempDir home_;
    std::string port_;
    std::unique_ptr<pg::PrivateCluster> cluster_;
    std::optional<pg::Connection> admin_;
};

TEST_F(PasswordServer, a_wrong_password_is_exit_code_3_and_no_password_is_ever_shown) {
    for (const auto& command : kCommands) {
        const Finished refused = run_program(command, with_password(kWrong));
        EXPECT_EQ(refused.exit_code, 3) << command.front() << refused.error_output;
        EXPECT_THAT(refused.error_output, HasSubstr("jobforge: UNAUTHORIZED: "));
        EXPECT_THAT(refused.output + refused.error_output, Not(HasSubstr(kWrong)));
    }
    EXPECT_EQ(one("select count(*) from pg_namespace where nspname = 'jobforge'"), "0");

    std::string seen;
    const auto run = [&](const std::vector<std::string>& command) {
        const Finished done = run_program(command, with_password(kRight));
        EXPECT_EQ(done.exit_code, 0) << command.front() << done.error_output;
        seen += done.output + done.error_output;
        return done.output;
    };
    run({"migrate"});
    run({"tenants", "create", "acme"});
    const std::string job = trimmed(run({"enqueue", "test.fail", R"({"permanent": true})"}));
    test::ChildProcess worker({JOBFORGE_PROGRAM, "worker"}, with_password(kRight));
    ASSERT_TRUE(test::wait_until([&] {
        return one("select count(*) from jobforge.finished_jobs") == "1";
    })) << worker.error_output();
    run({"doctor"});
    run({"stats"});
    run({"explain", job});
    run({"jobs", "list"});
    worker.send_signal(SIGTERM);
    EXPECT_EQ(worker.wait(), 0);
    seen +=
        worker.output() + worker.error_output() + one("select last_error from jobforge.all_jobs");
    EXPECT_THAT(seen, HasSubstr("worker started"));
    EXPECT_THAT(seen, HasSubstr("TEST_FAILURE"));
    EXPECT_THAT(seen, Not(HasSubstr(kRight)));
}

TEST(CliRefusals, a_database_that_does_not_exist_is_exit_code_3_and_is_not_created) {
    const std::string url = test::TestCluster::instance().url("postgres", "no_such_database");
    for (const auto& command : kCommands) {
        const Finished refused = run_program(command, {{"DATABASE_URL", url}});
        EXPECT_EQ(refused.exit_code, 3) << command.front() << refused.error_output;
        EXPECT_THAT(refused.error_output, HasSubstr("jobforge: NOT_FOUND: "));
        EXPECT_THAT(refused.error_output, HasSubstr("no_such_database"));
    }
    auto admin = pg::Connection::connect({.url = test::TestCluster::instance().admin_url()});
    EXPECT_TRUE(
        admin->exec({"test_find", "select from pg_database where datname = 'no_such_database'"})
            ->empty());
}

class OtherRelease : public CliWorld {
protected:
    // Everything that a command could have changed.
    std::string fingerprint() {
        return one(
            "select md5(string_agg(x::text, ',' order by x::text)) from ("
            "select (m.*)::text from jobforge.migrations m union all "
            "select (t.*)::text from jobforge.tenants t union all "
            "select (w.*)::text from jobforge.workers w union all "
            "select (j.*)::text from jobforge.all_jobs j union all "
            "select p.oid || p.xmin::text from pg_proc p "
            "where p.pronamespace = 'jobforge'::regnamespace) x");
    }
};

TEST_F(OtherRelease, a_newer_schema_is_exit_code_4_and_is_left_alone) {
    tenant();
    auto admin = database_.connect();
    ASSERT_TRUE(admin
                    .script("test_future",
                            "insert into jobforge.migrations values "
                            "('9999_future.sql', repeat('0', 64), now(), 'test', 0)")
                    .ok());
    const std::string before = fingerprint();
    for (const auto& command : kCommands) {
        if (command.front() == "doctor") {
            continue;  // it looks at whatever is there: below
        }
        const Finished refused = run(command);
        EXPECT_EQ(refused.exit_code, 4) << command.front() << refused.error_output;
        EXPECT_THAT(refused.error_output, HasSubstr("older than the database"));
        EXPECT_THAT(refused.error_output, HasSubstr("9999_future.sql"));
    }
    const Finished doctor = run({"doctor"});
    EXPECT_EQ(doctor.exit_code, 1);
    EXPECT_THAT(doctor.output, HasSubstr("older than the database"));
    EXPECT_EQ(fingerprint(), before);
}

TEST(CliMigrate, several_processes_at_once_apply_everything_exactly_once) {
    test::TestDatabase database;
    const Variables environment{{"DATABASE_URL", database.url()}};
    std::vector<std::unique_ptr<test::ChildProcess>> processes;
    for (int i = 0; i < 5; ++i) {
        processes.push_back(std::make_unique<test::ChildProcess>(
            std::vector<std::string>{JOBFORGE_PROGRAM, "migrate"}, environment));
    }
    int idle = 0;
    for (const auto& process : processes) {
        EXPECT_EQ(process->wait(std::chrono::seconds(60)), 0) << process->error_output();
        idle += process->output().find("nothing to do") != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(idle, 4);
    auto connection = database.connect();
    EXPECT_EQ(
        connection.exec({"test_count", "select count(*) from jobforge.migrations"})->integer(0, 0),
        static_cast<std::int64_t>(engine::embedded_migrations().size()));
}

}  // namespace
}  // namespace jobforge::cli
