#include "raw_sql.h"

#include <fmt/format.h>

#include <atomic>

namespace jobforge::bench {
namespace {

constexpr char kInsert[] =
    "insert into bench.jobs (tenant_id, job_id, type, scheduled_at, created_at, payload) "
    "select $1, jobforge.uuid_v7(t.now), 'raw', t.now, t.now, '{\"n\": 1}' "
    "from (select clock_timestamp() as now from generate_series(1, $2)) t";

// One statement that claims, and one that deletes and keeps the history row: the same two
// transactions per batch that an engine needs.
constexpr char kClaim[] =
    "with picked as materialized (select ctid as row_id from bench.jobs where status = 'QUEUED' "
    "and "
    "type = 'raw' and priority = 2 and scheduled_at <= clock_timestamp() order by scheduled_at "
    "limit $1 for update skip locked) "
    "update bench.jobs j set status = 'RUNNING', attempts = attempts + 1, lease_token = "
    "lease_token + 1, "
    "lease_owner = 'raw', lease_expires_at = clock_timestamp() + interval '1 min', started_at = "
    "clock_timestamp() "
    "where j.ctid = any(array(select row_id from picked)) returning j.job_id";
constexpr char kFinish[] =
    "with gone as (delete from bench.jobs j using unnest($2::uuid[]) i(job_id) where j.tenant_id = "
    "$1 and "
    "j.job_id = i.job_id returning j.*) "
    "insert into bench.history (tenant_id, job_id, type, status, priority, attempts, max_attempts, "
    "interrupted, "
    "lease_token, scheduled_at, created_at, started_at, completed_at, lease_owner, payload) "
    "select tenant_id, job_id, type, 'SUCCEEDED', priority, attempts, max_attempts, false, "
    "lease_token, "
    "scheduled_at, created_at, started_at, clock_timestamp(), lease_owner, payload from gone";

Uuid tenant() {
    return *Uuid::parse(kTenant);
}

pg::Rows must(Result<pg::Rows> rows) {
    if (!rows) {
        die(rows.error().describe());
    }
    return std::move(*rows);
}

}  // namespace

double raw_single_inserts(const World& world, int clients, int jobs) {
    return raw_batch_inserts(world, clients, 1, jobs);
}

double raw_batch_inserts(const World& world, int clients, int batch, int jobs) {
    std::atomic<int> left = jobs;
    const double took = parallel(clients, [&](int) {
        pg::Connection connection = world.connect(/*prepare=*/true);
        while (left.fetch_sub(batch) > 0) {
            pg::Params params;
            params.uuid(tenant()).int4(batch);
            (void)must(connection.exec({"raw_insert", kInsert}, params));
        }
    });
    return jobs / took;
}

double raw_drain(const World& world, int batch, int jobs) {
    (void)raw_batch_inserts(world, 2, 1000, jobs);
    world.run("analyze bench.jobs");
    const double took = parallel(2, [&](int) {
        pg::Connection connection = world.connect();
        for (;;) {
            pg::Params limit;
            limit.int4(batch);
            const pg::Rows rows = must(connection.exec({"raw_claim", kClaim}, limit));
            if (rows.empty()) {
                return;
            }
            std::vector<Uuid> ids;
            for (int row = 0; row < rows.size(); ++row) {
                ids.push_back(rows.uuid(row, 0));
            }
            pg::Params finish;
            finish.uuid(tenant()).uuid_array(ids);
            (void)must(connection.exec({"raw_finish", kFinish}, finish));
        }
    });
    return jobs / took;
}

std::vector<double> raw_pings(const World& world, int pings) {
    pg::Connection inserter = world.connect(/*prepare=*/true);
    pg::Connection claimer = world.connect(/*prepare=*/true);
    std::vector<double> milliseconds;
    for (int ping = 0; ping < pings; ++ping) {
        const double took = seconds([&] {
            (void)must(inserter.exec({"raw_insert", kInsert}, pg::Params().uuid(tenant()).int4(1)));
            if (must(claimer.exec({"raw_claim", kClaim}, pg::Params().int4(1))).size() != 1) {
                die("the raw claim found no row");
            }
        });
        milliseconds.push_back(1000 * took);
    }
    return milliseconds;
}

}  // namespace jobforge::bench
