// The list of workers: what it says about those that are gone, and about those over HTTP.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sql_session.h"

namespace jobforge::test {
namespace {

class Workers : public testing::Test {
protected:
    // As the API does it for a key of tenant A.
    void claim_over_http(const std::string& worker, const std::string& types) {
        sql.run(fmt::format("select from jobforge.tenant_claim_jobs('{}', 1, array[{}])", worker,
                            types));
    }
    void age(const std::string& interval) {
        sql.run(fmt::format(
            "update jobforge.workers set heartbeat_at = heartbeat_at - interval '{}'", interval));
    }
    std::string listed(const std::string& column) {
        return sql.one(fmt::format(
            "select string_agg(({})::text, ' ' order by worker_id) from jobforge.list_workers()",
            column));
    }
    EngineDatabase database;
    Session sql = database.session();
};

TEST_F(Workers, a_worker_that_was_killed_is_silent_after_a_minute_and_not_active) {
    sql.run("select jobforge.register_worker('w', 'host', 1, 'v', array['a'], 4)");
    EXPECT_EQ(listed("state"), "ACTIVE");
    age("61 seconds");
    EXPECT_EQ(listed("state"), "SILENT");
    EXPECT_EQ(sql.one("select jobforge.worker_heartbeat('w', 0, 'DRAINING')"), "t");
    EXPECT_EQ(listed("state"), "DRAINING");
    EXPECT_EQ(sql.one("select jobforge.worker_heartbeat('w', 0, 'STOPPED')"), "t");
    age("61 seconds");
    EXPECT_EQ(listed("state"), "STOPPED") << "it said good-bye";
}

TEST_F(Workers, one_over_http_is_listed_with_the_types_of_its_last_minute_and_the_jobs_it_holds) {
    sql.run("select from jobforge.enqueue_job('a')");
    claim_over_http("py", "'a'");
    claim_over_http("py", "'b'");
    EXPECT_EQ(listed("worker_id"), std::string(kTenantA) + "/py");
    EXPECT_EQ(listed("types"), "{a,b}");
    EXPECT_EQ(listed("running"), "1");
    EXPECT_EQ(listed("coalesce(slots, -1)"), "-1");
    age("61 seconds");
    EXPECT_EQ(listed("state"), "SILENT");
    claim_over_http("py", "'b'");
    EXPECT_EQ(listed("state || types::text"), "ACTIVE{b}");
    age("20 seconds");
    sql.run(
        "select from jobforge.tenant_heartbeat_jobs('py', array(select job_id from jobforge.jobs), "
        "array[1])");
    EXPECT_EQ(listed("seconds_silent < 20"), "true") << "a renewal is a sign of life";
    age("61 minutes");
    EXPECT_EQ(sql.one("select jobforge.prune_workers()"), "1");
}

TEST_F(Workers, ids_that_never_repeat_take_a_hundred_places_and_the_silent_make_room) {
    sql.run(
        "select jobforge.tenant_claim_jobs('one-' || n, 1, array['a']) "
        "from generate_series(1, 101) n");
    EXPECT_EQ(sql.one("select count(*) from jobforge.workers"), "100");
    age("61 seconds");
    claim_over_http("new", "'a'");
    EXPECT_EQ(sql.one("select count(*) from jobforge.workers"), "100");
    EXPECT_EQ(sql.one("select count(*) from jobforge.workers where worker_id like '%/new'"), "1");
}

TEST_F(Workers, a_locked_row_of_the_list_delays_no_claim) {
    claim_over_http("py", "'a'");
    age("20 seconds");
    Session other = database.session();
    other.run("begin; select from jobforge.workers for update");
    sql.run("set lock_timeout = '1ms'");
    claim_over_http("py", "'a'");
    other.run("rollback");
    EXPECT_EQ(listed("seconds_silent >= 20"), "true");
    claim_over_http("py", "'a'");
    EXPECT_EQ(listed("seconds_silent < 20"), "true");
}

}  // namespace
}  // namespace jobforge::test
