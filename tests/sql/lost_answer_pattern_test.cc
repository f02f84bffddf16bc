// The pattern for a lost answer of COMMIT, taken from docs/sql.md and run as it stands there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "documented_sql.h"
#include "sql_session.h"

namespace jobforge::test {
namespace {

class LostAnswerPattern : public testing::Test {
protected:
    LostAnswerPattern() {
        sql.run("create table public.effects (job_id uuid, what text)");
        sql.run("select from jobforge.enqueue_job('a')");
        sql.run("set search_path = public");
        claim = sql.rows(
            "select tenant_id, job_id, lease_token, claim_id from jobforge.claim_jobs('py-1', 1, "
            "array['a'])")[0];
        statement = documented_sql("lost-answer");
        for (const auto& [name, value] :
             {std::pair{":tenant_id", claim[0]}, std::pair{":job_id", claim[1]},
              std::pair{":claim_id", claim[3]}, std::pair{":lease_token", claim[2]}}) {
            const bool number = std::string(name) == ":lease_token";
            const std::string literal = number ? value : "'" + value + "'";
            replace_all(statement, name, literal);
        }
    }
    std::string repeat() {
        const std::string answer = sql.error(statement);
        sql.run("rollback");
        return answer;
    }
    std::string effects() { return sql.one("select count(*) from public.effects"); }

    EngineDatabase database;
    Session sql = database.session();
    TextRow claim;
    std::string statement;
};

TEST_F(LostAnswerPattern, a_commit_that_happened_is_not_done_again) {
    ASSERT_NE(statement.find("insert into effects"), std::string::npos) << statement;
    EXPECT_EQ(repeat(), "ok");
    EXPECT_EQ(repeat(), "SETTLED");
    EXPECT_EQ(effects(), "1");
}

TEST_F(LostAnswerPattern, a_commit_that_did_not_happen_is_done_by_the_repetition) {
    const std::string undone = statement.substr(0, statement.find("commit;"));
    sql.run(undone + "rollback");
    EXPECT_EQ(effects(), "0");
    EXPECT_EQ(repeat(), "ok");
    EXPECT_EQ(effects(), "1");
}

TEST_F(LostAnswerPattern, a_lease_that_is_over_meanwhile_gives_the_work_to_another) {
    sql.run("update jobforge.jobs set lease_expires_at = clock_timestamp() - interval '1 s'");
    sql.run("select from jobforge.claim_jobs('py-2', 1, array['a'])");
    EXPECT_EQ(repeat(), "LEASE_LOST");
    EXPECT_EQ(effects(), "0");
}

}  // namespace
}  // namespace jobforge::test
