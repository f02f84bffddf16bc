#include "pg_fixture.h"

namespace jobforge::pg {
namespace {

using test::connect_to;
using test::expect_ok;

// Both ways of sending statements must behave alike.
class PipelineTest : public test::PgTest, public ::testing::WithParamInterface<bool> {
protected:
    PipelineTest() : pipeline_(connect_to(database_.url(), GetParam())) {
        expect_ok(connection_.script("make", "create table t (n int primary key)"));
    }
    std::int64_t count() {
        return expect_ok(connection_.exec({"count", "select count(*) from t"})).integer(0, 0);
    }
    Connection pipeline_;
    const Statement insert_{"insert", "insert into t values ($1) returning n"};
};

TEST_P(PipelineTest, results_come_back_in_the_order_of_the_statements) {
    for (int n = 0; n < 100; ++n) {
        pipeline_.queue(insert_, Params().int4(n));
    }
    const auto rows = expect_ok(pipeline_.flush());
    ASSERT_EQ(rows.size(), 100U);
    for (int n = 0; n < 100; ++n) {
        EXPECT_EQ(rows[static_cast<std::size_t>(n)].integer(0, 0), n);
    }
    EXPECT_EQ(count(), 100);
}

TEST_P(PipelineTest, a_failure_names_its_statement_and_undoes_the_whole_pipeline) {
    pipeline_.queue(insert_, Params().int4(1));
    pipeline_.queue({"insert_again", "insert into t values ($1)"}, Params().int4(1));
    pipeline_.queue(insert_, Params().int4(2));
    const auto rows = pipeline_.flush();
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().code, ErrorCode::VALIDATION_ERROR);
    EXPECT_EQ(rows.error().sqlstate, "23505");
    EXPECT_EQ(rows.error().statement, "insert_again");
    EXPECT_FALSE(rows.error().outcome_unknown);
    EXPECT_EQ(count(), 0);
    pipeline_.queue(insert_, Params().int4(3));
    EXPECT_EQ(expect_ok(pipeline_.flush())[0].integer(0, 0), 3);
    EXPECT_TRUE(pipeline_.exec({"one", "select 1"}).ok());
}

TEST_P(PipelineTest, an_explicit_transaction_that_fails_is_rolled_back_before_flush_returns) {
    pipeline_.queue({"begin", "begin"}, {});
    pipeline_.queue(insert_, Params().int4(1));
    pipeline_.queue(insert_, Params().int4(1));
    pipeline_.queue({"commit", "commit"}, {});
    ASSERT_FALSE(pipeline_.flush().ok());
    EXPECT_FALSE(pipeline_.in_transaction());
    EXPECT_EQ(count(), 0);
}

TEST_P(PipelineTest, an_explicit_transaction_commits) {
    pipeline_.queue({"begin", "begin"}, {});
    pipeline_.queue(insert_, Params().int4(1));
    pipeline_.queue({"commit", "commit"}, {});
    EXPECT_EQ(expect_ok(pipeline_.flush()).size(), 3U);
    EXPECT_FALSE(pipeline_.in_transaction());
    EXPECT_EQ(count(), 1);
}

TEST_P(PipelineTest, a_failure_inside_the_callers_transaction_leaves_it_to_the_caller) {
    auto transaction = expect_ok(Transaction::begin(pipeline_));
    pipeline_.queue(insert_, Params().int4(1));
    pipeline_.queue(insert_, Params().int4(1));
    ASSERT_FALSE(pipeline_.flush().ok());
    EXPECT_TRUE(pipeline_.in_transaction());
    transaction.rollback();
    EXPECT_FALSE(pipeline_.in_transaction());
}

TEST_P(PipelineTest, an_empty_flush_does_nothing) {
    EXPECT_TRUE(expect_ok(pipeline_.flush()).empty());
}

TEST_P(PipelineTest, a_syntax_error_is_reported_and_the_pipeline_stays_usable) {
    pipeline_.queue({"broken", "selec 1"}, {});
    const auto rows = pipeline_.flush();
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().code, ErrorCode::INTERNAL_ERROR);
    EXPECT_FALSE(rows.error().retryable);
    pipeline_.queue({"one", "select 1"}, {});
    EXPECT_TRUE(pipeline_.flush().ok());
}

TEST_P(PipelineTest, a_deferred_constraint_that_fails_at_the_commit_is_an_error) {
    expect_ok(connection_.script("make",
                                 "create table child (n int references t deferrable "
                                 "initially deferred)"));
    pipeline_.queue({"orphan", "insert into child values (42)"}, {});
    const auto rows = pipeline_.flush();
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().sqlstate, "23503");
}

// Both directions carry far more than the sockets' buffers hold: a client that only writes until
// everything is sent would wait for ever for a server that does the same.
TEST_P(PipelineTest, megabytes_in_both_directions_do_not_deadlock) {
    const std::string big(500'000, 'x');
    for (int i = 0; i < 40; ++i) {
        pipeline_.queue({"echo", "select $1"}, Params().text(big));
    }
    const auto rows = expect_ok(pipeline_.flush());
    ASSERT_EQ(rows.size(), 40U);
    EXPECT_EQ(rows[39].text(0, 0), big);
}

TEST_P(PipelineTest, a_backend_that_dies_in_the_pipeline_leaves_the_outcome_unknown) {
    pipeline_.queue(insert_, Params().int4(1));
    pipeline_.queue({"suicide", "select pg_terminate_backend(pg_backend_pid())"}, {});
    pipeline_.queue(insert_, Params().int4(2));
    const auto rows = pipeline_.flush();
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().code, ErrorCode::DB_UNAVAILABLE);
    EXPECT_TRUE(rows.error().connection_lost);
    EXPECT_TRUE(rows.error().outcome_unknown);
    expect_ok(pipeline_.reconnect());
    pipeline_.queue(insert_, Params().int4(3));
    EXPECT_TRUE(pipeline_.flush().ok());
}

INSTANTIATE_TEST_SUITE_P(Statements, PipelineTest, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "prepared" : "unnamed"; });

}  // namespace
}  // namespace jobforge::pg
