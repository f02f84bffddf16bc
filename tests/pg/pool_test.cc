#include <atomic>
#include <future>
#include <latch>
#include <thread>
#include <vector>

#include "child_process.h"
#include "pg/pool.h"
#include "pg_fixture.h"

namespace jobforge::pg {
namespace {

using test::expect_ok;
using test::wait_until;

class PoolTest : public test::PgTest {
protected:
    PoolOptions options(int max_size, std::chrono::milliseconds timeout = test::kPatience) {
        PoolOptions result;
        result.connect.url = database_.url();
        result.connect.application_name = "pool-test";
        result.max_size = max_size;
        result.acquire_timeout = timeout;
        return result;
    }
    std::int64_t server_side_count() {
        return expect_ok(
                   connection_.exec({"count",
                                     "select count(*) from pg_stat_activity"
                                     " where application_name = 'pool-test' and datname = $1"},
                                    Params().text(database_.name())))
            .integer(0, 0);
    }
};

TEST_F(PoolTest, connections_are_opened_when_first_needed_and_reused) {
    Pool pool(options(3));
    EXPECT_EQ(server_side_count(), 0);
    int first_pid = 0;
    {
        auto connection = expect_ok(pool.acquire());
        first_pid = connection->backend_pid();
        EXPECT_EQ(pool.in_use(), 1);
    }
    EXPECT_EQ(pool.in_use(), 0);
    EXPECT_EQ(pool.idle(), 1);
    auto again = expect_ok(pool.acquire());
    EXPECT_EQ(again->backend_pid(), first_pid);
}

TEST_F(PoolTest, no_more_than_max_size_exist_under_contention) {
    Pool pool(options(3));
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::atomic<int> done{0};
    std::atomic<int> first{0};
    std::latch three(3);  // the first three connections are in use at the same time
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                auto connection = expect_ok(pool.acquire());
                if (first++ < 3) {
                    three.arrive_and_wait();
                }
                const int now = ++inside;
                int seen = most.load();
                while (now > seen && !most.compare_exchange_weak(seen, now)) {
                }
                expect_ok(connection->exec({"one", "select 1"}));
                --inside;
                ++done;
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(done, 160);
    EXPECT_LE(most, 3);
    EXPECT_EQ(server_side_count(), 3);
    EXPECT_EQ(pool.in_use(), 0);
}

TEST_F(PoolTest, an_exhausted_pool_answers_timeout) {
    Pool pool(options(1, std::chrono::milliseconds(20)));
    auto held = expect_ok(pool.acquire());
    const auto second = pool.acquire();
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, ErrorCode::TIMEOUT);
    EXPECT_TRUE(second.error().retryable);
    EXPECT_EQ(pool.in_use(), 1);
}

TEST_F(PoolTest, a_waiting_caller_gets_the_connection_that_comes_back) {
    Pool pool(options(1));
    auto held = std::make_unique<PooledConnection>(expect_ok(pool.acquire()));
    const int pid = (*held)->backend_pid();
    std::atomic<int> got{0};
    std::thread waiter([&] { got = expect_ok(pool.acquire())->backend_pid(); });
    held.reset();
    waiter.join();
    EXPECT_EQ(got, pid);
}

TEST_F(PoolTest, who_must_not_wait_gets_what_is_idle_or_nothing) {
    Pool pool(options(2));
    EXPECT_FALSE(pool.acquire_idle()) << "it would have to be opened";
    const int pid = expect_ok(pool.acquire())->backend_pid();
    {
        auto idle = pool.acquire_idle();
        ASSERT_TRUE(idle);
        EXPECT_EQ((*idle)->backend_pid(), pid);
        EXPECT_EQ(pool.in_use(), 1);
        EXPECT_FALSE(pool.acquire_idle());
    }
    EXPECT_EQ(pool.in_use(), 0);
    expect_ok(connection_.exec({"terminate", "select pg_terminate_backend($1, 10000)"},
                               Params().int4(pid)));
    EXPECT_FALSE(pool.acquire_idle()) << "the only one has died";
    EXPECT_EQ(pool.idle(), 0);
    pool.close();
    EXPECT_FALSE(pool.acquire_idle());
}

TEST_F(PoolTest, who_must_not_wait_leaves_some_to_the_others) {
    Pool pool(options(3));
    {
        const auto first = expect_ok(pool.acquire());
        const auto second = expect_ok(pool.acquire());
    }
    EXPECT_FALSE(pool.acquire_idle(3));
    const auto one = pool.acquire_idle(2);
    EXPECT_TRUE(one);
    EXPECT_FALSE(pool.acquire_idle(2));
    EXPECT_TRUE(pool.acquire_idle(1));
}

TEST_F(PoolTest, who_waits_goes_before_who_must_not) {
    Pool pool(options(1));
    for (int round = 0; round < 20; ++round) {
        auto held = std::make_unique<PooledConnection>(expect_ok(pool.acquire()));
        std::promise<void> go;
        std::thread waiter([&] {
            const auto connection = expect_ok(pool.acquire());
            go.get_future().wait();
        });
        EXPECT_TRUE(wait_until([&] { return pool.waiting() == 1; }));
        held.reset();
        EXPECT_FALSE(pool.acquire_idle()) << "it is the waiter's, awake or not";
        go.set_value();
        waiter.join();
    }
}

TEST_F(PoolTest, an_idle_connection_whose_backend_died_is_replaced_unseen) {
    Pool pool(options(2));
    int dead_pid = 0;
    {
        auto connection = expect_ok(pool.acquire());
        dead_pid = connection->backend_pid();
    }
    expect_ok(connection_.exec({"terminate", "select pg_terminate_backend($1, 10000)"},
                               Params().int4(dead_pid)));
    auto fresh = expect_ok(pool.acquire());
    EXPECT_NE(fresh->backend_pid(), dead_pid);
    EXPECT_TRUE(fresh->exec({"one", "select 1"}).ok());
}

TEST_F(PoolTest, a_connection_that_broke_in_use_is_dropped) {
    Pool pool(options(2));
    {
        auto connection = expect_ok(pool.acquire());
        ASSERT_FALSE(
            connection->exec({"die", "select pg_terminate_backend(pg_backend_pid())"}).ok());
    }
    EXPECT_EQ(pool.idle(), 0);
    EXPECT_EQ(pool.in_use(), 0);
}

TEST_F(PoolTest, a_connection_returned_inside_a_transaction_is_rolled_back) {
    Pool pool(options(1));
    {
        auto connection = expect_ok(pool.acquire());
        expect_ok(connection->script("begin", "begin; create table half_done (n int)"));
    }
    auto connection = expect_ok(pool.acquire());
    EXPECT_FALSE(connection->in_transaction());
    EXPECT_FALSE(connection->exec({"look", "select * from half_done"}).ok());
}

TEST_F(PoolTest, a_server_that_cannot_be_reached_is_reported_and_frees_the_slot) {
    PoolOptions unreachable = options(1);
    unreachable.connect.url = "postgresql://127.0.0.1:" + std::to_string(test::free_port()) + "/x";
    Pool pool(unreachable);
    for (int i = 0; i < 3; ++i) {
        const auto connection = pool.acquire();
        ASSERT_FALSE(connection.ok());
        EXPECT_EQ(connection.error().code, ErrorCode::DB_UNAVAILABLE);
        EXPECT_EQ(pool.in_use(), 0);
    }
}

TEST_F(PoolTest, closing_wakes_waiters_and_borrowed_connections_may_outlive_the_pool) {
    auto pool = std::make_unique<Pool>(options(1));
    auto held = expect_ok(pool->acquire());
    std::atomic<bool> refused{false};
    std::thread waiter([&] { refused = !pool->acquire().ok(); });
    pool->close();
    waiter.join();
    EXPECT_TRUE(refused);
    pool.reset();
    EXPECT_TRUE(held->exec({"one", "select 1"}).ok());
}

}  // namespace
}  // namespace jobforge::pg
