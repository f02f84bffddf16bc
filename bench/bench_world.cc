#include "bench_world.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "engine/schema/migrate.h"

namespace jobforge::bench {

void die(const std::string& what) {
    fmt::print(stderr, "jobforge_bench: {}\n", what);
    std::exit(1);
}

World::World() {
    std::string admin;
    if (const char* url = std::getenv("DATABASE_URL"); url != nullptr && *url != '\0') {
        admin = url;
    } else {
        std::string name = "/tmp/jobforge-bench-XXXXXX";
        if (mkdtemp(name.data()) == nullptr) {
            die("cannot make a temporary directory");
        }
        directory_ = name;
        // Started as root, the server runs as somebody else, who must get in.
        std::filesystem::permissions(directory_, std::filesystem::perms(0755));
        auto cluster = pg::PrivateCluster::start(
            {.data_dir = directory_ + "/cluster", .bin_dir = {}, .settings = {}, .on_event = {}});
        if (!cluster) {
            die(cluster.error().describe());
        }
        cluster_ = std::move(*cluster);
        admin = cluster_->admin_url();
    }
    url_ = admin;
    if (auto migrated = engine::migrate(admin); !migrated) {
        die(migrated.error().describe());
    }
    run(fmt::format("select jobforge.set_job_type('{}')", kType));
    run(
        fmt::format("select jobforge.create_tenant('bench', '{0}') where not exists "
                    "(select from jobforge.list_tenants() where tenant_id = '{0}')",
                    kTenant));
    // The raw ceiling: the same row, keys and ready index, and nothing else.
    run("create schema if not exists bench; drop table if exists bench.jobs, bench.history;"
        "create table bench.jobs (like jobforge.jobs including defaults);"
        "alter table bench.jobs add primary key (tenant_id, job_id);"
        "create index on bench.jobs (type, priority, scheduled_at) where status = 'QUEUED';"
        "create table bench.history (like jobforge.finished_jobs including defaults);"
        "alter table bench.history add primary key (tenant_id, job_id)");
}

World::~World() {
    cluster_.reset();
    if (!directory_.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(directory_, ignored);
    }
}

pg::Connection World::connect(bool prepare) const {
    auto connection = pg::Connection::connect(
        {.url = url_, .application_name = "jobforge_bench", .prepare_statements = prepare});
    if (!connection) {
        die(connection.error().describe());
    }
    return std::move(*connection);
}

std::string World::text(const std::string& sql) const {
    pg::Connection connection = connect();
    PGresult* result = PQexec(connection.native(), sql.c_str());
    if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) == 0) {
        die(sql + ": " + PQresultErrorMessage(result));
    }
    std::string value = PQgetvalue(result, 0, 0);
    PQclear(result);
    return value;
}

std::int64_t World::number(const std::string& sql) const {
    return std::atoll(text(sql).c_str());
}

void World::run(const std::string& sql) const {
    pg::Connection connection = connect();
    if (auto status = connection.script("bench", sql); !status) {
        die(status.error().describe());
    }
}

void World::clear() const {
    run("truncate jobforge.jobs, jobforge.finished_jobs, jobforge.attempt_records, "
        "jobforge.idempotency_keys, jobforge.counter_deltas, bench.jobs, bench.history; "
        "checkpoint");
}

double seconds(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double parallel(int clients, const std::function<void(int)>& work) {
    return seconds([&] {
        std::vector<std::jthread> threads;
        for (int client = 0; client < clients; ++client) {
            threads.emplace_back([&work, client] { work(client); });
        }
    });
}

double at_share(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void report(std::string_view what, double ours, double raw, std::string_view unit) {
    fmt::print("{:<52} {:>10.0f}   raw {:>10.0f} {:<7} {:>6.2f}\n", what, ours, raw, unit,
               ours / raw);
    std::fflush(stdout);
}

}  // namespace jobforge::bench
