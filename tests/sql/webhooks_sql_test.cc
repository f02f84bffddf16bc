// Webhook fan-out, deliveries, and the log over the audit chain.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pipeline_world.h"

namespace jobforge::test {
namespace {

class Webhooks : public testing::Test {
protected:
    std::string deliveries(const std::string& endpoint) {
        return sql.one(fmt::format(
            "select coalesce(string_agg(event_type, ' ' order by webhook_delivery_id), '') from "
            "jobforge.list_webhook_deliveries('{}')",
            endpoint));
    }
    TextRow delivery(const std::string& id) {
        return sql
            .rows(fmt::format("select status, attempts, http_status, error_message, "
                              "delivered_at is not null from jobforge.webhook_deliveries "
                              "where webhook_delivery_id = '{}'",
                              id))
            .at(0);
    }
    std::string job_of(const std::string& id) {
        return sql.one(fmt::format(
            "select job_id from jobforge.webhook_deliveries where webhook_delivery_id = '{}'", id));
    }
    // Runs the delivery's job to this end.
    void end_job(const std::string& delivery, const std::string& end) {
        const auto job = job_of(delivery);
        const auto token = sql.one(fmt::format(
            "select lease_token from jobforge.claim_jobs('w', 100, array['DELIVER_WEBHOOK']) where "
            "job_id = '{}'",
            job));
        const auto settle = [&](const char* function, const char* more) {
            sql.run(fmt::format("select jobforge.{}('w', '{}', '{}', {}{})", function, kTenantA,
                                job, token, more));
        };
        if (end == "FAILED") {
            settle("fail_job", R"(, '{"code":"X","message":"gone","retryable":false}')");
        } else if (end == "RETRY") {
            settle("fail_job", R"(, '{"code":"X","message":"busy"}')");
        } else {
            sql.run(fmt::format("select jobforge.cancel_job('{}')", job));
        }
    }

