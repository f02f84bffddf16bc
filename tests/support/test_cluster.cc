#include "test_cluster.h"

#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <thread>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "localpg/cluster.h"
#include "localpg/cluster_home.h"
#include "temp_dir.h"

namespace jobforge::test {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void give_up(std::string_view what, const Error& error) {
    std::fprintf(stderr, "test support: %.*s: %s %s\n", static_cast<int>(what.size()), what.data(),
                 error.describe().c_str(), error.hint.c_str());
    std::abort();
}

template <typename T>
T must(Result<T> result, std::string_view what) {
    if (!result.ok()) {
        give_up(what, result.error());
    }
    return *std::move(result);
}

pg::Connection connect_to(const std::string& url) {
    pg::ConnectOptions options;
    options.url = url;
    options.application_name = "jobforge-test";
    return must(pg::Connection::connect(options), "cannot connect");
}

// What test programs that crashed left behind: old enough that nobody is about to lock it.
void sweep_abandoned() {
    const auto old = fs::file_time_type::clock::now() - std::chrono::minutes(5);
    std::error_code code;
    for (const auto& entry : fs::directory_iterator("/tmp", code)) {
        std::error_code ignored;
        if (entry.path().string().starts_with(kTempDirPrefix) &&
            fs::last_write_time(entry.path(), ignored) < old && !ignored &&
            fs::exists(entry.path() / "cluster/lock", ignored) &&
            !pg::SupervisorLock::holder(entry.path() / "cluster")) {
            fs::remove_all(entry.path(), ignored);
        }
    }
}

// With the time, because a run may meet the same pid twice.
std::string unique_database_name() {
    static std::atomic<int> counter{0};
    static const auto started = std::chrono::system_clock::now().time_since_epoch().count();
    return fmt::format("test_{}_{:x}_{}", ::getpid(), started, ++counter);
}

// Names are ours (letters, digits, _): quoting is enough.
std::string create_database(std::string_view name, std::string_view from) {
    return fmt::format("create database \"{}\" template \"{}\"", name, from);
}

// As `jobforge migrate` does outside production.
void enable_test_types(const std::string& url) {
    auto connection = must(pg::Connection::connect({.url = url}), "cannot open the template");
    must(connection.script(
             "enable_test_types",
             "do $$ begin if to_regproc('jobforge.enable_test_types') is not null then "
             "perform jobforge.enable_test_types(true); end if; end $$"),
         "cannot enable the test types");
}

void make_template(pg::Connection& admin, const std::string& name, const Migrate& migrate) {
    const auto done = must(
        admin.exec(
            {"find_template", "select 1 from pg_database where datname = $1 and datistemplate"},
            pg::Params().text(name)),
        "cannot look for the template");
    if (!done.empty()) {
        return;
    }
    // A half-made one of a process that died while migrating.
    must(admin.script("drop_half_template", fmt::format("drop database if exists \"{}\"", name)),
         "cannot drop the half-made template");
    must(admin.script("create_template", create_database(name, "template0")),
         "cannot create the template");
    const std::string url = TestCluster::instance().url("postgres", name);
    must(migrate(url), "cannot migrate the template");
    enable_test_types(url);
    must(admin.script("finish_template", fmt::format("alter database \"{}\" with is_template true "
                                                     "allow_connections false",
                                                     name)),
         "cannot finish the template");
}

// Nobody gets in any more, and who is still there is thrown out, as a drop would.
void abandon(pg::Connection& admin, const std::string& name) {
    (void)admin.script("close_database",
                       fmt::format("alter database \"{}\" allow_connections false", name));
    (void)admin.exec({"end_sessions",
                      "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1"},
                     pg::Params().text(name));
}

}  // namespace

struct TestCluster::Own {
    // As the fixture of ctest does for its cluster.
    void drop_finished_until(const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        while (!wake.wait_for(lock, stop, std::chrono::seconds(2),
                              [&stop] { return stop.stop_requested(); })) {
            (void)drop_finished(cluster->admin_url());
        }
    }

    TempDir dir;
    std::unique_ptr<pg::PrivateCluster> cluster;
    std::jthread sweeper;  // last: ends before the cluster does
};

TestCluster& TestCluster::instance() {
    static TestCluster cluster;
    return cluster;
}

TestCluster::TestCluster() {
    if (const char* url = std::getenv("JOBFORGE_TEST_CLUSTER_URL"); url != nullptr) {
        admin_url_ = url;
        return;
    }
    if (const char* dir = std::getenv("JOBFORGE_TEST_CLUSTER_DIR"); dir != nullptr) {
        admin_url_ = must(pg::PrivateCluster::running_admin_url(dir), "the ctest fixture is gone");
        home_ = dir;
        return;
    }
    sweep_abandoned();
    own_ = std::make_unique<Own>();
    pg::ClusterOptions options;
    home_ = own_->dir.path() + "/cluster";
    options.data_dir = home_;
    own_->cluster = must(pg::PrivateCluster::start(options), "cannot start a cluster");
    admin_url_ = own_->cluster->admin_url();
    if (!in_memory()) {
        own_->sweeper = std::jthread(
            [own = own_.get()](const std::stop_token& stop) { own->drop_finished_until(stop); });
    }
}

