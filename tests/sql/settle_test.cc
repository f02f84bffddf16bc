// How an attempt ends: once, by the claim that holds it, and without waiting for others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "sql_session.h"

namespace jobforge::test {
namespace {

constexpr char kError[] = R"(, '{"code": "X", "message": "m"}')";
constexpr char kUnknownClaim[] = "cccccccc-0000-4000-8000-000000000003";

class Settle : public testing::Test {
protected:
    void SetUp() override { sql.run("create table public.effects (n int)"); }
    // A running job of worker w; the claim's other columns go to `claimed`.
    std::string running(const std::string& type = "a") {
        sql.run(fmt::format("select from jobforge.enqueue_job('{}')", type));
        claimed = sql.rows(fmt::format("select job_id, lease_token, claim_id from "
                                       "jobforge.claim_jobs('w', 1, array['{}'])",
                                       type))
                      .at(0);
        return claimed[0];
    }
    [[nodiscard]] std::string one(const std::string& function, const std::string& more = "") const {
        return fmt::format("select jobforge.{}('w', '{}', '{}', {}{})", function, kTenantA,
                           claimed[0], claimed[1], more);
    }
    // The array form for all running jobs, in the order of their ids.
    std::string many(const std::string& function, const std::string& more) {
        const auto row = sql.rows(
                                "select array_agg(tenant_id order by job_id), array_agg(job_id "
                                "order by job_id), "
                                "array_agg(lease_token order by job_id) from jobforge.jobs where "
                                "status = 'RUNNING'")
                             .at(0);
        return fmt::format("jobforge.{}('w', '{}', '{}', '{}'{})", function, row[0], row[1], row[2],
                           more);
    }
    std::string effects() { return sql.one("select count(*) from public.effects"); }

