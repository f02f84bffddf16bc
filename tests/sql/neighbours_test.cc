// Attacks of one tenant on the service of the others. Each test is named after the hole that it
// tries.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <libpq-fe.h>

#include "sql_session.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using testing::HasSubstr;

class Neighbours : public testing::Test {
protected:
    std::string job_of(std::string_view type, const std::string& more = "") {
        return sql.one(
            fmt::format("select job_id from jobforge.enqueue_job('{}', '{{}}'{})", type, more));
    }
    std::string status_of(const std::string& job) {
        return sql.one(fmt::format("select status from jobforge.get_job('{}')", job));
    }

    EngineDatabase database;
    Session sql = database.session();
};

// --- a payload of few bytes that is enormous as text

// A payload of `count` numbers 1e131071: ten bytes each where it is stored, 131,072 as text.
std::string numbers(int count) {
    return fmt::format(
        "jsonb_build_object('a', (select jsonb_agg('1e131071'::jsonb) from "
        "generate_series(1, {})))",
        count);
}

TEST_F(Neighbours, a_payload_of_enormous_numbers_is_refused_at_enqueue) {
    for (const int count : {1, 50, 8300}) {
        EXPECT_EQ(sql.error(fmt::format("select jobforge.enqueue_job('a', {})", numbers(count))),
                  "JOB_PAYLOAD_INVALID");
        EXPECT_THAT(sql.message(), HasSubstr("400 digits"));
        EXPECT_EQ(sql.error(fmt::format("select jobforge.enqueue_jobs(array['a', 'a'], "
                                        "array['{{}}'::jsonb, {}])",
                                        numbers(count))),
                  "JOB_PAYLOAD_INVALID");
    }
    for (const char* number : {"1e400", "-1e400", "1e-401", "[[{\"x\": 1e401}]]", "0e-16383"}) {
        EXPECT_EQ(
            sql.error(fmt::format("select jobforge.enqueue_job('a', '{{\"n\": {}}}')", number)),
            "JOB_PAYLOAD_INVALID")
            << number;
    }
    // Few bytes where it is stored, and 16,383 digits behind the point of each.
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a', (select jsonb_agg(round(i, 16383)) from "
                        "generate_series(1, 300) i))"),
              "JOB_PAYLOAD_INVALID");
    // Every double is fine, and so is a long number that is a string.
    for (const char* number :
         {"1.7976931348623157e308", "4.9406564584124654e-324", "0", "-0.5", "\"1e131071\""}) {
        EXPECT_EQ(
            sql.error(fmt::format("select jobforge.enqueue_job('a', '{{\"n\": {}}}')", number)),
            "ok")
            << number;
    }
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs"), "5");
}

TEST_F(Neighbours, payloads_are_measured_as_the_text_that_is_sent) {
    sql.run(
        "select from jobforge.enqueue_job('a', '{\"n\": 1e300}'); "
        "select from jobforge.enqueue_jobs(array['a'], array['{\"n\": 1e300}']::jsonb[])");
    EXPECT_EQ(sql.one("select min(payload_bytes) || ' ' || max(payload_bytes) from jobforge.jobs"),
              "308 308");
    EXPECT_EQ(sql.one(fmt::format("select bytes from jobforge.tenant_waiting('{}')", kTenantA)),
              "616");
    // 1,000 numbers of 301 digits are over 256 KiB as text and go to an artifact.
    sql.run(
        "select from jobforge.enqueue_job('b', jsonb_build_object('a', (select "
        "jsonb_agg('1e300'::jsonb) from generate_series(1, 1000))))");
    EXPECT_EQ(sql.one("select payload_ref is not null from jobforge.jobs where type = 'b'"), "t");
}

