#include "pg_bouncer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "test_cluster.h"

namespace jobforge::test {
namespace {

constexpr int kPort = 6432;  // names the socket only: it does not listen on TCP

// Owns the pooler of the process and checks, when the tests are over, that it was used.
class Pooler final : public testing::Environment {
public:
    static Pooler& instance() {
        static Pooler* pooler = [] {
            auto* made = new Pooler;
            testing::AddGlobalTestEnvironment(made);  // takes ownership
            return made;
        }();
        return *pooler;
    }
    std::string url(const std::string& direct) {
        const std::lock_guard lock(mutex_);
        if (!bouncer_) {
            bouncer_ = std::make_unique<PgBouncer>(TestCluster::instance().admin_url());
        }
        return bouncer_->url(direct);
    }
    void TearDown() override {
        if (bouncer_) {
            EXPECT_GT(bouncer_->transactions(), 0) << "nothing went through PgBouncer";
            bouncer_.reset();
        }
    }

private:
    std::mutex mutex_;
    std::unique_ptr<PgBouncer> bouncer_;
};

// Registered before the tests run, so that TearDown is called after them.
[[maybe_unused]] const bool kRegistered = pooled() && (Pooler::instance(), true);

}  // namespace

PgBouncer::PgBouncer(const std::string& server_url) {
    auto server = connection_keywords(server_url);
    const std::string config = home_.path() + "/pgbouncer.ini";
    std::ofstream(config) << fmt::format(
        "[databases]\n* = host={0} port={1}\n[pgbouncer]\nlisten_addr =\nunix_socket_dir = {2}\n"
        "listen_port = {3}\npool_mode = transaction\nauth_type = trust\nauth_file = {2}/users\n"
        "auth_user = postgres\nadmin_users = postgres\nmax_client_conn = 500\n"
        "default_pool_size = 20\nserver_reset_query =\nlogfile = {2}/log\n"
        "ignore_startup_parameters = extra_float_digits,options\n",
        server["host"], server["port"].empty() ? "5432" : server["port"], home_.path(), kPort);
    std::ofstream(home_.path() + "/users") << "\"postgres\" \"\"\n";
    for (const auto& entry : std::filesystem::directory_iterator(home_.path())) {
        std::filesystem::permissions(entry.path(), std::filesystem::perms(0644));
    }
    std::filesystem::permissions(home_.path(), std::filesystem::perms(0777));
    std::vector<std::string> command = {"/usr/sbin/pgbouncer"};
    if (geteuid() == 0) {
        command.insert(command.end(), {"-u", "postgres"});
    }
    command.push_back(config);
    process_ = std::make_unique<ChildProcess>(command);
    const bool ready =
        wait_until([&] { return pg::Connection::connect({.url = url(server_url)}).ok(); });
    if (!ready) {
        ADD_FAILURE() << "pgbouncer does not start\n" << process_->error_output();
        std::abort();
    }
}

std::string PgBouncer::url(const std::string& direct_url) const {
    auto server = connection_keywords(direct_url);
    return fmt::format("host='{}' port={} user='{}' dbname='{}'", home_.path(), kPort,
                       server["user"], server["dbname"]);
}

long PgBouncer::transactions() const {
    PGconn* connection = PQconnectdb(
        fmt::format("host='{}' port={} user=postgres dbname=pgbouncer", home_.path(), kPort)
            .c_str());
    // Sums a column (rows, without one) over the databases of the tests: not its own console, and
    // not the one this file asks to see whether it is ready.
    const auto show = [&](const char* what, const char* column) {
        PGresult* result = PQexec(connection, what);
        long total = 0;
        for (int row = 0; row < PQntuples(result); ++row) {
            const auto value = [&](const char* name) {
                return std::string(PQgetvalue(result, row, PQfnumber(result, name)));
            };
            if (value("database") == "pgbouncer" || value("database") == "postgres") {
                continue;
            }
            if (column != nullptr) {
                total += std::stol(value(column));
            } else {
                total += value("pool_mode") == "transaction" ? 1 : 0;
            }
        }
        PQclear(result);
        return total;
    };
    const long pools = show("SHOW POOLS", nullptr);
    const long transactions = show("SHOW STATS", "total_xact_count");
    PQfinish(connection);
    return pools > 0 ? transactions : 0;
}

bool pooled() {
    const char* wanted = std::getenv("JOBFORGE_TEST_PGBOUNCER");
    return wanted != nullptr && std::string(wanted) == "1";
}

std::string pooled_url(const std::string& direct_url) {
    return pooled() ? Pooler::instance().url(direct_url) : direct_url;
}

}  // namespace jobforge::test
