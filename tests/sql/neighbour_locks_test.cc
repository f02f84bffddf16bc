// What spans all tenants waits for no transaction that a tenant holds open, and uncommitted work of
// one is not cleared away by it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <libpq-fe.h>

#include "sql_session.h"

namespace jobforge::test {
namespace {

class NeighbourLocks : public testing::Test {
protected:
    // A payload that is kept apart: more than 256 KiB as text.
    static std::string large(char letter) {
        return fmt::format("jsonb_build_object('x', repeat('{}', 300000))", letter);
    }
    void finish(const std::string& job, std::string_view result = "null") {
        sql.run("select from jobforge.claim_jobs('w', 10, array['a'])");
        sql.run(fmt::format("select jobforge.complete_job('w', '{}', '{}', 1, {})", kTenantA, job,
                            result));
    }
    void let_everything_expire() {
        sql.run("set session_replication_role = replica");  // past the guard of finished jobs
        sql.run(
            "update jobforge.finished_jobs set completed_at = completed_at - interval '400 days'");
        sql.run("set session_replication_role = origin");
    }

    EngineDatabase database;
    Session sql = database.session();
};

// An open enqueue uses the bytes of a finished job again; nobody else sees its row yet.
TEST_F(NeighbourLocks, pruning_leaves_an_artifact_that_an_open_transaction_uses_again) {
    const std::string old =
        sql.one(fmt::format("select job_id from jobforge.enqueue_job('a', {})", large('x')));
    finish(old);
    let_everything_expire();
    Session open = database.session();
    open.run("begin");
    const std::string job =
        open.one(fmt::format("select job_id from jobforge.enqueue_job('a', {})", large('x')));
    sql.run("set lock_timeout = '2s'");
    EXPECT_EQ(sql.one("select jobforge.prune_finished()"), "0") << "it stays for a later run";
    open.run("commit");
    EXPECT_EQ(
        sql.one(fmt::format("select length(payload ->> 'x') from jobforge.get_job('{}')", job)),
        "300000");
    EXPECT_EQ(sql.one("select jobforge.prune_finished()"), "1");
    EXPECT_EQ(
        sql.one(fmt::format("select length(payload ->> 'x') from jobforge.get_job('{}')", job)),
        "300000")
        << "a committed job uses it still";
    finish(job);
    let_everything_expire();
    EXPECT_EQ(sql.one("select jobforge.prune_finished()"), "1");
    EXPECT_EQ(sql.one("select count(*) from jobforge.artifacts"), "0");
}

// The other order: the pruning transaction has the row when the enqueue wants it.
TEST_F(NeighbourLocks, an_artifact_that_is_being_pruned_is_stored_anew) {
    const std::string old =
        sql.one(fmt::format("select job_id from jobforge.enqueue_job('a', {})", large('x')));
    finish(old);
    let_everything_expire();
    Session pruning = database.session();
    pruning.run("begin; select jobforge.prune_finished()");
    Session late = database.session();
    pg::Connection& connection = late.connection();
    ASSERT_EQ(PQsendQuery(connection.native(),
                          fmt::format("select jobforge.enqueue_job('a', {})", large('x')).c_str()),
              1);
    wait_until_blocked(sql);
    pruning.run("commit");
    PGresult* answer = PQgetResult(connection.native());
    EXPECT_EQ(PQresultStatus(answer), PGRES_TUPLES_OK) << PQresultErrorMessage(answer);
    PQclear(answer);
    while (PGresult* rest = PQgetResult(connection.native())) {
        PQclear(rest);
    }
    EXPECT_EQ(sql.one("select count(*) from jobforge.claim_jobs('w', 10, array['a']) c where "
                      "length(c.payload ->> 'x') = 300000"),
              "1");
}

// The bytes that a tenant's job will answer can be known to it beforehand.
TEST_F(NeighbourLocks, a_batch_of_completions_waits_for_no_open_artifact) {
    const std::string job = sql.one("select job_id from jobforge.enqueue_job('a')");
    sql.run("select from jobforge.claim_jobs('w', 10, array['a'])");
    Session open = database.session();
    open.run(fmt::format("begin; select from jobforge.enqueue_job('b', {})", large('r')));
    sql.run("set lock_timeout = '2s'");
    EXPECT_EQ(sql.error(fmt::format(
                  "select jobforge.complete_jobs('w', array['{}']::uuid[], array['{}']::uuid[], "
                  "array[1], array[{}], p_skip_locked => true)",
                  kTenantA, job, large('r'))),
              "ok")
        << sql.message();
    EXPECT_EQ(
        sql.one(fmt::format(
            "select status || ' ' || length(result ->> 'x') from jobforge.get_job('{}')", job)),
        "SUCCEEDED 300000");
}

// One statement renews the leases of all tenants' jobs.
TEST_F(NeighbourLocks, a_renewal_waits_for_no_open_cancel) {
    const std::string mine = sql.one("select job_id from jobforge.enqueue_job('a')");
    sql.use_tenant(kTenantB);
    sql.run("select from jobforge.enqueue_job('a')");
    sql.run("select from jobforge.claim_jobs('w', 2, array['a'])");
    sql.run("update jobforge.jobs set lease_expires_at = clock_timestamp() + interval '5 s'");
    Session open = database.tenant_login(kTenantA);
    open.run(fmt::format("begin; select jobforge.cancel_job('{}')", mine));
    sql.run("set lock_timeout = '2s'");
    EXPECT_EQ(sql.error("select jobforge.heartbeat_jobs('w', array_agg(tenant_id), "
                        "array_agg(job_id), array_agg(lease_token)) from jobforge.jobs"),
              "ok")
        << sql.message();
    EXPECT_EQ(sql.one("select tenant_id from jobforge.jobs where lease_expires_at > "
                      "clock_timestamp() + interval '10 s'"),
              kTenantB);
    open.run("rollback");
}

TEST_F(NeighbourLocks, housekeeping_waits_for_no_open_rotation_of_a_secret) {
    const std::string endpoint =
        sql.one("select jobforge.add_webhook_endpoint('https://shop.example/hook', '\\x01')");
    const auto rotate =
        fmt::format("select jobforge.rotate_webhook_secret('{}', '\\x02', '1 ms')", endpoint);
    sql.run(rotate);
    sql.run("update jobforge.webhook_replaced_secrets set expires_at = clock_timestamp()");
    Session open = database.session();
    open.run("begin; " + rotate);
    sql.run("set lock_timeout = '2s'");
    EXPECT_EQ(sql.error("select jobforge.prune_governors()"), "ok") << sql.message();
    open.run("rollback");
    sql.run("select jobforge.prune_governors()");
    EXPECT_EQ(sql.one("select count(*) from jobforge.webhook_replaced_secrets"), "0");
}

TEST_F(NeighbourLocks, housekeeping_waits_for_no_open_revocation_of_a_key) {
    for (const char letter : {'a', 'b'}) {
        sql.run(fmt::format(
            "select jobforge.create_api_key('{0}', sha256('x'), 'n', array['Operator'])",
            std::string(16, letter)));
        sql.run(
            fmt::format("insert into jobforge.access_denials (tenant_id, key_id, route, reason, "
                        "pending, last_at, noted_at) values ('{}', '{}', 'GET /v1/jobs', "
                        "'no right', 3, clock_timestamp(), '-infinity')",
                        kTenantA, std::string(16, letter)));
    }
    Session open = database.session();
    open.run(fmt::format("begin; select jobforge.revoke_api_key('{}')", std::string(16, 'a')));
    sql.run("set lock_timeout = '2s'");
    EXPECT_EQ(sql.one("select jobforge.flush_access_denied()"), "1") << "the other key's";
    sql.use_tenant(kTenantA);
    EXPECT_EQ(sql.one("select sum(pending) from jobforge.access_denials"), "3");
    open.run("commit");
    EXPECT_EQ(sql.one("select jobforge.flush_access_denied()"), "1");
}

TEST_F(NeighbourLocks, a_note_of_a_refusal_hardly_waits_for_an_open_revocation) {
    sql.run(
        "select jobforge.create_api_key('aaaaaaaaaaaaaaaa', sha256('x'), 'n', array['Operator'])");
    const auto note = [&](const char* route) {
        return sql.error(fmt::format(
            "select jobforge.note_access_denied('aaaaaaaaaaaaaaaa', '{}', 'no right')", route));
    };
    EXPECT_EQ(note("GET /v1/jobs"), "ok");
    sql.run("update jobforge.access_denials set noted_at = '-infinity'");
    Session open = database.session();
    open.run("begin; select jobforge.revoke_api_key('aaaaaaaaaaaaaaaa')");
    sql.run(
        "set lock_timeout = '2s'; set statement_timeout = '2s'");  // 57014 if it waited for either
    EXPECT_EQ(note("GET /v1/jobs"), "ok") << "its event comes later";
    EXPECT_EQ(note("GET /v1/stats"), "55P03") << "a new row needs the key's";
    open.run("rollback");
    EXPECT_EQ(sql.one("select sum(pending) from jobforge.access_denials"), "1");
    EXPECT_EQ(sql.one("select jobforge.flush_access_denied()"), "1");
}

// The numbers of a tenant's events are times: here the clock has been set back, and another event
// has the next number.
TEST_F(NeighbourLocks, an_event_finds_its_number_although_the_clock_was_set_back) {
    const auto create = [&](char letter) {
        sql.run(
            fmt::format("select jobforge.create_api_key('{}', sha256('x'), 'n', array['Operator'])",
                        std::string(16, letter)));
    };
    create('a');
    create('b');
    const auto seq_of = [](char letter) {
        return fmt::format(
            "event_type = 'KEY_CREATED' and aggregate_id = jobforge.key_aggregate('{}')",
            std::string(16, letter));
    };
    sql.run("set session_replication_role = replica");  // past the guard of immutable rows
    sql.run("update jobforge.events set event_seq = 9000000000000000 where " + seq_of('a'));
    sql.run("update jobforge.events set event_seq = 9000000000000001 where " + seq_of('b'));
    sql.run("set session_replication_role = origin; set statement_timeout = '5s'");
    EXPECT_EQ(sql.error(fmt::format("select jobforge.revoke_api_key('{}')", std::string(16, 'a'))),
              "ok")
        << sql.message();
    EXPECT_EQ(sql.one("select event_seq from jobforge.events where event_type = 'KEY_REVOKED'"),
              "9000000000000002");
}

}  // namespace
}  // namespace jobforge::test
