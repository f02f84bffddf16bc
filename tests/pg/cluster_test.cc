#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "child_process.h"
#include "localpg/cluster.h"
#include "localpg/cluster_server.h"
#include "pg_fixture.h"
#include "temp_dir.h"
#include "test_paths.h"

namespace jobforge::pg {
namespace {

namespace fs = std::filesystem;
using test::connect_to;
using test::expect_ok;
using test::wait_until;

class ClusterTest : public ::testing::Test {
protected:
    ClusterOptions options() {
        ClusterOptions result;
        result.data_dir = home_;
        result.on_event = [this](const ClusterEvent& event) {
            if (event.kind == ClusterEvent::Kind::crashed) {
                ++crashes_;
            }
        };
        return result;
    }
    Error refusal(const ClusterOptions& with) {
        auto cluster = PrivateCluster::start(with);
        if (cluster.ok()) {
            throw std::runtime_error("the cluster started");
        }
        return cluster.error();
    }
    void write(const std::string& path, std::string_view content) {
        fs::create_directories(fs::path(path).parent_path());
        std::ofstream(path) << content;
    }
    // Every process that works below the cluster's directory.
    int processes() {
        int count = 0;
        for (const auto& entry : fs::directory_iterator("/proc")) {
            std::error_code code;
            const fs::path cwd = fs::read_symlink(entry.path() / "cwd", code);
            count += !code && cwd.string().starts_with(home_) ? 1 : 0;
        }
        return count;
    }
    static std::string setting(Connection& connection, std::string_view name) {
        const auto rows = expect_ok(
            connection.exec({"setting", "select current_setting($1)"}, Params().text(name)));
        return std::string(rows.text(0, 0));
    }

