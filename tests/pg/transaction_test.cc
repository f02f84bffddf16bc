#include <thread>

#include "pg_fixture.h"

namespace jobforge::pg {
namespace {

using test::expect_ok;
using test::is_running;
using test::wait_until;

class TransactionTest : public test::PgTest {
protected:
    void SetUp() override {
        expect_ok(connection_.script("make", "create table t (n int primary key)"));
    }
    std::int64_t count() {
        auto observer = database_.connect();
        return expect_ok(observer.exec({"count", "select count(*) from t"})).integer(0, 0);
    }
    const Statement insert_{"insert", "insert into t values ($1)"};
};

TEST_F(TransactionTest, a_committed_transaction_is_visible_to_others) {
    auto transaction = expect_ok(Transaction::begin(connection_));
    expect_ok(transaction.exec(insert_, Params().int4(1)));
    EXPECT_EQ(count(), 0);
    expect_ok(transaction.commit());
    EXPECT_EQ(count(), 1);
}

TEST_F(TransactionTest, a_transaction_that_goes_out_of_scope_is_rolled_back) {
    {
        auto transaction = expect_ok(Transaction::begin(connection_));
        expect_ok(transaction.exec(insert_, Params().int4(1)));
    }
    EXPECT_FALSE(connection_.in_transaction());
    EXPECT_EQ(count(), 0);
}

TEST_F(TransactionTest, moving_a_transaction_does_not_end_it) {
    auto first = expect_ok(Transaction::begin(connection_));
    Transaction second = std::move(first);
    expect_ok(second.exec(insert_, Params().int4(1)));
    expect_ok(second.commit());
    EXPECT_EQ(count(), 1);
}

TEST_F(TransactionTest, committing_after_a_failed_statement_is_an_error_not_a_silent_rollback) {
    auto transaction = expect_ok(Transaction::begin(connection_));
    expect_ok(transaction.exec(insert_, Params().int4(1)));
    ASSERT_FALSE(transaction.exec(insert_, Params().int4(1)).ok());
    const auto committed = transaction.commit();
    ASSERT_FALSE(committed.ok());
    EXPECT_EQ(committed.error().code, ErrorCode::INTERNAL_ERROR);
    EXPECT_FALSE(committed.error().outcome_unknown);
    EXPECT_EQ(count(), 0);
}

TEST_F(TransactionTest, a_second_begin_or_commit_is_refused) {
    auto transaction = expect_ok(Transaction::begin(connection_));
    EXPECT_FALSE(Transaction::begin(connection_).ok());
    expect_ok(transaction.commit());
    EXPECT_FALSE(transaction.commit().ok());
}

TEST_F(TransactionTest, a_connection_lost_before_commit_has_a_known_outcome) {
    auto transaction = expect_ok(Transaction::begin(connection_));
    expect_ok(transaction.exec(insert_, Params().int4(1)));
    auto killer = database_.connect();
    expect_ok(killer.exec({"terminate", "select pg_terminate_backend($1, 10000)"},
                          Params().int4(connection_.backend_pid())));
    const auto rows = transaction.exec(insert_, Params().int4(2));
    ASSERT_FALSE(rows.ok());
    EXPECT_TRUE(rows.error().connection_lost);
    EXPECT_FALSE(rows.error().outcome_unknown);
    EXPECT_EQ(count(), 0);
}

// A deferred trigger makes COMMIT itself slow, so that the backend can be killed inside it.
TEST_F(TransactionTest, a_connection_lost_inside_commit_leaves_the_outcome_unknown) {
    expect_ok(connection_.script(
        "make",
        "create function slow() returns trigger language plpgsql as"
        " $$ begin perform pg_sleep(62); return null; end $$;"
        "create constraint trigger slow_commit after insert on t deferrable initially deferred"
        " for each row execute function slow()"));
    auto transaction = expect_ok(Transaction::begin(connection_));
    expect_ok(transaction.exec(insert_, Params().int4(1)));
    auto observer = database_.connect();
    std::thread killer([&] {
        EXPECT_TRUE(
            wait_until([&] { return is_running(observer, connection_.backend_pid(), "commit"); }));
        expect_ok(observer.exec({"terminate", "select pg_terminate_backend($1)"},
                                Params().int4(connection_.backend_pid())));
    });
    const auto committed = transaction.commit();
    killer.join();
    ASSERT_FALSE(committed.ok());
    EXPECT_EQ(committed.error().code, ErrorCode::DB_UNAVAILABLE);
    EXPECT_TRUE(committed.error().connection_lost);
    EXPECT_TRUE(committed.error().outcome_unknown);
    EXPECT_EQ(count(), 0);  // this time it did not happen; crash_test.cc has the other case
}

}  // namespace
}  // namespace jobforge::pg
