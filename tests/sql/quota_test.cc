// Quotas count exactly at any moment, and nobody waits for the count.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "sql_session.h"

namespace jobforge::test {
namespace {

class Quota : public testing::Test {
protected:
    void set_quota(Session& session, const std::string& most) {
        session.run(fmt::format("select jobforge.set_tenant('{}', '{{\"max_waiting_jobs\": {}}}')",
                                kTenantA, most));
    }
    std::string counted() {
        return sql.one(
            fmt::format("select (w.jobs, w.bytes)::text from "
                        "jobforge.tenant_waiting('{}') w",
                        kTenantA));
    }
    std::string rows() {
        return sql.one(
            fmt::format("select (count(*), coalesce(sum(payload_bytes), 0))::text from "
                        "jobforge.jobs where status = 'QUEUED' and tenant_id = '{}'",
                        kTenantA));
    }

    // What is counted and what is there, both as of one moment.
    static TextRow counted_and_there(Session& session) {
        const auto both = session.rows(fmt::format(
            "begin isolation level repeatable read; select (w.jobs, w.bytes)::text, (select "
            "(count(*), coalesce(sum(payload_bytes), 0))::text from jobforge.jobs where status = "
            "'QUEUED' and tenant_id = '{0}') from jobforge.tenant_waiting('{0}') w",
            kTenantA));
        session.run("commit");
        return both.at(0);
    }

    EngineDatabase database;
    Session sql = database.session();
};

// Every way in and out of the queue.
void move_jobs(Session& session, const std::string& worker) {
    session.run(
        "select from jobforge.enqueue_jobs(array['a', 'a', 'b'], "
        "array['{}', '{\"x\": 1}', '{}']::jsonb[])");
    const std::string claim = fmt::format(
        "select tenant_id, job_id, lease_token from jobforge.claim_jobs('{}', 1, array['a', 'b'])",
        worker);
    const auto settle = [&](const std::string& function, const std::string& more) {
        for (const auto& row : session.rows(claim)) {
            session.run(fmt::format("select jobforge.{}('{}', '{}', '{}', {}{})", function, worker,
                                    row[0], row[1], row[2], more));
        }
    };
    settle("complete_job", "");
    settle("snooze_job", ", 0");
    settle("fail_job", R"(, '{"code": "X", "message": "m"}', 0)");
    const auto job = session.one("select job_id from jobforge.enqueue_job('b', '{\"y\": 2}')");
    (void)session.error(fmt::format("select jobforge.cancel_job('{}')", job));
    session.run("begin; select from jobforge.enqueue_job('a'); rollback");
    (void)session.error(fmt::format("select jobforge.reschedule_job('{}')", job));
    session.run("select jobforge.fold_counters()");
}

TEST_F(Quota, is_exact_when_it_is_switched_on_under_load) {
    constexpr int kThreads = 3;
    std::vector<Session> sessions;
    for (int thread = 0; thread < kThreads; ++thread) {
        sessions.push_back(database.session());
    }
    Session observer = database.session();
    int observed = 0;
    for (int round = 0; round < 35; ++round) {
        {
            std::atomic<int> moving = kThreads;
            std::vector<std::jthread> workers;
            for (int thread = 0; thread < kThreads; ++thread) {
                workers.emplace_back([&sessions, &moving, thread] {
                    move_jobs(sessions[static_cast<std::size_t>(thread)],
                              "w" + std::to_string(thread));
                    --moving;
                });
            }
            workers.emplace_back([&] {
                for (; moving > 0; ++observed) {
                    const auto both = counted_and_there(observer);
                    EXPECT_EQ(both[0], both[1]) << "during round " << round;
                }
            });
            set_quota(sql, "1000000");
            set_quota(sql, round % 2 == 0 ? "null" : "2000000");
        }
        ASSERT_EQ(counted(), rows()) << "after round " << round;
    }
    EXPECT_GT(observed, 35) << "the load was over before it was looked at";
}

TEST_F(Quota, lets_as_many_in_as_it_says_however_many_ask_at_once) {
    set_quota(sql, "10");
    std::atomic<int> accepted = 0;
    {
        std::vector<std::jthread> clients;
        for (int client = 0; client < 4; ++client) {
            clients.emplace_back([&] {
                Session mine = database.session();
                for (int n = 0; n < 5; ++n) {
                    accepted += mine.error("select jobforge.enqueue_job('a')") == "ok" ? 1 : 0;
                }
            });
        }
    }
    EXPECT_EQ(accepted, 10);
    EXPECT_EQ(counted(), rows());
}

TEST_F(Quota, does_not_wait_behind_an_open_enqueue_and_holds_up_nobody) {
    Session open = database.session();
    open.run("begin; select from jobforge.enqueue_job('a')");
    sql.run("set lock_timeout = '10s'");  // a wait fails and does not hang
    set_quota(sql, "100");
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a')"), "ok");
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a')"), "ok");
    // With its quota, the tenant's open enqueue keeps only its other enqueues waiting.
    Session next = database.session();
    next.run("begin; select from jobforge.enqueue_job('a')");
    const auto job = sql.one("select job_id from jobforge.claim_jobs('w', 1, array['a'])");
    ASSERT_NE(job, "(none)");
    EXPECT_EQ(
        sql.error(fmt::format("select jobforge.snooze_job('w', '{}', '{}', 1, 0)", kTenantA, job)),
        "ok");
    EXPECT_EQ(sql.error("select jobforge.claim_jobs('w', 1, array['a'])"), "ok");
    EXPECT_EQ(sql.error(fmt::format("select jobforge.cancel_job('{}')", job)), "ok");
    const auto leased =
        sql.rows("select job_id, lease_token from jobforge.jobs where status = 'RUNNING'").at(0);
    sql.run(
        fmt::format("select from jobforge.heartbeat_jobs('w', array['{}'::uuid], "
                    "array['{}'::uuid], array[{}::bigint], 6000)",
                    kTenantA, leased[0], leased[1]));
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs where status = 'RUNNING' and "
                      "lease_expires_at > clock_timestamp() + interval '1 h'"),
              "1")
        << "its lease is renewed";
    sql.run(
        "update jobforge.jobs set lease_expires_at = clock_timestamp() where status = 'RUNNING'");
    EXPECT_EQ(sql.one("select jobforge.reclaim_expired()"), "1");
    EXPECT_EQ(
        sql.one(fmt::format("select status from jobforge.jobs where job_id = '{}'", leased[0])),
        "QUEUED");
    sql.use_tenant(kTenantB);
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a')"), "ok");
    set_quota(sql, "null");
    open.run("commit");
    next.run("commit");
    EXPECT_EQ(counted(), rows());
}

TEST_F(Quota, a_rate_of_zero_lets_nothing_through) {
    for (const char* rate : {"rate_limit_per_minute", "tenant_rate_limit_per_minute"}) {
        sql.run("select from jobforge.enqueue_job('a')");
        const auto set = [&](const char* value) {
            sql.run(
                fmt::format("select jobforge.set_job_type('a', '{{\"{}\": {}}}')", rate, value));
        };
        set("0");
        EXPECT_TRUE(sql.rows("select from jobforge.claim_jobs('w', 9, array['a'])").empty())
            << rate;
        set("null");
        EXPECT_EQ(sql.rows("select from jobforge.claim_jobs('w', 9, array['a'])").size(), 1U)
            << rate;
    }
}

}  // namespace
}  // namespace jobforge::test