    test::TempDir dir_;
    std::string home_ = dir_.path() + "/home";
    std::atomic<int> crashes_{0};
};

TEST_F(ClusterTest, a_first_start_makes_a_durable_server_that_only_its_directory_lets_in) {
    auto cluster = expect_ok(PrivateCluster::start(options()));
    auto admin = connect_to(cluster->admin_url());
    for (const char* name : {"fsync", "synchronous_commit", "full_page_writes", "data_checksums"}) {
        EXPECT_EQ(setting(admin, name), "on") << name;
    }
    EXPECT_EQ(setting(admin, "listen_addresses"), "");
    EXPECT_EQ(setting(admin, "server_encoding"), "UTF8");
    EXPECT_EQ(setting(admin, "password_encryption"), "scram-sha-256");
    struct stat info{};
    ASSERT_EQ(::stat(cluster->status().socket_dir.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0700U);
    auto login = connect_to(cluster->url());
    const auto rows =
        expect_ok(login.exec({"who",
                              "select current_user, current_database(), rolsuper from pg_roles"
                              " where rolname = current_user"}));
    EXPECT_EQ(rows.text(0, 0), "jobforge");
    EXPECT_EQ(rows.text(0, 1), "jobforge");
    EXPECT_FALSE(rows.boolean(0, 2));
    EXPECT_TRUE(cluster->status().accepting);
}

TEST_F(ClusterTest, a_second_instance_is_refused_with_the_pid_of_the_first_but_may_attach) {
    auto cluster = expect_ok(PrivateCluster::start(options()));
    const Error error = refusal(options());
    EXPECT_EQ(error.code, ErrorCode::INVALID_TRANSITION);
    EXPECT_FALSE(error.retryable);
    EXPECT_NE(error.message.find("pid " + std::to_string(::getpid())), std::string::npos)
        << error.message;
    EXPECT_EQ(expect_ok(PrivateCluster::running_url(home_)), cluster->url());
    EXPECT_EQ(expect_ok(PrivateCluster::running_admin_url(home_)), cluster->admin_url());
    EXPECT_TRUE(connect_to(cluster->url()).alive());
}

TEST_F(ClusterTest, a_clean_stop_leaves_no_process_and_the_next_start_has_the_data) {
    auto cluster = expect_ok(PrivateCluster::start(options()));
    {
        auto admin = connect_to(cluster->admin_url());
        expect_ok(admin.script("write", "create table t as select 42 as n"));
        EXPECT_GT(processes(), 0);
        cluster->stop();  // with a client still connected
    }
    EXPECT_EQ(processes(), 0);
    EXPECT_FALSE(fs::exists(home_ + "/cluster.json"));
    const auto url = PrivateCluster::running_url(home_);
    ASSERT_FALSE(url.ok());
    EXPECT_NE(url.error().hint.find("jobforge up"), std::string::npos);
    cluster->stop();

    auto again = expect_ok(PrivateCluster::start(options()));
    auto admin = connect_to(again->admin_url());
    EXPECT_EQ(expect_ok(admin.exec({"read", "select n from t"})).integer(0, 0), 42);
    EXPECT_EQ(crashes_, 0);
}

TEST_F(ClusterTest, a_killed_server_is_started_again_and_loses_nothing) {
    auto cluster = expect_ok(PrivateCluster::start(options()));
    auto connection = connect_to(cluster->admin_url());
    expect_ok(connection.script("make", "create table t (n int)"));
    for (int round = 1; round <= 2; ++round) {
        expect_ok(connection.exec({"insert", "insert into t values ($1)"}, Params().int4(round)));
        cluster->kill_for_test(SIGKILL);
        ASSERT_TRUE(wait_until(
            [&] { return cluster->status().restarts >= round && cluster->status().accepting; }));
        ASSERT_TRUE(wait_until([&] { return connection.reconnect().ok(); }));
        EXPECT_EQ(expect_ok(connection.exec({"count", "select count(*) from t"})).integer(0, 0),
                  round);
    }
    EXPECT_GE(crashes_, 2);
    EXPECT_EQ(expect_ok(PrivateCluster::running_admin_url(home_)), cluster->admin_url());
}

TEST_F(ClusterTest, after_kill_9_of_the_supervisor_the_next_start_works_and_has_the_data) {
    test::ChildProcess supervisor({JOBFORGE_TEST_CLUSTER_PROGRAM, "run", home_});
    ASSERT_TRUE(supervisor.wait_for_output("ok", std::chrono::seconds(60)))
        << supervisor.error_output();
    const Error error = refusal(options());
    EXPECT_NE(error.message.find("pid " + std::to_string(supervisor.pid())), std::string::npos);
    {
        auto admin = connect_to(expect_ok(PrivateCluster::running_admin_url(home_)));
        expect_ok(admin.script("write", "create table t as select 42 as n"));
    }
    supervisor.send_signal(SIGKILL);
    ASSERT_EQ(supervisor.wait(), 128 + SIGKILL);
    EXPECT_FALSE(PrivateCluster::running_url(home_).ok());
    auto cluster = expect_ok(PrivateCluster::start(options()));
    auto admin = connect_to(cluster->admin_url());
    EXPECT_EQ(expect_ok(admin.exec({"read", "select n from t"})).integer(0, 0), 42);
}

TEST_F(ClusterTest, a_killed_supervisor_takes_its_server_along) {
    test::ChildProcess supervisor({JOBFORGE_TEST_CLUSTER_PROGRAM, "run", home_});
    ASSERT_TRUE(supervisor.wait_for_output("ok", std::chrono::seconds(60)));
    EXPECT_GT(processes(), 0);
    supervisor.send_signal(SIGKILL);
    EXPECT_TRUE(wait_until([&] { return processes() == 0; }));
}

TEST_F(ClusterTest, a_server_without_supervisor_is_stopped_before_a_new_one_starts) {
    expect_ok(PrivateCluster::start(options()))->stop();
    // As if the supervisor had died and the kernel had not told the server.
    const ClusterHome home = expect_ok(ClusterHome::prepare(home_));
    const auto binaries = expect_ok(find_binaries(options(), home));
    const pid_t survivor = expect_ok(spawn(postmaster_command(binaries, home)));
    ClusterAddress address;
    address.socket_dir = home_ + "/run";
    address.port = 5432;
    ConnectOptions connect;
    connect.url = address.url("postgres", "jobforge");
    ASSERT_TRUE(wait_until([&] { return Connection::connect(connect).ok(); }));

    auto cluster = expect_ok(PrivateCluster::start(options()));
    EXPECT_TRUE(wait_for_exit(survivor, std::chrono::milliseconds(0)).has_value());
    EXPECT_NE(cluster->status().postmaster_pid, survivor);
    EXPECT_TRUE(cluster->status().accepting);
}

// After a reboot, and in containers always, the old pid soon belongs to another process.
TEST_F(ClusterTest, a_stale_pid_file_that_names_a_living_stranger_is_no_obstacle) {
    expect_ok(PrivateCluster::start(options()))->stop();
    write(home_ + "/pgdata/postmaster.pid",
          std::to_string(::getpid()) + "\n" + home_ + "/pgdata\n");
    EXPECT_TRUE(PrivateCluster::start(options()).ok());
}

TEST_F(ClusterTest, an_initdb_that_was_killed_halfway_is_started_over) {
    write(home_ + "/lock", "");
    write(home_ + "/pgdata.new/PG_VERSION", "15\n");
    EXPECT_TRUE(PrivateCluster::start(options()).ok());
    EXPECT_FALSE(fs::exists(home_ + "/pgdata.new"));
}

TEST_F(ClusterTest, a_path_too_long_for_a_socket_gets_a_short_socket_directory) {
    home_ = dir_.path() + "/" + std::string(120, 'd');
    auto cluster = expect_ok(PrivateCluster::start(options()));
    const std::string socket_dir = cluster->status().socket_dir;
    EXPECT_LT(socket_dir.size(), 84U);
    EXPECT_TRUE(connect_to(expect_ok(PrivateCluster::running_url(home_))).alive());
    cluster->stop();
    EXPECT_FALSE(fs::exists(socket_dir));
}

TEST_F(ClusterTest, another_major_version_is_refused_with_what_to_do) {
    write(home_ + "/pgdata/PG_VERSION", "9\n");
    const Error error = refusal(options());
    EXPECT_EQ(error.code, ErrorCode::INVALID_TRANSITION);
    EXPECT_FALSE(error.retryable);
    EXPECT_NE(error.message.find("made by Postgres 9"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("only Postgres 1"), std::string::npos) << error.message;
    EXPECT_NE(error.hint.find("pg_upgrade"), std::string::npos);
    EXPECT_NE(error.hint.find("pg_dumpall"), std::string::npos);
    EXPECT_EQ(std::distance(fs::directory_iterator(home_ + "/pgdata"), {}), 1);
}

TEST_F(ClusterTest, directories_that_hold_something_else_are_refused_and_left_alone) {
    write(home_ + "/holiday.jpg", "x");
    struct stat before{};
    ASSERT_EQ(::stat(home_.c_str(), &before), 0);
    EXPECT_NE(refusal(options()).message.find("holiday.jpg"), std::string::npos);
    struct stat after{};
    ASSERT_EQ(::stat(home_.c_str(), &after), 0);
    EXPECT_EQ(after.st_uid, before.st_uid);
    EXPECT_EQ(after.st_mode, before.st_mode);
    EXPECT_FALSE(fs::exists(home_ + "/lock"));

    home_ = dir_.path() + "/data_directory";
    write(home_ + "/PG_VERSION", "14\n");
    EXPECT_NE(refusal(options()).message.find("version 14"), std::string::npos);
    home_ = dir_.path() + "/broken";
    write(home_ + "/pgdata/base/1", "x");
    EXPECT_NE(refusal(options()).message.find("PG_VERSION is missing"), std::string::npos);
    home_ = dir_.path() + "/file";
    write(home_, "x");
    EXPECT_NE(refusal(options()).message.find("not a directory"), std::string::npos);
    home_ = "";
    EXPECT_EQ(refusal(options()).code, ErrorCode::VALIDATION_ERROR);
}

TEST_F(ClusterTest, missing_binaries_and_a_server_that_cannot_start_are_explained) {
    ClusterOptions without = options();
    without.bin_dir = dir_.path();
    const Error missing = refusal(without);
    EXPECT_EQ(missing.code, ErrorCode::CONFIG_MISSING);
    EXPECT_NE(missing.hint.find("DATABASE_URL"), std::string::npos);

    ClusterOptions broken = options();
    broken.settings = {{"max_connections", "many"}};
    const Error failed = refusal(broken);
    EXPECT_EQ(failed.code, ErrorCode::DB_UNAVAILABLE);
    EXPECT_FALSE(failed.retryable);
    EXPECT_NE(failed.message.find("max_connections"), std::string::npos) << failed.message;
    EXPECT_EQ(processes(), 0);
}

}  // namespace
}  // namespace jobforge::pg