    EngineDatabase database;
    Session sql = database.session();
    TextRow claimed;
};

TEST_F(Settle, a_transaction_that_is_repeated_after_a_lost_answer_commits_its_effect_once) {
    int done = 0;
    for (const auto& [function, more] :
         {std::pair{"complete_job", std::string()}, std::pair{"fail_job", std::string(kError)},
          std::pair{"snooze_job", std::string(", 60")},
          std::pair{"cancel_running_job", std::string()}}) {
        running();
        const auto transaction = fmt::format(
            "begin; insert into public.effects values (1); {}; commit", one(function, more));
        EXPECT_EQ(sql.error(transaction), "ok") << function;
        EXPECT_EQ(sql.error(transaction), "SETTLED") << function;
        EXPECT_NE(sql.message().find("already ended"), std::string::npos) << sql.message();
        sql.run("rollback");
        EXPECT_EQ(effects(), std::to_string(++done)) << function;
    }
}

// The array forms, each with the further arguments that it needs for one job.
const std::pair<std::string, std::string> kBatches[] = {
    {"complete_jobs", ""},
    {"fail_jobs", ", array['{\"code\": \"X\", \"message\": \"m\"}']::jsonb[]"},
    {"snooze_jobs", ", '{60}'"},
    {"release_jobs", ""},
    {"cancel_running_jobs", ""}};

TEST_F(Settle, a_repeated_batch_is_reported_alone_and_refused_beside_writes) {
    int done = 0;
    for (const auto& [function, more] : kBatches) {
        sql.run("delete from jobforge.jobs");
        const auto job = running();
        const auto call =
            fmt::format("select job_id, {} from {}", function == "fail_jobs" ? "status" : "state",
                        many(function, more));
        const auto beside_writes = "begin; insert into public.effects values (1); " + call;
        // What was not settled before may be settled beside writes.
        EXPECT_EQ(sql.error(beside_writes + "; commit"), "ok") << function;
        EXPECT_EQ(effects(), std::to_string(++done)) << function;
        EXPECT_EQ(sql.error(beside_writes), "SETTLED") << function;
        sql.run("rollback");
        EXPECT_EQ(effects(), std::to_string(done)) << function;
        EXPECT_EQ(sql.rows(call), (std::vector<TextRow>{{job, "SETTLED"}})) << function;
    }
}

// The heir commits its own effect: one of a worker that lost its lease must not stand beside it.
TEST_F(Settle, a_lost_batch_is_reported_alone_and_refused_beside_writes) {
    for (const auto& [function, more] : kBatches) {
        sql.run("delete from jobforge.jobs");
        const bool fails = function == "fail_jobs";
        const std::vector<TextRow> lost = {{running(), fails ? "LEASE_LOST" : "LOST"}};
        const auto call = fmt::format("select job_id, {} from {}", fails ? "status" : "state",
                                      many(function, more));
        sql.run("update jobforge.jobs set lease_expires_at = clock_timestamp()");
        sql.run("select from jobforge.claim_jobs('heir', 1, array['a'])");
        const std::string effect = "insert into public.effects values (1); ";
        EXPECT_EQ(sql.error("begin; " + effect + call), "LEASE_LOST") << function;
        sql.run("rollback");
        EXPECT_EQ(sql.rows(call), lost) << function;
        // A flush of the worker, which declares that it only settles, is told and goes on.
        EXPECT_EQ(sql.rows("begin; set local jobforge.only_settles = true; " + effect + call), lost)
            << function;
        sql.run("rollback");
    }
}

// A gateway in plain SQL.
TEST_F(Settle, a_gateways_repetition_is_an_error_unless_it_says_that_it_only_settles) {
    const std::string effect = "insert into public.effects values (1); ";
    int done = 0;
    for (const auto& [function, more] :
         {std::pair{"state from jobforge.tenant_complete_job", "null"},
          std::pair{"status from jobforge.tenant_fail_job",
                    R"('{"code": "X", "message": "m"}', null)"},
          std::pair{"state from jobforge.tenant_snooze_job", "60"}}) {
        sql.run("delete from jobforge.jobs; select from jobforge.enqueue_job('a')");
        const auto lease = sql.rows(
                                  "select job_id, lease_token, claim_id from "
                                  "jobforge.tenant_claim_jobs('w', 1, array['a'])")
                               .at(0);
        const auto settle = [&, &function = function, &more = more](const std::string& token) {
            return fmt::format("select {}('w', '{}', {}, '{}', {}); ", function, lease[0], token,
                               lease[2], more);
        };
        EXPECT_EQ(sql.error("begin; " + effect + settle(lease[1]) + "commit"), "ok") << function;
        ++done;
        for (const auto& [transaction, code] : {std::pair{effect + settle(lease[1]), "SETTLED"},
                                                std::pair{settle(lease[1]) + effect, "SETTLED"},
                                                std::pair{effect + settle("77"), "LEASE_LOST"},
                                                std::pair{settle("77") + effect, "LEASE_LOST"}}) {
            EXPECT_EQ(sql.error("begin; " + transaction + "commit"), code) << transaction;
            sql.run("rollback");
        }
        EXPECT_EQ(effects(), std::to_string(done)) << function;
        // The HTTP API has only its own bookkeeping beside the call.
        const std::string api = "begin; set local jobforge.only_settles = true; " + effect;
        EXPECT_EQ(sql.one(api + settle(lease[1])), "SETTLED") << function;
        sql.run("rollback");
        const std::string lost = sql.one(api + settle("77"));
        EXPECT_TRUE(lost == "LOST" || lost == "LEASE_LOST") << function << lost;
        sql.run("rollback");
    }
}

TEST_F(Settle, a_claim_of_another_identity_is_refused_everywhere) {
    const auto job = running();
    const auto other = fmt::format(", p_claim_id => '{}'", kUnknownClaim);
    EXPECT_EQ(sql.error(one("complete_job", other)), "LEASE_LOST");
    EXPECT_EQ(sql.error(one("fail_job", kError + other)), "LEASE_LOST");
    EXPECT_EQ(sql.error(one("snooze_job", ", 1" + other)), "LEASE_LOST");
    EXPECT_EQ(sql.error(one("cancel_running_job", other)), "LEASE_LOST");
    EXPECT_EQ(sql.one(one("lease_state", other)), "LOST");
    const auto others = fmt::format(", p_claim_ids => '{{{}}}'", kUnknownClaim);
    for (const auto& [function, more] :
         {std::pair{"complete_jobs", std::string()}, std::pair{"heartbeat_jobs", std::string()},
          std::pair{"snooze_jobs", std::string(", '{1}'")},
          std::pair{"release_jobs", std::string()}, std::pair{"cancel_running_jobs", std::string()},
          std::pair{"complete_jobs", std::string(", p_skip_locked => true")}}) {
        EXPECT_EQ(sql.one("select state from " + many(function, more + others)), "LOST")
            << function;
    }
    EXPECT_EQ(sql.one("select status from " +
                      many("fail_jobs",
                           ", array['{\"code\": \"X\", \"message\": \"m\"}']::jsonb[]" + others)),
              "LEASE_LOST");
    EXPECT_EQ(sql.one(fmt::format("select status || attempts from jobforge.get_job('{}')", job)),
              "RUNNING1");
    const auto own = fmt::format(", p_claim_id => '{}'", claimed[2]);
    EXPECT_EQ(sql.one(one("lease_state", own)), "HELD");
    EXPECT_EQ(sql.error(one("complete_job", own)), "ok");
}

TEST_F(Settle, every_claim_has_an_identity_of_its_own) {
    running();
    const auto first = claimed[2];
    EXPECT_EQ(sql.error(one("snooze_job", ", 0")), "ok");
    EXPECT_NE(sql.one("select claim_id from jobforge.claim_jobs('w', 1, array['a'])"), first);
}

TEST_F(Settle, a_shorter_lease_holds_from_the_next_claim_on) {
    const auto left = [&] {
        return std::stod(
            sql.one("select extract(epoch from lease_expires_at - clock_timestamp()) "
                    "from jobforge.jobs where status = 'RUNNING'"));
    };
    const auto set_lease = [&](int seconds) {
        sql.run(
            fmt::format("select jobforge.set_job_type('a', '{{\"lease_seconds\": {}}}')", seconds));
    };
    set_lease(100);
    running();
    set_lease(2);
    for (const char* argument : {"", ", p_lease_seconds => 1"}) {
        sql.run("select from " + many("heartbeat_jobs", argument));
        EXPECT_GT(left(), 90);
    }
    set_lease(200);  // a longer one at once
    sql.run("select from " + many("heartbeat_jobs", ""));
    EXPECT_GT(left(), 190);
    set_lease(2);
    EXPECT_EQ(sql.error(one("snooze_job", ", 0")), "ok");
    sql.run("select from jobforge.claim_jobs('w', 1, array['a'])");
    EXPECT_LE(left(), 2);
}

TEST_F(Settle, other_isolation_levels_are_refused_with_a_clear_message) {
    running();
    const std::vector<std::string> calls = {
        "select jobforge.claim_jobs('w', 1, array['a'])",
        "select jobforge.reclaim_expired()",
        one("complete_job"),
        one("fail_job", kError),
        one("snooze_job", ", 1"),
        one("cancel_running_job"),
        one("lease_state"),
        "select " + many("complete_jobs", ""),
        "select " + many("fail_jobs", ", array['{\"code\": \"X\", \"message\": \"m\"}']::jsonb[]"),
        "select " + many("snooze_jobs", ", '{1}'"),
        "select " + many("release_jobs", ""),
        "select " + many("cancel_running_jobs", ""),
        "select " + many("heartbeat_jobs", "")};
    for (const char* level : {"repeatable read", "serializable"}) {
        sql.run(fmt::format("set default_transaction_isolation = '{}'", level));
        for (const auto& call : calls) {
            EXPECT_EQ(sql.error(call), "VALIDATION_ERROR") << level << ": " << call;
            EXPECT_NE(sql.message().find(fmt::format("read committed, not {}", level)),
                      std::string::npos)
                << sql.message();
        }
        EXPECT_EQ(sql.error("begin isolation level read committed; " + calls[2] + "; rollback"),
                  "ok");
    }
}

TEST_F(Settle, rows_that_others_have_locked_are_left_out_and_the_rest_ends_at_once) {
    const std::string error =
        ", array_fill('{\"code\": \"X\", \"message\": \"m\"}'::jsonb, array[3])";
    for (const auto& [function, more] :
         {std::pair{"complete_jobs", std::string()}, std::pair{"fail_jobs", error},
          std::pair{"snooze_jobs", std::string(", '{60, 60, 60}'")},
          std::pair{"release_jobs", std::string()},
          std::pair{"cancel_running_jobs", std::string()}}) {
        sql.run("delete from jobforge.jobs");
        for (int n = 0; n < 3; ++n) {
            running();
        }
        const auto locked = claimed[0];
        Session other = database.session();
        other.run(fmt::format("begin; select jobforge.cancel_job('{}')", locked));
        const auto call = many(function, more + ", p_skip_locked => true");
        sql.run("set lock_timeout = '10s'");  // a wait fails and does not hang
        const bool fails = function == std::string_view("fail_jobs");
        const auto refused = fmt::format("select job_id, {0} from {1} where {0} <> 'QUEUED'",
                                         fails ? "status" : "state", call);
        EXPECT_EQ(sql.rows(refused), (std::vector<TextRow>{{locked, "LOCKED"}})) << function;
        EXPECT_EQ(sql.one("select count(*) from jobforge.jobs where status = 'RUNNING'"), "1")
            << function;
        other.run("commit");
        EXPECT_EQ(sql.rows(refused).back(), (TextRow{locked, fails ? "LEASE_LOST" : "LOST"}))
            << function;
        sql.run("delete from jobforge.finished_jobs");
    }
}

// What docs/sql.md says for a COMMIT that was not answered: ask on a new connection. The question
// waits for the transaction that is still deciding.
TEST_F(Settle, lost_answer) {
    for (const bool commits : {true, false}) {
        running();
        const auto work = "begin; insert into public.effects values (1); " + one("complete_job");
        Session lost = database.session();
        lost.run(work);
        std::string state;
        {
            const std::jthread asks([&] {
                Session again = database.session();
                state = again.one(one("lease_state"));
            });
            wait_until_blocked(sql);
            lost.run(commits ? "commit" : "rollback");
        }
        EXPECT_EQ(state, commits ? "SETTLED" : "HELD");
        if (state == "HELD") {
            EXPECT_EQ(sql.error(work + "; commit"), "ok");
        }
    }
    EXPECT_EQ(effects(), "2");
}

}  // namespace
}  // namespace jobforge::test