// A row as the version before would have stored it.
TEST_F(Neighbours, a_job_that_cannot_be_read_ends_and_the_others_are_claimed) {
    const std::string bad = job_of("a", ", 0");
    const std::string good = job_of("a");
    sql.run(fmt::format("update jobforge.jobs set payload = {} where job_id = '{}'", numbers(8300),
                        bad));
    EXPECT_EQ(sql.error("select payload from jobforge.claim_jobs('w', 10, array['a'])"), "54000");
    EXPECT_EQ(sql.one("select jobforge.end_unreadable_jobs(array['a'])"), "1");
    EXPECT_EQ(sql.one("select job_id from jobforge.claim_jobs('w', 10, array['a'])"), good);
    EXPECT_EQ(status_of(bad), "FAILED");
    EXPECT_EQ(sql.one(fmt::format("select last_error ->> 'code' from jobforge.get_job('{}')", bad)),
              "JOB_PAYLOAD_INVALID");
    // Reading it tells what it is, and does not make a gigabyte of it.
    EXPECT_EQ(
        sql.one(fmt::format("select payload ->> 'unreadable' from jobforge.get_job('{}')", bad)),
        "a number of more than 400 digits");
    EXPECT_EQ(sql.error("select jobforge.list_jobs()"), "ok");
}

TEST_F(Neighbours, a_result_that_cannot_be_stored_refuses_its_job_and_no_other) {
    const std::string bad = job_of("a");
    const std::string good = job_of("b");
    sql.run("select from jobforge.claim_jobs('w', 10, array['a', 'b'])");
    const auto complete = [&] {
        return sql.rows(fmt::format(
            "select job_id, state from jobforge.complete_jobs('w', array['{0}', '{0}']::uuid[], "
            "array['{1}', '{2}']::uuid[], array[1, 1], array[{3}, '{{}}'::jsonb])",
            kTenantA, bad, good, numbers(3000)));
    };
    const auto answer = complete();
    ASSERT_EQ(answer.size(), 1U);
    EXPECT_EQ(answer[0], (TextRow{bad, "REFUSED"}));
    EXPECT_EQ(status_of(good), "SUCCEEDED");
    EXPECT_EQ(status_of(bad), "RUNNING");
    EXPECT_EQ(sql.error(fmt::format("select jobforge.complete_job('w', '{}', '{}', 1, {})",
                                    kTenantA, bad, numbers(1))),
              "JOB_PAYLOAD_INVALID");
    // An error with such numbers loses its details, not its job.
    EXPECT_EQ(
        sql.error(fmt::format("select jobforge.fail_job('w', '{}', '{}', 1, jsonb_build_object("
                              "'code', 'X', 'message', 'm', 'retryable', false, 'details', {}))",
                              kTenantA, bad, numbers(3000))),
        "ok");
    EXPECT_EQ(sql.one(fmt::format("select last_error from jobforge.get_job('{}')", bad)),
              R"({"code": "X", "message": "m", "retryable": false, "truncated": true})");
}

// --- internal types

TEST_F(Neighbours, internal_types_are_closed_to_enqueue_claim_settle_and_repeat) {
    for (const char* type :
         {"COMPILE_PASSPORT", "SIGN_PASSPORT", "RUN_RULE_TESTS", "BUILD_SNAPSHOT", "PARSE_FACTS",
          "GENERATE_QR", "DELIVER_WEBHOOK", "COLLECT_PRICES"}) {
        EXPECT_EQ(sql.error(fmt::format("select jobforge.enqueue_job('{}')", type)), "FORBIDDEN")
            << type;
        EXPECT_EQ(sql.error(fmt::format("select jobforge.enqueue_jobs(array['a', '{}'], "
                                        "array['{{}}', '{{}}']::jsonb[])",
                                        type)),
                  "FORBIDDEN")
            << type;
        EXPECT_EQ(sql.error(fmt::format(
                      "select jobforge.tenant_claim_jobs('w', 1, array['a', '{}'])", type)),
                  "FORBIDDEN")
            << type;
    }
    const auto job =
        sql.one(fmt::format("select jobforge.enqueue_step('{}', 'SIGN_PASSPORT', '{{}}', 1, "
                            "null, null, null, null)",
                            kTenantA));
    // Whatever holds the lease: a success must have left a signature.
    sql.run("select from jobforge.claim_jobs('w', 1, array['SIGN_PASSPORT'])");
    EXPECT_EQ(
        sql.error(fmt::format("select jobforge.complete_job('w', '{}', '{}', 1)", kTenantA, job)),
        "INVALID_TRANSITION");
    EXPECT_EQ(sql.error(fmt::format("select jobforge.tenant_complete_job('w', '{}', 1, null, null)",
                                    job)),
              "FORBIDDEN");
    EXPECT_EQ(sql.error(fmt::format("select jobforge.tenant_fail_job('w', '{}', 1, null, "
                                    "'{{\"code\": \"X\", \"message\": \"m\"}}', null)",
                                    job)),
              "FORBIDDEN");
    EXPECT_EQ(
        sql.error(fmt::format("select jobforge.tenant_snooze_job('w', '{}', 1, null, 5)", job)),
        "FORBIDDEN");
    sql.run(fmt::format(
        "select jobforge.fail_job('w', '{}', '{}', 1, '{{\"code\": \"X\", \"message\": \"m\", "
        "\"retryable\": false}}')",
        kTenantA, job));
    Session tenant = database.tenant_login(kTenantA);
    EXPECT_EQ(tenant.error(fmt::format("select jobforge.reschedule_job('{}')", job)), "FORBIDDEN");
    EXPECT_EQ(tenant.error("select jobforge.retry_jobs(p_type => 'SIGN_PASSPORT')"), "FORBIDDEN");
    EXPECT_EQ(tenant.one("select count(*) from jobforge.retry_jobs()"), "0");
    EXPECT_EQ(status_of(job), "FAILED");
    // An operator of the platform may.
    EXPECT_EQ(sql.one("select count(*) from jobforge.retry_jobs()"), "1");
}

