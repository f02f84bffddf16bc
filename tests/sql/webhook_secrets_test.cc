// Rotation of webhook secrets, endpoints that are disabled by their failures, and sending all that
// failed once more.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pipeline_world.h"

namespace jobforge::test {
namespace {

class WebhookCare : public testing::Test {
protected:
    // A new PENDING delivery to the endpoint.
    std::string delivery() {
        world.document("UPLOADED");
        return sql.one(fmt::format(
            "select webhook_delivery_id from jobforge.list_webhook_deliveries('{}') limit 1",
            endpoint));
    }
    void note(const std::string& id, const std::string& status, const std::string& http_status,
              const std::string& more = "") {
        sql.run(fmt::format("select jobforge.note_delivery('{}', '{}', {}, null, null, 'm'{})", id,
                            status, http_status, more));
    }
    void fail(const std::string& http_status = "400", const std::string& more = "") {
        note(delivery(), "FAILED", http_status, more);
    }
    // "status failures reason" of the endpoint.
    std::string state() {
        return sql.one(
            fmt::format("select concat_ws(' ', status, permanent_failures, disabled_reason) from "
                        "jobforge.list_webhook_endpoints() where webhook_endpoint_id = '{}'",
                        endpoint));
    }
    void enable() {
        sql.run(
            fmt::format("select jobforge.set_webhook_endpoint_status('{}', 'ACTIVE')", endpoint));
    }
    std::string rotate_call(const std::string& secret, const std::string& more = "") {
        return fmt::format("select jobforge.rotate_webhook_secret('{}', '{}'{})", endpoint, secret,
                           more);
    }
    // What a delivery is signed with, as text.
    std::string secrets() {
        return sql.one(
            fmt::format("select string_agg(convert_from(s, 'UTF8'), ' ' order by n) || ' / ' || "
                        "convert_from((array_agg(secret_ciphertext))[1], 'UTF8') from "
                        "jobforge.delivery_to_send('{}'), "
                        "unnest(secret_ciphertexts) with ordinality u(s, n)",
                        first));
    }
    std::string failed_jobs() {
        return sql.one("select count(*) from jobforge.jobs where type = 'DELIVER_WEBHOOK'");
    }
    std::string redeliver(const std::string& arguments) {
        return sql.one(fmt::format("select jobforge.redeliver_failed({})", arguments));
    }