    EngineDatabase database;
    Session sql = database.session();
    PipelineWorld world{sql};
};

TEST_F(Webhooks, an_endpoint_gets_what_it_asked_for_by_name_by_alias_and_all) {
    const auto by_name = world.endpoint("'PASSPORT_SIGNED'");
    const auto by_alias = world.endpoint("'passport.version.signed', 'document.version.validated'");
    const auto all = world.endpoint("'*'");
    const auto off = world.endpoint("'*'");
    sql.run(fmt::format("select jobforge.set_webhook_endpoint_status('{}', 'DISABLED')", off));
    world.version("SIGNED");
    EXPECT_EQ(deliveries(by_name), "PASSPORT_SIGNED");
    EXPECT_EQ(deliveries(by_alias), "FACTS_PARSED PASSPORT_SIGNED");
    EXPECT_EQ(deliveries(off), "");
    EXPECT_EQ(
        sql.one(fmt::format("select count(*) from jobforge.list_webhook_deliveries('{}')", all)),
        sql.one("select count(*) from jobforge.events"));
    // One job for each, of low priority, that names it.
    EXPECT_EQ(
        sql.one("select count(*) from jobforge.webhook_deliveries d join jobforge.jobs j using "
                "(tenant_id, job_id) where j.type = 'DELIVER_WEBHOOK' and j.priority = 3 and "
                "j.payload = jsonb_build_object('webhook_delivery_id', d.webhook_delivery_id) and "
                "j.idempotency_key = format('webhook-%s-%s', d.event_id, d.webhook_endpoint_id)"),
        sql.one("select count(*) from jobforge.webhook_deliveries"));
}

TEST_F(Webhooks, an_endpoint_gets_an_event_once_however_many_subscriptions_match) {
    const auto endpoint = world.endpoint("'*', 'DOCUMENT_UPLOADED'");
    world.document("UPLOADED");
    EXPECT_EQ(sql.one(fmt::format("select s.event_type from jobforge.webhook_deliveries d join "
                                  "jobforge.webhook_subscriptions s using (tenant_id, "
                                  "webhook_subscription_id) where d.webhook_endpoint_id = '{}'",
                                  endpoint)),
              "DOCUMENT_UPLOADED");
    EXPECT_EQ(deliveries(endpoint), "DOCUMENT_UPLOADED");
}

TEST_F(Webhooks, a_subscription_is_kept_once_and_an_unknown_event_is_refused_by_name) {
    const auto endpoint = world.endpoint("'*'");
    const auto subscribe = [&](const std::string& names) {
        return fmt::format(
            "select string_agg(event_type, ' ') from jobforge.subscribe_webhook("
            "'{}', array[{}]::text[])",
            endpoint, names);
    };
    EXPECT_EQ(sql.one(subscribe("'passport.version.active', 'PASSPORT_ACTIVATED', '*'")),
              "* PASSPORT_ACTIVATED");
    EXPECT_EQ(sql.one("select count(*) from jobforge.webhook_subscriptions"), "2");
    EXPECT_EQ(sql.error(subscribe("'PASSPORT_SIGNED', 'passport.signed', 'X'")),
              "VALIDATION_ERROR");
    EXPECT_NE(sql.message().find("'passport.signed', 'X'"), std::string::npos) << sql.message();
    EXPECT_NE(sql.message().find("passport.version.signed"), std::string::npos);
    EXPECT_EQ(sql.error(subscribe("")), "VALIDATION_ERROR");
    EXPECT_EQ(sql.one("select count(*) from jobforge.webhook_subscriptions"), "2");
    for (const char* bad : {"'ftp://x/y', 'x'", "'https://a b/', 'x'", "'https://x/', ''"}) {
        EXPECT_EQ(sql.error(fmt::format("select jobforge.add_webhook_endpoint({})", bad)),
                  "VALIDATION_ERROR")
            << bad;
    }
    EXPECT_EQ(sql.error(fmt::format("select jobforge.set_webhook_endpoint_status('{}', 'OFF')",
                                    endpoint)),
              "VALIDATION_ERROR");
}

TEST_F(Webhooks, attempts_are_counted_and_a_delivered_one_stays_delivered) {
    const auto id = world.delivery();
    const auto note = [&](const std::string& arguments) {
        sql.run(fmt::format("select jobforge.note_delivery('{}', {})", id, arguments));
    };
    note("'PENDING', 503, '{\"a\":\"b\"}', 'busy', 'HTTP 503'");
    EXPECT_EQ(delivery(id), (TextRow{"PENDING", "1", "503", "HTTP 503", "f"}));
    note("'DELIVERED', 204, '{}', '', null");
    EXPECT_EQ(delivery(id), (TextRow{"DELIVERED", "2", "204", "NULL", "t"}));
    note("'FAILED', 500, '{}', '', 'late'");
    EXPECT_EQ(delivery(id), (TextRow{"DELIVERED", "2", "204", "NULL", "t"}));
    EXPECT_EQ(sql.error(fmt::format("select jobforge.note_delivery('{}', 'LOST', 1, null, null, "
                                    "null)",
                                    id)),
              "VALIDATION_ERROR");
}

TEST_F(Webhooks, a_job_that_ends_without_success_fails_a_delivery_that_still_waits) {
    for (const auto& [end, status, message] :
         {std::tuple{"FAILED", "FAILED", "gone"},
          std::tuple{"CANCELLED", "FAILED", "cancelled on request"},
          std::tuple{"RETRY", "PENDING", "NULL"}}) {
        const auto id = world.delivery();
        end_job(id, end);
        EXPECT_EQ(delivery(id).at(0), status) << end;
        EXPECT_EQ(delivery(id)[3], message) << end;
    }
    // What was delivered stays delivered, whatever becomes of the job.
    const auto delivered = world.delivery("DELIVERED");
    end_job(delivered, "FAILED");
    EXPECT_EQ(delivery(delivered).at(0), "DELIVERED");
}

TEST_F(Webhooks, a_crash_at_the_last_attempt_fails_the_delivery_too) {
    const auto id = world.delivery();
    sql.run(
        fmt::format("update jobforge.jobs set max_attempts = 1 where job_id = '{}'", job_of(id)));
    sql.run(
        "select from jobforge.claim_jobs('dying', 100, array['DELIVER_WEBHOOK']); "
        "update jobforge.jobs set lease_expires_at = now() - interval '1 second' where status = "
        "'RUNNING'; select from jobforge.claim_jobs('w', 100, array['DELIVER_WEBHOOK'])");
    EXPECT_EQ(sql.one(fmt::format("select status from jobforge.get_job('{}')", job_of(id))),
              "DEAD_LETTER");
    EXPECT_EQ(delivery(id).at(0), "FAILED");
}

TEST_F(Webhooks, a_job_made_by_hand_decides_nothing_and_garbage_still_ends) {
    const auto id = world.delivery();
    for (const auto& payload : {fmt::format(R"({{"webhook_delivery_id":"{}"}})", id),
                                std::string(R"({"webhook_delivery_id":"x' or 1=1"})"),
                                std::string(R"({"webhook_delivery_id":7})"), std::string("{}")}) {
        std::string quoted = payload;
        if (const auto at = quoted.find('\''); at != std::string::npos) {
            quoted.insert(at, "'");
        }
        const auto job =
            sql.one(fmt::format("select jobforge.enqueue_step('{}', 'DELIVER_WEBHOOK', '{}', 3, "
                                "null, null, null, null)",
                                kTenantA, quoted));
        EXPECT_EQ(sql.error(fmt::format("select jobforge.cancel_job('{}')", job)), "ok") << payload;
    }
    EXPECT_EQ(delivery(id).at(0), "PENDING");
}

TEST_F(Webhooks, a_failed_delivery_is_sent_again_by_a_new_job) {
    const auto redeliver = [&](const std::string& id) {
        return sql.error(fmt::format("select jobforge.redeliver_webhook('{}')", id));
    };
    EXPECT_EQ(redeliver(world.delivery("PENDING")), "INVALID_TRANSITION");
    EXPECT_EQ(redeliver(world.delivery("DELIVERED")), "INVALID_TRANSITION");
    const auto id = world.delivery("FAILED");
    const auto first = job_of(id);
    for (const char* number : {"1", "2"}) {
        EXPECT_EQ(redeliver(id), "ok");
        EXPECT_EQ(delivery(id).at(0), "PENDING");
        EXPECT_NE(job_of(id), first);
        EXPECT_TRUE(sql.one(fmt::format("select idempotency_key from jobforge.jobs where job_id = "
                                        "'{}'",
                                        job_of(id)))
                        .ends_with(std::string("-") + number));
        sql.run(
            fmt::format("select jobforge.note_delivery('{}', 'FAILED', 500, null, null, 'm')", id));
    }
    // The first job, retried by an operator, is a redelivery as well.
    sql.run(
        fmt::format("select jobforge.note_delivery('{}', 'DELIVERED', 200, null, null, null)", id));
    EXPECT_EQ(delivery(id).at(0), "DELIVERED");
}

class EventLog : public Webhooks {
protected:
    std::string log() {
        return sql.one(
            "select coalesce(string_agg(l.log_index || ':' || e.place, ' ' order by l.log_index), "
            "'') from jobforge.event_log l join (select tenant_id, event_id, row_number() over "
            "(order by event_seq) as place from jobforge.events) e using (tenant_id, event_id)");
    }
    static constexpr char kExtend[] =
        "select tree_size || ' ' || cardinality(frontier) || ' ' || cardinality(new_hashes) from "
        "jobforge.extend_event_log()";
    static std::string head(int size, const char* root = "r") {
        return fmt::format(
            "select jobforge.store_log_head({}, sha256('{}'), array[sha256('f')], "
            "'checkpoint', 'k')",
            size, root);
    }
};

TEST_F(EventLog, events_get_their_places_in_order_and_once) {
    world.document();
    EXPECT_EQ(sql.one("select count(*) from jobforge.tenants_with_open_events()"), "1");
    EXPECT_EQ(sql.one(kExtend), "0 0 2");
    EXPECT_EQ(sql.one("select count(*) from jobforge.tenants_with_open_events()"), "0");
    // No head was stored: the same hashes are handed out again, nothing is appended twice.
    EXPECT_EQ(sql.one(kExtend), "0 0 2");
    sql.run(head(2));
    EXPECT_EQ(sql.one(kExtend), "2 1 0");
    world.document("UPLOADED");
    EXPECT_EQ(sql.one(kExtend), "2 1 1");
    EXPECT_EQ(sql.one("select bool_and(l.event_hash = e.event_hash) and min(l.log_index) = 0 and "
                      "max(l.log_index) = 2 from jobforge.audit_log() l join "
                      "jobforge.audit_events() e using (event_id)"),
              "t");
}

TEST_F(EventLog, an_event_that_commits_late_is_appended_later_not_lost) {
    Session late = database.session();
    late.run("begin; select jobforge.append_event('System', gen_random_uuid(), 'POLICY_CHANGED')");
    world.document("UPLOADED");
    EXPECT_EQ(sql.one(kExtend), "0 0 1");
    EXPECT_EQ(log(), "0:1");
    late.run("commit");
    EXPECT_EQ(sql.one(kExtend), "0 0 2");
    EXPECT_EQ(log(), "0:2 1:1");
}

TEST_F(EventLog, one_extends_at_a_time_and_a_rollback_gives_the_events_back) {
    world.document("UPLOADED");
    Session first = database.session();
    first.run("begin");
    EXPECT_EQ(first.one(kExtend), "0 0 1");
    EXPECT_EQ(sql.rows("select * from jobforge.extend_event_log()").at(0),
              (TextRow{"NULL", "NULL", "NULL"}));
    // Another tenant does not wait.
    sql.use_tenant(kTenantB);
    EXPECT_EQ(sql.one(kExtend), "0 0 0");
    sql.use_tenant(kTenantA);
    first.run("rollback");
    EXPECT_EQ(sql.one(kExtend), "0 0 1");
    EXPECT_EQ(log(), "0:1");
}

TEST_F(EventLog, a_batch_is_bounded_and_the_rest_follows) {
    for (int i = 0; i < 5; ++i) {
        world.document("UPLOADED");
    }
    EXPECT_EQ(sql.one("select cardinality(new_hashes) from jobforge.extend_event_log(2)"), "2");
    EXPECT_EQ(sql.one("select cardinality(new_hashes) from jobforge.extend_event_log(2)"), "4");
    EXPECT_EQ(sql.one(kExtend), "0 0 5");
    EXPECT_EQ(log(), "0:1 1:2 2:3 3:4 4:5");
}

TEST_F(EventLog, heads_fit_the_log_and_never_contradict_each_other) {
    world.document();
    sql.run("select jobforge.extend_event_log()");
    EXPECT_EQ(sql.error(head(3)), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error(head(2)), "ok");
    EXPECT_EQ(sql.error(head(2)), "ok");
    EXPECT_EQ(sql.error(head(2, "another root")), "INVALID_TRANSITION");
    EXPECT_EQ(sql.error(head(1)), "VALIDATION_ERROR");
    EXPECT_EQ(sql.one("select count(*) from jobforge.audit_heads()"), "1");
}

TEST_F(EventLog, also_an_event_written_by_hand_waits_for_its_place) {
    sql.run(fmt::format(
        "insert into jobforge.events (tenant_id, event_id, aggregate_type, aggregate_id, "
        "aggregate_version, event_type, payload_canonical, payload_hash, event_hash, occurred_at) "
        "values ('{}', gen_random_uuid(), 'System', gen_random_uuid(), 1, 'X', 'p', sha256('p'), "
        "sha256('e'), now())",
        kTenantA));
    EXPECT_EQ(sql.one(kExtend), "0 0 1");
}

}  // namespace
}  // namespace jobforge::test