TEST_F(Neighbours, an_api_key_repeats_and_cancels_internal_jobs_only_as_admin) {
    const auto job =
        sql.one(fmt::format("select jobforge.enqueue_step('{}', 'SIGN_PASSPORT', '{{}}', 1, "
                            "null, null, null, null)",
                            kTenantA));
    Session tenant = database.tenant_login(kTenantA);
    EXPECT_EQ(tenant.error(fmt::format("select jobforge.cancel_job('{}')", job)), "FORBIDDEN");
    EXPECT_EQ(
        tenant.one(fmt::format("select status from jobforge.cancel_jobs(array['{}'::uuid])", job)),
        "FORBIDDEN");
    for (const auto& [id, role] :
         {std::pair{"aaaaaaaaaaaaaaaa", "Operator"}, {"bbbbbbbbbbbbbbbb", "Admin"}}) {
        sql.run(fmt::format("select jobforge.create_api_key('{}', sha256('x'), 'n', array['{}'])",
                            id, role));
        EXPECT_EQ(sql.error(fmt::format("select set_config('app.actor_id', 'key:{}', true), "
                                        "jobforge.reschedule_job('{}')",
                                        id, job)),
                  std::string_view(role) == "Admin" ? "ok" : "FORBIDDEN");
        // A cancelled signing leaves its version in COMPILING until somebody puts it back.
        EXPECT_EQ(sql.error(fmt::format("select set_config('app.actor_id', 'key:{}', true), "
                                        "jobforge.cancel_job('{}')",
                                        id, job)),
                  std::string_view(role) == "Admin" ? "ok" : "FORBIDDEN");
    }
    EXPECT_EQ(status_of(job), "CANCELLED");
    EXPECT_EQ(sql.one(fmt::format("select jobforge.cancel_job('{}')", job_of("a"))), "CANCELLED");
}

// --- locks that a tenant can hold

TEST_F(Neighbours, an_open_transaction_of_a_tenant_with_a_quota_stops_no_worker) {
    sql.run(
        fmt::format("select jobforge.set_tenant('{}', '{{\"max_waiting_jobs\": 10}}')", kTenantA));
    const std::string mine = job_of("a");
    sql.use_tenant(kTenantB);
    const std::string foreign = job_of("a");
    Session open = database.session();
    open.run("begin; select from jobforge.enqueue_job('a')");
    Session worker = database.session();
    worker.run("set lock_timeout = '2s'");
    EXPECT_EQ(worker.one("select count(*) from jobforge.claim_jobs('w', 10, array['a'])"), "2");
    worker.run(
        "update jobforge.jobs set lease_expires_at = clock_timestamp() - interval '1 s' "
        "where status = 'RUNNING'");
    EXPECT_EQ(worker.one("select jobforge.reclaim_expired()"), "2");
    EXPECT_EQ(worker.error("select jobforge.claim_jobs('w', 10, array['a'], p_slots => 40)"), "ok");
    open.run("commit");
}

