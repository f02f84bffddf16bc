// What a client sees when the server dies under it, on a cluster of its own.
#include <atomic>
#include <csignal>
#include <thread>

#include "localpg/cluster.h"
#include "pg/listener.h"
#include "pg/pool.h"
#include "pg_fixture.h"
#include "temp_dir.h"

namespace jobforge::pg {
namespace {

using test::connect_to;
using test::expect_ok;
using test::is_running;
using test::wait_until;

class CrashTest : public ::testing::Test {
protected:
    CrashTest() {
        ClusterOptions options;
        options.data_dir = dir_.path() + "/cluster";
        cluster_ = expect_ok(PrivateCluster::start(options));
    }
    test::TempDir dir_;
    std::unique_ptr<PrivateCluster> cluster_;
};

TEST_F(CrashTest, a_server_killed_in_mid_statement_is_a_lost_connection_and_everything_recovers) {
    auto connection = connect_to(cluster_->admin_url());
    auto observer = connect_to(cluster_->admin_url());
    PoolOptions pool_options;
    pool_options.connect.url = cluster_->admin_url();
    Pool pool(pool_options);
    {
        auto idle = expect_ok(pool.acquire());
    }
    std::atomic<int> looks{0};
    ListenerOptions listener_options;
    listener_options.connect.url = cluster_->admin_url();
    listener_options.channels = {"jobs"};
    listener_options.on_connected = [&] { ++looks; };
    Listener listener(listener_options);
    ASSERT_TRUE(wait_until([&] { return looks == 1; }));

    std::thread killer([&] {
        EXPECT_TRUE(wait_until(
            [&] { return is_running(observer, connection.backend_pid(), "pg_sleep(63)"); }));
        cluster_->kill_for_test(SIGKILL);
    });
    const auto rows = connection.exec({"sleep", "select pg_sleep(63)"});
    killer.join();
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().code, ErrorCode::DB_UNAVAILABLE);
    EXPECT_TRUE(rows.error().retryable);
    EXPECT_TRUE(rows.error().connection_lost);
    EXPECT_TRUE(rows.error().outcome_unknown);
    EXPECT_EQ(rows.error().statement, "sleep");

    ASSERT_TRUE(wait_until([&] { return connection.reconnect().ok(); }));
    EXPECT_TRUE(connection.exec({"one", "select 1"}).ok());
    EXPECT_TRUE(wait_until([&] { return looks >= 2; }));
    auto pooled = expect_ok(pool.acquire());
    EXPECT_TRUE(pooled->exec({"one", "select 1"}).ok());
}

// A standby that does not exist makes COMMIT wait after the transaction is already durable. Killed
// there, the client hears of a lost connection although its work was done.
TEST_F(CrashTest, a_commit_whose_answer_is_lost_is_reported_as_unknown_and_did_happen) {
    auto connection = connect_to(cluster_->admin_url());
    auto observer = connect_to(cluster_->admin_url());
    expect_ok(observer.script("make", "create table t (n int); create table p (n int)"));
    expect_ok(observer.script("ghost", "alter system set synchronous_standby_names = 'ghost'"));
    expect_ok(observer.script("reload", "select pg_reload_conf()"));
    const auto waits_for_standby = [&](const Connection& session) {
        const auto rows = observer.exec({"waiting",
                                         "select 1 from pg_stat_activity where pid = $1"
                                         " and wait_event = 'SyncRep'"},
                                        Params().int4(session.backend_pid()));
        return rows.ok() && !rows->empty();
    };
    // The setting holds once the checkpointer has read it, which is seen only when a commit waits.
    auto probe = connect_to(cluster_->admin_url());
    std::atomic<bool> holds{false};
    std::thread prober([&] {
        while (!holds) {
            (void)probe.exec({"probe", "insert into p values (1)"});
        }
    });
    EXPECT_TRUE(wait_until([&] { return waits_for_standby(probe); }));
    holds = true;
    probe.cancel();  // ends the wait: the insert counts as committed
    prober.join();

    auto transaction = expect_ok(Transaction::begin(connection));
    expect_ok(transaction.exec({"insert", "insert into t values (1)"}));
    std::thread killer([&] {
        EXPECT_TRUE(wait_until([&] { return waits_for_standby(connection); }));
        expect_ok(observer.exec({"terminate", "select pg_terminate_backend($1)"},
                                Params().int4(connection.backend_pid())));
    });
    const auto committed = transaction.commit();
    killer.join();
    ASSERT_FALSE(committed.ok());
    EXPECT_TRUE(committed.error().connection_lost);
    EXPECT_TRUE(committed.error().outcome_unknown);
    EXPECT_EQ(expect_ok(observer.exec({"count", "select count(*) from t"})).integer(0, 0), 1);
}

}  // namespace
}  // namespace jobforge::pg
