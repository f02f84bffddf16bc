// On a server of its own: prepared transactions, and what a new timeline does to tokens.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <filesystem>
#include <fstream>

#include "engine/schema/migrate.h"
#include "localpg/cluster.h"
#include "sql_session.h"
#include "temp_dir.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

class ServerSettings : public testing::Test {
protected:
    void SetUp() override {
        start();
        ASSERT_TRUE(engine::migrate(cluster->admin_url()).ok());
        Session sql = session();
        sql.run(fmt::format("select jobforge.create_tenant('a', '{}'), jobforge.set_job_type('a')",
                            kTenantA));
    }
    void start() {
        pg::ClusterOptions options;
        options.data_dir = home();
        // hot_standby: nobody gets in before a recovery has ended.
        options.settings = {{"max_prepared_transactions", "4"},
                            {"restore_command", "'false'"},
                            {"hot_standby", "off"}};
        auto started = pg::PrivateCluster::start(options);
        ASSERT_TRUE(started.ok()) << started.error().describe();
        cluster = std::move(*started);
    }
    [[nodiscard]] std::string home() const { return dir.path() + "/cluster"; }
    [[nodiscard]] Session session() const {
        Session session(cluster->admin_url());
        session.use_tenant(kTenantA);
        return session;
    }

    TempDir dir;
    std::unique_ptr<pg::PrivateCluster> cluster;
};

// Whether the next notification is a wake-up. It says nothing else: every login may listen.
bool is_woken(Session& listener) {
    PGconn* connection = listener.connection().native();
    PGnotify* notice = nullptr;
    (void)wait_until([&] {
        PQconsumeInput(connection);
        notice = PQnotifies(connection);
        return notice != nullptr;
    });
    const bool woken = notice != nullptr && std::string_view(notice->relname) == "jobforge_wake" &&
                       std::string_view(notice->extra).empty();
    PQfreemem(notice);
    return woken;
}

TEST_F(ServerSettings, an_enqueue_can_be_prepared_also_while_a_worker_sleeps) {
    Session sql = session();
    Session listener = session();
    listener.run("listen jobforge_wake");
    for (const char* nap : {"0", "60000"}) {
        sql.run(fmt::format("select jobforge.ask_for_wake(array['a'], {})", nap));
        for (const char* enqueue :
             {"jobforge.enqueue_job('a')",
              "jobforge.enqueue_jobs(array['a', 'a'], array['{}', '{}']::jsonb[])"}) {
            sql.run(fmt::format("begin; select from {}", enqueue));
            EXPECT_EQ(sql.error("prepare/* in two words */transaction 'two'"), "ok")
                << enqueue << sql.message();
            EXPECT_EQ(sql.error("commit prepared 'two'"), "ok");
        }
    }
    EXPECT_EQ(sql.rows("select from jobforge.claim_jobs('w', 9, array['a'])").size(), 6U);
    // A plain commit wakes, in one statement and in a transaction.
    sql.run("select from jobforge.enqueue_job('a')");
    EXPECT_TRUE(is_woken(listener));
    sql.run("begin");
    sql.run("select from jobforge.enqueue_job('a')");
    sql.run("commit");
    EXPECT_TRUE(is_woken(listener));
    // A worker's login enqueues and wakes, too, and the requests do not pile up.
    sql.run("create role w login in role jobforge_worker");
    Session worker(with_login_and_database(cluster->admin_url(), "w", "jobforge"));
    worker.use_tenant(kTenantA);
    worker.run("select from jobforge.enqueue_job('a')");
    EXPECT_TRUE(is_woken(listener));
    // Not while the queue of notifications is too full (here: whatever it holds).
    sql.run(
        "create or replace function jobforge.notify_limit() returns double precision language sql "
        "immutable as 'select 0::double precision'");
    worker.run("select from jobforge.enqueue_job('a')");
    sql.run("notify jobforge_wake, 'not ours'");
    EXPECT_FALSE(is_woken(listener));
    EXPECT_NE(worker.one("select jobforge.prune_wake_requests()"), "0");
    EXPECT_EQ(sql.one("select count(*) from jobforge.wake_requests"), "0");
}

TEST_F(ServerSettings, a_new_timeline_never_issues_a_token_again) {
    std::string job;
    {
        Session sql = session();
        EXPECT_EQ(sql.one("select jobforge.token_floor()"), "0");
        job = sql.one("select job_id from jobforge.enqueue_job('a')");
        EXPECT_EQ(sql.one("select lease_token from jobforge.claim_jobs('w', 1, array['a'])"), "1");
        sql.run(fmt::format("select jobforge.snooze_job('w', '{}', '{}', 1, 0)", kTenantA, job));
    }
    // Recovery from an archive (that has nothing) ends on a new timeline, as a promotion does.
    cluster.reset();
    std::ofstream(home() + "/pgdata/recovery.signal").close();
    std::filesystem::permissions(home() + "/pgdata/recovery.signal", std::filesystem::perms::all);
    start();
    Session sql = session();
    ASSERT_EQ(sql.one("select timeline_id from pg_control_checkpoint()"), "2");
    EXPECT_EQ(sql.one("select lease_token - (1::bigint << 32) from jobforge.claim_jobs('w', 1, "
                      "array['a'])"),
              "1");
    // An interrupted job, too, and after the jump tokens grow by one again.
    sql.run("update jobforge.jobs set lease_expires_at = clock_timestamp() - interval '1 ms'");
    EXPECT_EQ(sql.one("select lease_token - (1::bigint << 32) from jobforge.claim_jobs('w', 1, "
                      "array['a'])"),
              "2");
    EXPECT_EQ(
        sql.error(fmt::format("select jobforge.complete_job('w', '{}', '{}', 2)", kTenantA, job)),
        "LEASE_LOST");
}

}  // namespace
}  // namespace jobforge::test
