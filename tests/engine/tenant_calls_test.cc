// Calls on a borrowed connection: who asks is said in the same round trip, and a transaction of the
// caller's own is left to him.
#include "engine/database/tenant_calls.h"

#include <gtest/gtest.h>

#include "engine/schema/migrate.h"
#include "test_cluster.h"

namespace jobforge::engine {
namespace {

using test::TestDatabase;

constexpr pg::Statement kSetTenant{"test_tenant_of_call",
                                   "select pg_catalog.set_config('app.tenant_id', $1, true)"};
constexpr pg::Statement kWho{"test_who",
                             "select pg_catalog.current_setting('app.tenant_id', true)"};
constexpr pg::Statement kEnqueue{"test_enqueue",
                                 "select job_id from jobforge.enqueue_job('test.echo', '{}')"};
constexpr pg::Statement kJobs{"test_jobs",
                              "select pg_catalog.row_to_json(j) from jobforge.list_jobs() j"};

Status migrate_template(const std::string& url) {
    auto report = migrate(url);
    return report.ok() ? ok_status() : Status(std::move(report).error());
}

class WithinTest : public ::testing::Test {
protected:
    WithinTest() : connection_(database_.connect()) {
        auto rows = connection_.exec({"test_create", "select jobforge.create_tenant('acme')"});
        EXPECT_TRUE(rows.ok()) << rows.error().describe();
        tenant_ = rows->uuid(0, 0);
        pg::Params params;
        params.text(tenant_.to_string());
        first_.push_back(TenantCall{kSetTenant, std::move(params)});
    }
    std::size_t jobs() {
        auto calls = TenantCalls::within(connection_, first_);
        auto rows = calls.json_rows(kJobs, {});
        EXPECT_TRUE(rows.ok()) << rows.error().describe();
        return rows.ok() ? rows->size() : 0;
    }

    TestDatabase database_{"tenant_calls_test", &migrate_template};
    pg::Connection connection_;
    Uuid tenant_;
    std::vector<TenantCall> first_;
};

TEST_F(WithinTest, outside_of_a_transaction_the_first_statements_go_ahead_of_every_run) {
    auto calls = TenantCalls::within(connection_, first_);
    for (int time = 0; time < 2; ++time) {
        auto who = calls.run_one(kWho, {}, Repeat::always);
        ASSERT_TRUE(who.ok()) << who.error().describe();
        EXPECT_EQ(who->text(0, 0), tenant_.to_string());
    }
    // The setting ended with the run's transaction.
    EXPECT_EQ(connection_.exec(kWho)->opt_text(0, 0).value_or(""), "");
}

TEST_F(WithinTest, a_refused_first_statement_is_the_answer_and_nothing_behind_it_happens) {
    auto refusing = TenantCalls::within(
        connection_,
        {TenantCall{{"test_refuse", "select jobforge.raise_error('FORBIDDEN', 'no', '')"}, {}}});
    const auto refused = refusing.run_one(kEnqueue, {}, Repeat::always);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::FORBIDDEN);
    EXPECT_FALSE(connection_.in_transaction());
    EXPECT_EQ(jobs(), 0U);
}

TEST_F(WithinTest, inside_of_a_transaction_the_caller_decides_the_end) {
    auto calls = TenantCalls::within(connection_, first_);
    const auto fill = [&] {
        auto transaction = pg::Transaction::begin(connection_);
        EXPECT_TRUE(transaction.ok());
        EXPECT_TRUE(transaction->exec(first_[0].statement, first_[0].params).ok());
        EXPECT_TRUE(calls.run_one(kEnqueue, {}, Repeat::if_not_done).ok());
        EXPECT_TRUE(calls.run_one(kEnqueue, {}, Repeat::if_not_done).ok());
        return transaction;
    };
    fill()->rollback();
    EXPECT_EQ(jobs(), 0U);
    EXPECT_TRUE(fill()->commit().ok());
    EXPECT_EQ(jobs(), 2U);
}

TEST_F(WithinTest, a_run_that_fails_inside_of_a_transaction_takes_back_only_itself) {
    auto calls = TenantCalls::within(connection_, first_);
    auto transaction = pg::Transaction::begin(connection_);
    ASSERT_TRUE(transaction.ok());
    ASSERT_TRUE(transaction->exec(first_[0].statement, first_[0].params).ok());
    ASSERT_TRUE(calls.run_one(kEnqueue, {}, Repeat::if_not_done).ok());
    const std::vector<TenantCall> pair{
        {kEnqueue, {}},
        {{"test_refuse", "select jobforge.raise_error('NOT_FOUND', 'no', '')"}, {}}};
    const auto refused = calls.run(pair, Repeat::if_not_done);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::NOT_FOUND);
    ASSERT_TRUE(calls.run_one(kEnqueue, {}, Repeat::if_not_done).ok());
    EXPECT_TRUE(transaction->commit().ok());
    EXPECT_EQ(jobs(), 2U);
}

// The server lives; only the process that works for this call does not answer.
TEST_F(WithinTest, a_call_that_takes_too_long_on_a_living_server_is_given_up) {
    auto calls = TenantCalls::connect({.database_url = database_.url(),
                                       .tenant_id = tenant_,
                                       .timeout = std::chrono::milliseconds(2000),
                                       .longest_call = std::chrono::milliseconds(300)});
    ASSERT_TRUE(calls.ok()) << calls.error().describe();
    const auto rows = calls->run_one({"test_stuck", "select pg_catalog.pg_sleep(3600)::text"}, {},
                                     Repeat::if_not_done);
    ASSERT_FALSE(rows.ok());
    EXPECT_TRUE(rows.error().connection_lost) << rows.error().describe();
    EXPECT_TRUE(rows.error().outcome_unknown);
}

TEST_F(WithinTest, a_lost_connection_is_told_and_not_repeated) {
    auto calls = TenantCalls::within(connection_, first_);
    const auto lost = calls.run_one(
        {"test_suicide", "select pg_catalog.pg_terminate_backend(pg_catalog.pg_backend_pid())"}, {},
        Repeat::always);
    ASSERT_FALSE(lost.ok());
    EXPECT_EQ(lost.error().code, ErrorCode::DB_UNAVAILABLE);
    EXPECT_TRUE(lost.error().connection_lost);
}

}  // namespace
}  // namespace jobforge::engine