TEST_F(Neighbours, advisory_locks_of_other_logins_stop_nothing) {
    sql.run("select jobforge.set_job_type('a', '{\"concurrency_limit\": 5}')");
    sql.run(fmt::format(
        "select jobforge.set_tenant('{}', '{{\"concurrency_limit\": 5}}'); "
        "select jobforge.create_api_key('aaaaaaaaaaaaaaaa', sha256('x'), 'n', array['Admin'])",
        kTenantA));
    job_of("a");
    Session hostile = database.tenant_login(kTenantB);
    for (const std::string& name :
         {std::string("jobforge.type.a"), fmt::format("jobforge.tenant.{}", kTenantA),
          std::string("jobforge.api_key aaaaaaaaaaaaaaaa"),
          std::string("jobforge.api_key_events aaaaaaaaaaaaaaaa"),
          std::string("jobforge.fold_counters"), std::string("jobforge.prune_finished"),
          fmt::format("jobforge.event_log {}", kTenantA),
          fmt::format("jobforge.source.{}.s", kTenantA)}) {
        hostile.run(fmt::format("select pg_advisory_lock(hashtextextended('{}', 0))", name));
    }
    sql.run("set lock_timeout = '2s'");
    EXPECT_EQ(sql.one("select count(*) from jobforge.claim_jobs('w', 10, array['a'])"), "1");
    EXPECT_EQ(sql.error("select jobforge.enter_request('aaaaaaaaaaaaaaaa', 1, 0, true)"), "ok")
        << sql.message();
    EXPECT_NE(sql.one("select jobforge.fold_counters()"), "0");
    EXPECT_EQ(sql.one("select tree_size is not null from jobforge.extend_event_log()"), "t");
    EXPECT_EQ(sql.error("select jobforge.revoke_api_key('aaaaaaaaaaaaaaaa')"), "ok")
        << sql.message();
    EXPECT_EQ(sql.error("select jobforge.save_source('{\"name\": \"s\", \"adapter\": "
                        "\"manual\"}')"),
              "ok")
        << sql.message();
    // No lock of ours is one that others can take.
    EXPECT_EQ(
        sql.one(
            "begin; select count(*) from jobforge.claim_jobs('w', 1, array['a']); "
            "select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()"),
        "0");
    sql.run("rollback");
}

TEST_F(Neighbours, a_request_waits_for_its_own_keys_open_revocation_two_seconds_at_most) {
    sql.run("select jobforge.create_api_key('aaaaaaaaaaaaaaaa', sha256('x'), 'n', array['Admin'])");
    Session open = database.session();
    open.run("begin; select jobforge.revoke_api_key('aaaaaaaaaaaaaaaa')");
    sql.run("set statement_timeout = '10s'");  // without its own bound it would wait for ever
    EXPECT_EQ(sql.error("select jobforge.enter_request('aaaaaaaaaaaaaaaa', 1, 0, true)"), "55P03");
    EXPECT_EQ(sql.error("select jobforge.enter_request('aaaaaaaaaaaaaaaa', 1, 0, false)"), "ok");
    open.run("commit");
    EXPECT_EQ(sql.error("select jobforge.enter_request('aaaaaaaaaaaaaaaa', 1, 0, true)"),
              "API_KEY_REVOKED");
}

// A revocation waits for what the key has begun, and then refuses it.
TEST_F(Neighbours, a_revocation_waits_for_the_changes_that_its_key_has_begun) {
    sql.run("select jobforge.create_api_key('aaaaaaaaaaaaaaaa', sha256('x'), 'n', array['Admin'])");
    Session request = database.session();
    request.run("begin; select jobforge.enter_request('aaaaaaaaaaaaaaaa', 1, 0, true)");
    sql.run("set lock_timeout = '200ms'");
    EXPECT_EQ(sql.error("select jobforge.revoke_api_key('aaaaaaaaaaaaaaaa')"), "55P03");
    request.run("commit");
    EXPECT_EQ(sql.error("select jobforge.revoke_api_key('aaaaaaaaaaaaaaaa')"), "ok");
}

// --- suspended tenants