TestCluster::~TestCluster() = default;

bool TestCluster::has_room() const {
    // Far more than the tests at work and the server's log of changes (max_wal_size) still need.
    constexpr std::uintmax_t kEnough = 8UL << 30U;
    std::error_code code;
    return !home_.empty() && fs::space(home_, code).available > kEnough && !code;
}

bool TestCluster::in_memory() const {
    struct statfs system{};
    return !home_.empty() && ::statfs(home_.c_str(), &system) == 0 && system.f_type == TMPFS_MAGIC;
}

std::string TestCluster::url(std::string_view login, std::string_view database) const {
    return with_login_and_database(admin_url_, login, database);
}

TestDatabase::TestDatabase() : name_(unique_database_name()) {
    auto admin = connect_to(TestCluster::instance().admin_url());
    must(admin.script("create_database", create_database(name_, "template0")),
         "cannot create a database");
}

TestDatabase::TestDatabase(std::string_view template_name, const Migrate& migrate)
    : name_(unique_database_name()) {
    const std::string source = fmt::format("template_{}", template_name);
    auto admin = connect_to(TestCluster::instance().admin_url());
    must(admin.exec({"lock_template", "select pg_advisory_lock(hashtextextended($1, 0))"},
                    pg::Params().text(source)),
         "cannot lock the template");
    make_template(admin, source, migrate);
    must(admin.exec({"unlock_template", "select pg_advisory_unlock(hashtextextended($1, 0))"},
                    pg::Params().text(source)),
         "cannot unlock the template");
    must(admin.script("copy_template", create_database(name_, source)), "cannot copy the template");
}

TestDatabase::~TestDatabase() {
    const TestCluster& cluster = TestCluster::instance();
    pg::ConnectOptions options;
    options.url = cluster.admin_url();
    // A test may have killed the server on purpose; then there is nothing to leave.
    auto admin = pg::Connection::connect(options);
    if (!admin.ok()) {
        return;
    }
    if (!cluster.in_memory() && cluster.has_room()) {
        abandon(*admin, name_);
    } else {
        (void)admin->script("drop_database",
                            fmt::format("drop database if exists \"{}\" with (force)", name_));
    }
}

std::size_t drop_finished(const std::string& admin_url, const FinishedDatabases& which) {
    pg::ConnectOptions options;
    options.url = admin_url;
    auto admin = pg::Connection::connect(options);
    if (!admin.ok()) {
        return 0;
    }
    const auto finished = admin->exec(
        {"finished_databases",
         "select datname::text from pg_database where not datallowconn and not datistemplate and "
         "starts_with(datname, $1) order by oid"},
        pg::Params().text(which.prefix));
    if (!finished.ok() || static_cast<std::size_t>(finished->size()) <= which.most) {
        return 0;
    }
    const auto until = std::chrono::steady_clock::now() + which.patience;
    const std::size_t too_many = static_cast<std::size_t>(finished->size()) - which.fewest;
    std::size_t dropped = 0;
    while (dropped < too_many && std::chrono::steady_clock::now() < until) {
        const std::string sql = fmt::format("drop database if exists \"{}\" with (force)",
                                            finished->text(static_cast<int>(dropped), 0));
        if (!admin->script("drop_finished", sql).ok()) {
            break;
        }
        ++dropped;
    }
    return dropped;
}

std::string TestDatabase::url(std::string_view login) const {
    return TestCluster::instance().url(login, name_);
}

pg::Connection TestDatabase::connect(std::string_view login) const {
    return connect_to(url(login));
}

std::map<std::string, std::string> connection_keywords(const std::string& url) {
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
        PQconninfoParse(url.c_str(), nullptr), &PQconninfoFree);
    std::map<std::string, std::string> values;
    for (const PQconninfoOption* option = options.get();
         option != nullptr && option->keyword != nullptr; ++option) {
        if (option->val != nullptr) {
            values[option->keyword] = option->val;
        }
    }
    return values;
}

std::string with_login_and_database(const std::string& url, std::string_view login,
                                    std::string_view database) {
    std::string result = fmt::format("dbname='{}' user='{}'", database, login);
    for (const auto& [keyword, value] : connection_keywords(url)) {
        if (keyword != "dbname" && keyword != "user") {
            result += fmt::format(" {}='{}'", keyword, value);
        }
    }
    return result;
}

}  // namespace jobforge::test
