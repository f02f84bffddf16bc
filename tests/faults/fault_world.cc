#include "fault_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <csignal>
#include <cstdlib>

#include "engine/schema/migrate.h"
#include "test_paths.h"

namespace jobforge::test {
namespace {

void must(const Status& status) {
    if (!status) {
        ADD_FAILURE() << status.error().describe();
        std::abort();
    }
}

}  // namespace

FaultWorld::FaultWorld(std::string url) : url_(std::move(url)), worker_url_(url_) {
    if (auto migrated = engine::migrate(url_); !migrated) {
        ADD_FAILURE() << migrated.error().describe();
        std::abort();
    }
    auto connection = pg::Connection::connect({.url = url_});
    must(connection->script("fixtures", fmt::format(R"(
        create table public.effects (effect_id bigserial primary key, job_id uuid not null, lease_token bigint not null);
        select jobforge.create_tenant('faults', '{}');
        select jobforge.set_job_type(t, '{{"backoff_jitter": 0}}') from unnest(array['effect', 'freeze', 'busy', 'poison']) t;
    )",
                                                    kFaultTenant)));
}

std::string FaultWorld::one(const std::string& sql) const {
    std::string value;
    const bool answered = wait_until([&] {
        auto connection = pg::Connection::connect({.url = url_});
        if (!connection) {
            return false;  // the server is being restarted by the test
        }
        PGresult* result = PQexec(connection->native(), sql.c_str());
        const bool good = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) > 0;
        if (good) {
            value = PQgetvalue(result, 0, 0);
        }
        PQclear(result);
        return good;
    });
    EXPECT_TRUE(answered) << sql;
    return value;
}

Client FaultWorld::client() const {
    auto client = Client::connect({.database_url = url_, .tenant_id = *Uuid::parse(kFaultTenant)});
    if (!client) {
        ADD_FAILURE() << client.error().describe();
        std::abort();
    }
    return std::move(*client);
}

void FaultWorld::enqueue(const std::string& type, int jobs, int milliseconds, int max_attempts,
                         const std::string& padding) const {
    const NewJob job{.type = type,
                     .payload = Json::object({{"ms", milliseconds}, {"padding", padding}}),
                     .max_attempts = max_attempts};
    auto added = client().enqueue_many(std::vector<NewJob>(static_cast<std::size_t>(jobs), job));
    ASSERT_TRUE(added) << added.error().describe();
}

std::string FaultWorld::start_worker(int slots) {
    const std::string id = fmt::format("worker-{}", ++started_);
    workers_[id] = std::make_unique<ChildProcess>(
        std::vector<std::string>{JOBFORGE_FAULT_WORKER, worker_url_, id,
                                 std::to_string(kLeaseSeconds), std::to_string(slots)});
    return id;
}

std::vector<std::string> FaultWorld::alive() {
    std::vector<std::string> ids;
    for (auto& [id, process] : workers_) {
        if (process->running()) {
            ids.push_back(id);
        }
    }
    return ids;
}

void FaultWorld::stop_workers() {
    for (const auto& id : alive()) {
        workers_.at(id)->send_signal(SIGTERM);
    }
    for (auto& [id, process] : workers_) {
        EXPECT_TRUE(process->wait().has_value()) << id << " does not drain\n"
                                                 << process->error_output();
    }
}

void FaultWorld::expect_exactly_once(int jobs) const {
    EXPECT_EQ(count("select count(*) from jobforge.finished_jobs where status = 'SUCCEEDED' and "
                    "type <> 'poison'"),
              jobs);
    EXPECT_EQ(count("select count(*) from public.effects"), jobs);
    EXPECT_EQ(count("select count(distinct job_id) from public.effects"), jobs);
    EXPECT_EQ(
        count("select count(*) from public.effects e join jobforge.finished_jobs f using (job_id) "
              "where f.lease_token = e.lease_token and f.result ->> 'token' = f.lease_token::text"),
        jobs);
    // Tokens strictly grow: no two attempts of a job have the same.
    EXPECT_EQ(one("select coalesce(bool_and(tokens = attempts), true) from (select count(*) "
                  "attempts, count(distinct lease_token) tokens "
                  "from jobforge.job_attempts group by job_id) x"),
              "t");
}

}  // namespace jobforge::test