TEST_F(Neighbours, a_suspended_tenant_changes_nothing) {
    const std::string job = job_of("a");
    sql.run("select from jobforge.tenant_claim_jobs('w', 1, array['a'])");
    sql.run(
        fmt::format("select jobforge.set_tenant('{}', '{{\"status\": \"SUSPENDED\"}}')", kTenantA));
    for (const std::string& call :
         {std::string("enqueue_job('a')"), fmt::format("cancel_job('{}')", job),
          fmt::format("cancel_jobs(array['{}']::uuid[])", job),
          fmt::format("reschedule_job('{}')", job), std::string("retry_jobs()"),
          std::string("tenant_claim_jobs('w', 1, array['a'])"),
          fmt::format("tenant_heartbeat_jobs('w', array['{}']::uuid[], array[1])", job),
          fmt::format("tenant_complete_job('w', '{}', 1, null, null)", job),
          fmt::format("tenant_fail_job('w', '{}', 1, null, '{{\"code\": \"X\", \"message\": "
                      "\"m\"}}', null)",
                      job),
          fmt::format("tenant_snooze_job('w', '{}', 1, null, 5)", job)}) {
        EXPECT_EQ(sql.error("select jobforge." + call), "FORBIDDEN") << call;
    }
    EXPECT_EQ(status_of(job), "RUNNING");  // it may look
}

// --- what a login can learn of others

TEST_F(Neighbours, channels_tell_a_listener_nothing) {
    Session hostile = database.tenant_login(kTenantB);
    hostile.run("listen jobforge_wake; listen jobforge_cancel");
    sql.run("select jobforge.ask_for_wake(array['a'], 60000)");
    const std::string job = job_of("a");
    sql.run("select from jobforge.claim_jobs('w', 1, array['a'])");
    sql.run(fmt::format("select jobforge.cancel_job('{}')", job));
    PGconn* connection = hostile.connection().native();
    std::string heard;
    ASSERT_TRUE(wait_until([&] {
        PQconsumeInput(connection);
        while (PGnotify* notice = PQnotifies(connection)) {
            heard += std::string(notice->relname) + "(" + notice->extra + ") ";
            PQfreemem(notice);
        }
        return heard.find("jobforge_cancel") != std::string::npos;
    }));
    EXPECT_EQ(heard, "jobforge_wake() jobforge_cancel() ");
}

TEST_F(Neighbours, a_tenants_login_has_no_table_to_explain) {
    Session hostile = database.tenant_login(kTenantB);
    for (const char* table : {"jobs", "finished_jobs", "all_jobs", "job_attempts", "job_results",
                              "events", "tenants", "attempt_records", "turns", "tenant_measures"}) {
        EXPECT_EQ(hostile.error(fmt::format("explain select * from jobforge.{}", table)), "42501")
            << table;
    }
    EXPECT_EQ(hostile.error("select jobforge.list_jobs()"), "ok");
}