    EngineDatabase database;
    Session sql = database.session();
    PipelineWorld world{sql};
    std::string endpoint = world.endpoint("'DOCUMENT_UPLOADED'");
    std::string first = delivery();
};

TEST_F(WebhookCare, the_old_secret_signs_beside_the_new_one_until_its_time_is_over) {
    sql.run(rotate_call("one", ", '0'"));
    EXPECT_EQ(secrets(), "one / one");
    const auto until = sql.one(rotate_call("two"));
    EXPECT_EQ(sql.one(fmt::format("select '{}' between now() + interval '23 hours' and now() + "
                                  "interval '25 hours'",
                                  until)),
              "t");
    sql.run(rotate_call("three", ", '1 hour'"));
    EXPECT_EQ(secrets(), "three two one / three");
    EXPECT_EQ(sql.one("select valid_secrets from jobforge.list_webhook_endpoints()"), "3");
    // An hour and a bit later.
    sql.run(
        "update jobforge.webhook_replaced_secrets set replaced_at = replaced_at - interval '61 "
        "minutes', expires_at = expires_at - interval '61 minutes'");
    EXPECT_EQ(secrets(), "three one / three");
    // What has ended is deleted by the next rotation, and an overlap of none ends all.
    sql.run(rotate_call("four"));
    EXPECT_EQ(secrets(), "four three one / four");
    EXPECT_EQ(sql.one("select count(*) from jobforge.webhook_replaced_secrets"), "2");
    sql.run(
        "begin; update jobforge.webhook_replaced_secrets set replaced_at = replaced_at - interval "
        "'25 hours', expires_at = expires_at - interval '25 hours'; select "
        "jobforge.prune_governors()");
    EXPECT_EQ(sql.one("select count(*) from jobforge.webhook_replaced_secrets"), "0");
    sql.run("rollback");
    EXPECT_EQ(sql.one(rotate_call("five", ", '0'")), "NULL");
    EXPECT_EQ(secrets(), "five / five");
    EXPECT_EQ(sql.one("select count(*) from jobforge.webhook_replaced_secrets"), "0");
}

TEST_F(WebhookCare, a_rotation_that_makes_no_sense_is_refused) {
    for (const char* more : {", '-1 second'", ", '31 days'", ", null"}) {
        EXPECT_EQ(sql.error(rotate_call("x", more)), "VALIDATION_ERROR") << more;
    }
    EXPECT_EQ(sql.error(rotate_call("")), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error(fmt::format("select jobforge.rotate_webhook_secret('{}', repeat('x', "
                                    "4097)::bytea)",
                                    endpoint)),
              "VALIDATION_ERROR");
    EXPECT_EQ(sql.error("select jobforge.rotate_webhook_secret(gen_random_uuid(), 'x')"),
              "NOT_FOUND");
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(sql.error(rotate_call("x")), "ok");
    }
    EXPECT_EQ(sql.error(rotate_call("x")), "VALIDATION_ERROR");  // a fifth old one
}

TEST_F(WebhookCare, permanent_failures_in_a_row_disable_an_endpoint) {
    for (int i = 0; i < 9; ++i) {
        fail();
    }
    EXPECT_EQ(state(), "ACTIVE 9");
    note(delivery(), "PENDING", "503");  // to be tried again: says nothing
    note(first, "DELIVERED", "200");     // not in a row any more
    EXPECT_EQ(state(), "ACTIVE 0");
    for (int i = 0; i < 10; ++i) {
        fail();
    }
    EXPECT_EQ(state(), "DISABLED 10 10 permanent failures in a row");
    // No new events; what it is once more starts from none.
    EXPECT_EQ(sql.one("select disabled_at > now() - interval '1 minute' from "
                      "jobforge.list_webhook_endpoints()"),
              "t");
    const auto last = delivery();
    EXPECT_EQ(delivery(), last);
    enable();
    EXPECT_EQ(state(), "ACTIVE 0");
    EXPECT_NE(delivery(), last);
}

TEST_F(WebhookCare, gone_disables_at_once) {
    fail("410");
    EXPECT_EQ(state(), "DISABLED 1 the receiver answered 410 Gone");
}

TEST_F(WebhookCare, our_own_trouble_does_not_speak_against_the_endpoint) {
    sql.run(fmt::format("select jobforge.set_webhook_endpoint('{}', '{{\"disable_after\": 1}}')",
                        endpoint));
    fail("null");  // no master key, no way out: the receiver never heard of it
    EXPECT_EQ(state(), "ACTIVE 0");
    fail("400", ", false");
    EXPECT_EQ(state(), "ACTIVE 0");
    fail("null", ", true");  // its certificate, say
    EXPECT_EQ(state(), "DISABLED 1 1 permanent failures in a row");
}

TEST_F(WebhookCare, when_an_endpoint_is_disabled_can_be_set) {
    const auto set = [&](const std::string& settings) {
        return sql.error(
            fmt::format("select jobforge.set_webhook_endpoint('{}', '{}')", endpoint, settings));
    };
    EXPECT_EQ(set(R"({"disable_after": null, "description": "never"})"), "ok");
    for (int i = 0; i < 12; ++i) {
        fail();
    }
    EXPECT_EQ(state(), "ACTIVE 12");
    EXPECT_EQ(set(R"({"disable_after": 13})"), "ok");
    EXPECT_EQ(sql.one("select description from jobforge.list_webhook_endpoints()"), "never");
    fail();
    EXPECT_EQ(state(), "DISABLED 13 13 permanent failures in a row");
    for (const char* bad :
         {R"({"disable_after": 0})", R"({"disable_after": 1001})", R"({"disable_after": "x"})",
          R"({"url": "https://x/"})", R"({"description": null})", "[]"}) {
        EXPECT_EQ(set(bad), "VALIDATION_ERROR") << bad;
    }
}

TEST_F(WebhookCare, disabled_by_hand_says_so_and_keeps_the_first_reason) {
    const auto disable =
        fmt::format("select jobforge.set_webhook_endpoint_status('{}', 'DISABLED')", endpoint);
    sql.run(disable);
    EXPECT_EQ(state(), "DISABLED 0 by hand");
    enable();
    fail("410");
    sql.run(disable);
    EXPECT_EQ(state(), "DISABLED 1 the receiver answered 410 Gone");
    EXPECT_EQ(sql.error("update jobforge.webhook_endpoints set status = 'ACTIVE'"), "23514");
}

TEST_F(WebhookCare, all_that_failed_since_a_time_is_sent_again) {
    std::vector<std::string> failed;
    std::string since;
    for (int i = 0; i < 4; ++i) {
        failed.push_back(delivery());
        note(failed.back(), "FAILED", "400");
        if (i == 0) {
            since = sql.one("select clock_timestamp()");
        }
    }
    note(first, "DELIVERED", "200");
    const auto other = world.delivery("FAILED");
    sql.run("delete from jobforge.jobs");
    EXPECT_EQ(redeliver(fmt::format("'{}', '{}', 2", endpoint, since)), "2");
    EXPECT_EQ(redeliver(fmt::format("'{}', '{}', 2", endpoint, since)), "1");
    EXPECT_EQ(redeliver(fmt::format("'{}', '{}', 2", endpoint, since)), "0");
    EXPECT_EQ(world.status("webhook_deliveries", failed[0]), "FAILED");
    EXPECT_EQ(world.status("webhook_deliveries", failed[3]), "PENDING");
    EXPECT_EQ(failed_jobs(), "3");
    EXPECT_EQ(redeliver(""), "2");  // the old one, and the other endpoint's
    EXPECT_EQ(world.status("webhook_deliveries", other), "PENDING");
    EXPECT_EQ(world.status("webhook_deliveries", first), "DELIVERED");
}

TEST_F(WebhookCare, nothing_is_sent_again_to_a_disabled_endpoint) {
    fail("410");
    sql.run("delete from jobforge.jobs");
    EXPECT_EQ(sql.error(fmt::format("select jobforge.redeliver_failed('{}')", endpoint)),
              "INVALID_TRANSITION");
    EXPECT_EQ(redeliver(""), "0");
    EXPECT_EQ(failed_jobs(), "0");
    enable();
    EXPECT_EQ(redeliver(fmt::format("'{}'", endpoint)), "1");
    EXPECT_EQ(sql.error("select jobforge.redeliver_failed(gen_random_uuid())"), "NOT_FOUND");
    EXPECT_EQ(sql.error("select jobforge.redeliver_failed(p_limit => 0)"), "VALIDATION_ERROR");
}

TEST_F(WebhookCare, a_resumed_endpoint_gets_what_waits_for_it) {
    sql.run(
        fmt::format("select jobforge.governor_pause('endpoint', '{}'); update jobforge.jobs "
                    "set scheduled_at = now() + interval '1 hour'",
                    endpoint));
    sql.run(fmt::format("select jobforge.governor_resume('endpoint', '{}')", endpoint));
    EXPECT_EQ(sql.one("select bool_and(scheduled_at < now() + interval '1 minute') from "
                      "jobforge.jobs where type = 'DELIVER_WEBHOOK'"),
              "t");
}

}  // namespace
}  // namespace jobforge::test