TEST_F(Neighbours, event_numbers_count_nothing_of_other_tenants) {
    const auto append = [&] {
        sql.run("select jobforge.append_event('System', gen_random_uuid(), 'POLICY_CHANGED')");
        return std::stoll(sql.one("select max(event_seq) from jobforge.list_events()"));
    };
    const auto first = append();
    EXPECT_GT(first, 1'700'000'000'000'000);  // a time, not a count
    EXPECT_LT(first, 9'007'199'254'740'991);  // exact in every JSON reader
    EXPECT_GT(append(), first);
    // The clock stands still, or goes back: the chain of an aggregate still grows.
    sql.run(
        "select jobforge.append_event('System', 'aaaaaaaa-0000-4000-8000-00000000000a', "
        "'POLICY_CHANGED'); "
        "alter table jobforge.events disable trigger user; "
        "update jobforge.events set event_seq = 8000000000000000 where aggregate_id = "
        "'aaaaaaaa-0000-4000-8000-00000000000a'; alter table jobforge.events enable trigger user; "
        "select jobforge.append_event('System', 'aaaaaaaa-0000-4000-8000-00000000000a', "
        "'POLICY_CHANGED')");
    EXPECT_EQ(sql.one("select max(event_seq) from jobforge.list_events()"), "8000000000000001");
}

// --- rights of logins

TEST_F(Neighbours, a_login_that_spans_tenants_cannot_be_bound) {
    for (const char* role : {"jobforge_worker", "jobforge_gateway", "jobforge_owner"}) {
        Session login = database.login_as(role);
        const std::string name = login.one("select session_user");
        EXPECT_EQ(sql.error(fmt::format("select jobforge.bind_login('{}', '{}')", kTenantB, name)),
                  "FORBIDDEN")
            << role;
        EXPECT_THAT(sql.message(), HasSubstr(role));
    }
    EXPECT_EQ(sql.error(fmt::format("select jobforge.bind_login('{}', 'postgres')", kTenantB)),
              "FORBIDDEN");
}

// --- quotas of new tenants

TEST_F(Neighbours, a_new_tenant_has_the_default_quotas) {
    const auto quotas = [&](const std::string& tenant) {
        return sql.one(
            fmt::format("select max_waiting_jobs || ' ' || max_waiting_bytes from "
                        "jobforge.list_tenants() where tenant_id = '{}'",
                        tenant));
    };
    EXPECT_EQ(quotas(sql.one("select jobforge.create_tenant('c')")), "1000000 1073741824");
    sql.run(
        "select jobforge.set_tenant_defaults('{\"max_waiting_jobs\": 3, \"max_waiting_bytes\": "
        "1000}')");
    const std::string small = sql.one("select jobforge.create_tenant('d')");
    EXPECT_EQ(quotas(small), "3 1000");
    sql.use_tenant(small);
    sql.run(
        "select from jobforge.enqueue_jobs(array['a', 'a', 'a'], array['{}', '{}', "
        "'{}']::jsonb[])");
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a')"), "QUOTA_EXCEEDED");
    EXPECT_EQ(sql.error("select jobforge.set_tenant_defaults('{\"max_waiting_jobs\": -1}')"),
              "VALIDATION_ERROR");
}

// Far below a large quota a tenant's enqueues do not wait for each other; at its end, and with a
// small one, they take turns and are exact.
TEST_F(Neighbours, a_large_quota_makes_no_enqueue_wait_and_every_quota_is_exact_at_its_end) {
    const auto set_quota = [&](int jobs) {
        sql.run(fmt::format("select jobforge.set_tenant('{}', '{{\"max_waiting_jobs\": {}}}')",
                            kTenantA, jobs));
    };
    set_quota(500000);
    Session open = database.session();
    open.run("begin; select from jobforge.enqueue_job('a')");
    sql.run("set lock_timeout = '500ms'");
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a')"), "ok") << sql.message();
    open.run("commit");
    EXPECT_EQ(sql.one("select count(*) from jobforge.tenant_measures"), "2");
    // 6,000 jobs are more than a hundredth: the transaction takes its turn.
    open.run(
        "begin; select from jobforge.enqueue_jobs(array_fill('a'::text, array[6000]), "
        "array_fill('{}'::jsonb, array[6000]))");
    EXPECT_EQ(sql.error("select from jobforge.enqueue_jobs(array_fill('a'::text, array[6000]), "
                        "array_fill('{}'::jsonb, array[6000]))"),
              "55P03");
    open.run("rollback; begin");
    set_quota(3);
    open.run("select from jobforge.enqueue_job('a')");
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a')"), "55P03");
    open.run("commit");
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a')"), "QUOTA_EXCEEDED");
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs"), "3");
}

// --- slots

TEST_F(Neighbours, jobs_of_one_tenant_leave_slots_for_the_others) {
    sql.run(
        "select from jobforge.enqueue_jobs(array_fill('a'::text, array[20]), "
        "array_fill('{}'::jsonb, array[20]))");
    const auto claim = [&](int limit, int held) {
        return sql.one(fmt::format(
            "select count(*) from jobforge.claim_jobs('w', {}, array['a'], "
            "p_tenant_cap => 6, p_held_tenants => array['{}']::uuid[], p_held_counts => "
            "array[{}])",
            limit, kTenantA, held));
    };
    EXPECT_EQ(claim(8, 0), "6");
    EXPECT_EQ(claim(2, 6), "0");
    EXPECT_EQ(claim(2, 5), "1");
    // With a second lane the claim takes another way.
    sql.run("select from jobforge.enqueue_job('a', p_priority => 0)");
    EXPECT_EQ(claim(8, 3), "3");
    // One tenant alone has all slots.
    sql.run(
        fmt::format("select jobforge.set_tenant('{}', '{{\"status\": \"SUSPENDED\"}}')", kTenantB));
    EXPECT_EQ(claim(8, 6), "8");
}

}  // namespace
}  // namespace jobforge::test
