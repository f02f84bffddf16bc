// Rules and passport versions as the functions keep them: repeats add nothing, races have one
// winner.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "pipeline_world.h"

namespace jobforge::test {
namespace {

class Passports : public testing::Test {
protected:
    std::string events(const std::string& aggregate) {
        return sql.one(fmt::format(
            "select coalesce(string_agg(event_type || convert_from(payload_canonical, 'UTF8'), ' ' "
            "order by aggregate_version), '') from jobforge.list_events(p_aggregate_id => '{}')",
            aggregate));
    }
    std::string try_call(const std::string& function, const std::string& id,
                         const std::string& more = "") {
        return sql.error(fmt::format("select jobforge.{}('{}'{})", function, id, more));
    }
    TextRow job(const std::string& key) {
        const auto rows = sql.rows(fmt::format(
            "select type, priority, payload from jobforge.jobs where idempotency_key = '{}'", key));
        return rows.size() == 1 ? rows[0] : TextRow{fmt::format("{} jobs", rows.size())};
    }

    EngineDatabase database;
    Session sql = database.session();
    PipelineWorld world{sql};
};

TEST_F(Passports, the_same_rules_are_the_same_version_until_it_is_retired) {
    const auto upload = [&](const std::string& dsl, const std::string& tests) {
        return sql
            .rows(fmt::format("select rule_package_version_id, version, deduplicated from "
                              "jobforge.upload_rules('p', '{}', '{}', "
                              "'[{{\"path\":\"b\",\"type\":\"Text\",\"access\":\"PUBLIC\"}},"
                              "{{\"path\":\"a\",\"type\":\"Int\",\"access\":\"PUBLIC\"}}]')",
                              dsl, tests))
            .at(0);
    };
    const auto first = upload("d", "t");
    EXPECT_EQ(first[1] + first[2], "1f");
    EXPECT_EQ(upload("d", "t"), (TextRow{first[0], "1", "t"}));
    EXPECT_EQ(upload("d", "t2")[1], "2");
    EXPECT_EQ(try_call("retire_rules", first[0]), "ok");
    EXPECT_EQ(upload("d", "t")[1], "3");
    EXPECT_EQ(sql.one(fmt::format("select string_agg(path || type, ' ') from "
                                  "jobforge.rule_fields_of('{}')",
                                  first[0])),
              "bText aInt");
    EXPECT_NE(events(first[0]).find("\"package\":\"p\""), std::string::npos);
    for (const char* bad : {"'', 'd', 't'", "'p', '', 't'", "'p', null, 't'", "'p', 'd', 't', '{}'",
                            "'p', 'd', 't', '[{\"path\":\"a\"}]'",
                            "'p', 'd', 't', '[{\"path\":\"a\",\"type\":\"T\",\"access\":\"P\"},"
                            "{\"path\":\"a\",\"type\":\"T\",\"access\":\"P\"}]'"}) {
        EXPECT_EQ(sql.error(fmt::format("select jobforge.upload_rules({})", bad)),
                  "VALIDATION_ERROR")
            << bad;
    }
}

TEST_F(Passports, uploads_of_rules_that_race_get_numbers_one_after_the_other) {
    std::vector<std::jthread> clients;
    for (int client = 0; client < 6; ++client) {
        clients.emplace_back([&, client] {
            Session mine = database.session();
            for (int i = 0; i < 5; ++i) {
                EXPECT_EQ(mine.error(fmt::format("select jobforge.upload_rules('p', 'd{}{}', 't')",
                                                 client / 2, i)),
                          "ok")
                    << mine.message();
            }
        });
    }
    clients.clear();
    EXPECT_EQ(sql.one("select count(*) || ' ' || max(version) from jobforge.rule_package_versions"),
              "15 15");
}

TEST_F(Passports, a_passed_run_validates_and_publishing_needs_the_latest_run_to_pass) {
    const auto rules = world.rules("DRAFT");
    EXPECT_EQ(try_call("publish_rules", rules), "RULE_TESTS_FAILED");
    EXPECT_NE(sql.message().find("rules test"), std::string::npos);
    EXPECT_EQ(world.run_tests(rules, 499, 0), "FAILED");
    EXPECT_EQ(world.status("rule_package_versions", rules), "DRAFT");
    EXPECT_EQ(world.run_tests(rules, 500, 0), "PASSED");
    EXPECT_EQ(world.status("rule_package_versions", rules), "VALIDATED");
    EXPECT_EQ(world.run_tests(rules, 600, 1), "FAILED");
    EXPECT_EQ(try_call("publish_rules", rules), "RULE_TESTS_FAILED");
    EXPECT_EQ(world.run_tests(rules, 501, 0), "PASSED");
    EXPECT_EQ(try_call("publish_rules", rules), "ok");
    const auto before = events(rules);
    EXPECT_EQ(try_call("publish_rules", rules), "ok");
    EXPECT_EQ(events(rules), before);
    EXPECT_TRUE(before.ends_with(R"(RULES_PUBLISHED{"package":"battery","version":1})")) << before;
}

TEST_F(Passports, a_run_is_kept_once_under_the_id_of_its_job) {
    const auto rules = world.rules("DRAFT");
    const auto run = fmt::format(
        "select jobforge.store_test_run('00000000-0000-4000-8000-000000000009', '{}', 7, 500, 500, "
        "0, null)",
        rules);
    EXPECT_EQ(sql.one(run), "PASSED");
    EXPECT_EQ(sql.one(run), "PASSED");
    EXPECT_TRUE(events(rules).ends_with(
        R"(TESTS_RUN{"passed":500,"run_id":"00000000-0000-4000-8000-000000000009",)"
        R"("status":"PASSED","total_cases":500})"))
        << events(rules);
    EXPECT_EQ(
        sql.one(fmt::format("select run_status || run_seed from jobforge.get_rules('{}')", rules)),
        "PASSED7");
    EXPECT_EQ(sql.error(fmt::format("select jobforge.store_test_run(gen_random_uuid(), '{}', 0, 9, "
                                    "5, 5, null)",
                                    rules)),
              "VALIDATION_ERROR");
}

TEST_F(Passports, tests_are_asked_for_by_version_and_seed) {
    const auto rules = world.rules("DRAFT");
    const auto ask = fmt::format("select jobforge.request_rule_tests('{}', 7)", rules);
    EXPECT_EQ(sql.one(ask), sql.one(ask));
    EXPECT_EQ(job(fmt::format("tests-{}-7", rules)),
              (TextRow{"RUN_RULE_TESTS", "2",
                       fmt::format(R"({{"seed": 7, "rule_package_version_id": "{}"}})", rules)}));
    const auto untested =
        sql.one("select rule_package_version_id from jobforge.upload_rules('untested', 'd', '')");
    EXPECT_EQ(try_call("request_rule_tests", untested), "VALIDATION_ERROR");
}

TEST_F(Passports, the_end_of_rules_by_function) {
    EXPECT_EQ(try_call("deprecate_rules", world.rules("DRAFT")), "INVALID_TRANSITION");
    EXPECT_EQ(try_call("deprecate_rules", world.rules("VALIDATED")), "INVALID_TRANSITION");
    EXPECT_EQ(try_call("deprecate_rules", world.rules("RETIRED")), "INVALID_TRANSITION");
    EXPECT_EQ(try_call("publish_rules", world.rules("DEPRECATED")), "INVALID_TRANSITION");
    EXPECT_EQ(try_call("publish_rules", world.rules("RETIRED")), "INVALID_TRANSITION");
    EXPECT_EQ(try_call("retire_rules", world.rules("PUBLISHED")), "INVALID_TRANSITION");
    for (const char* from : {"DRAFT", "VALIDATED", "DEPRECATED", "RETIRED"}) {
        EXPECT_EQ(try_call("retire_rules", world.rules(from)), "ok") << from;
    }
}

TEST_F(Passports, a_product_keeps_its_name_and_a_passport_its_product) {
    const auto product = sql.one("select jobforge.create_product('s', 'n')");
    EXPECT_EQ(sql.one("select jobforge.create_product('s', 'n')"), product);
    EXPECT_EQ(sql.error("select jobforge.create_product('s', 'other')"), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error(fmt::format("select jobforge.create_product('s2', 'n', '{}')", product)),
              "VALIDATION_ERROR");
    const auto passport = sql.one(fmt::format("select jobforge.create_passport('{}')", product));
    EXPECT_EQ(
        sql.one(fmt::format("select jobforge.create_passport('{}', '{}')", product, passport)),
        passport);
    EXPECT_EQ(sql.error(fmt::format("select jobforge.create_passport('{}', '{}')", world.product(),
                                    passport)),
              "VALIDATION_ERROR");
    EXPECT_EQ(sql.error("select jobforge.create_passport(gen_random_uuid())"), "NOT_FOUND");
}

TEST_F(Passports, a_compilation_is_asked_for_with_everything_that_must_not_change) {
    const auto passport = world.passport();
    const auto snapshot = world.snapshot();
    const auto rules = world.rules();
    const auto ask = fmt::format(
        "select passport_version_id, jobforge.utc_text(issued_at), job_id from "
        "jobforge.request_compile('{}', '{}', '{}', 'dev-key-1'",
        passport, snapshot, rules);
    const auto first = sql.rows(ask + ")").at(0);
    EXPECT_EQ(sql.rows(fmt::format("select priority, idempotency_key, payload ->> 'issued_at', "
                                   "payload ->> 'passport_id', payload ->> 'passport_version_id', "
                                   "payload ->> 'rule_package_version_id', payload ->> "
                                   "'signing_key_id', payload ->> 'snapshot_id' from jobforge.jobs "
                                   "where job_id = '{}'",
                                   first[2]))
                  .at(0),
              (TextRow{"1", "compile-" + first[0], first[1], passport, first[0], rules, "dev-key-1",
                       snapshot}));
    // A repeated request finds the first one, issue time and all.
    EXPECT_EQ(sql.rows(ask + fmt::format(", p_passport_version_id => '{}')", first[0])).at(0),
              first);
    EXPECT_EQ(sql.error(ask + fmt::format(", '2026-01-01', '{}')", first[0])),
              "IDEMPOTENCY_CONFLICT");
    EXPECT_EQ(sql.error(ask + ", 'infinity')"), "VALIDATION_ERROR");
    EXPECT_EQ(sql.rows(ask + ", '2026-01-02 03:04:05.6+02')").at(0)[1],
              "2026-01-02T01:04:05.600000Z");
}

TEST_F(Passports, tc_p4_02_and_tc_p4_03_only_sealed_facts_and_published_rules_are_compiled) {
    const auto ask = [&](const std::string& snapshot, const std::string& rules) {
        const auto passport = world.passport();
        const auto by_request = sql.error(fmt::format(
            "select jobforge.request_compile('{}', '{}', '{}', 'k')", passport, snapshot, rules));
        // The step itself refuses too: the rules may have changed since the request.
        EXPECT_EQ(by_request, sql.error(fmt::format("select jobforge.store_compiled("
                                                    "gen_random_uuid(), '{}', '{}', '{}', 'p', "
                                                    "'p', sha256('r'), 'r', 'b', now(), 'k')",
                                                    passport, snapshot, rules)));
        return by_request;
    };
    EXPECT_EQ(ask(world.snapshot("BUILDING"), world.rules()), "SNAPSHOT_NOT_SEALED");
    EXPECT_EQ(ask(world.snapshot("READY"), world.rules()), "SNAPSHOT_NOT_SEALED");
    for (const char* status : {"DRAFT", "VALIDATED", "DEPRECATED", "RETIRED"}) {
        EXPECT_EQ(ask(world.snapshot(), world.rules(status)), "RULE_PKG_NOT_PUBLISHED") << status;
    }
    EXPECT_EQ(ask(world.snapshot(), world.rules()), "ok");
    const auto none = sql.one("select gen_random_uuid()");
    EXPECT_EQ(ask(none, world.rules()), "NOT_FOUND");
    EXPECT_EQ(ask(world.snapshot(), none), "NOT_FOUND");
}

TEST_F(Passports, a_compiled_version_is_kept_once_and_hands_over_to_the_signer) {
    const auto passport = world.passport();
    const auto store = [&](const std::string& receipt, const std::string& id,
                           const std::string& snapshot, const std::string& rules) {
        return fmt::format(
            "select jobforge.store_compiled('{}', '{}', '{}', '{}', 'p', 'p', sha256('r'), '{}', "
            "'b', '2026-01-01', 'k')",
            id, passport, snapshot, rules, receipt);
    };
    const auto snapshot = world.snapshot();
    const auto rules = world.rules();
    const auto id = sql.one("select gen_random_uuid()");
    EXPECT_EQ(sql.one(store("r", id, snapshot, rules)), "t");
    EXPECT_EQ(sql.one(store("r", id, snapshot, rules)), "f");
    EXPECT_EQ(sql.error(store("r2", id, snapshot, rules)), "INVALID_TRANSITION");
    EXPECT_EQ(sql.error(store("r", sql.one("select gen_random_uuid()"), snapshot, rules)),
              "INVALID_TRANSITION");
    EXPECT_EQ(events(id), fmt::format(R"(PASSPORT_COMPILED{{"build_id":"b","rules_id":"{}",)"
                                      R"("snapshot_id":"{}"}})",
                                      rules, snapshot));
    EXPECT_EQ(job("sign-" + id), (TextRow{"SIGN_PASSPORT", "1",
                                          fmt::format(R"({{"passport_version_id": "{}"}})", id)}));
    EXPECT_EQ(sql.one(fmt::format("select version_number from jobforge.get_passport_version('{}')",
                                  world.version("COMPILING", passport))),
              "2");
}

TEST_F(Passports, a_signature_is_kept_once_with_its_key_and_hands_over_to_the_qr_code) {
    const auto id = world.version("COMPILING");
    EXPECT_EQ(sql.error(PipelineWorld::sign_call(id, "dev-key-2")), "INVALID_SIGNING_KEY");
    EXPECT_EQ(sql.one(PipelineWorld::sign_call(id)), "t");
    EXPECT_EQ(sql.one(PipelineWorld::sign_call(id)), "f");
    EXPECT_EQ(sql.error(PipelineWorld::sign_call(id, "dev-key-1", "cd")),
              "INVALID_PASSPORT_STATUS");
    EXPECT_TRUE(events(id).ends_with(R"(} PASSPORT_SIGNED{"key_id":"dev-key-1"})")) << events(id);
    EXPECT_EQ(job("qr-" + id),
              (TextRow{"GENERATE_QR", "2", fmt::format(R"({{"passport_version_id": "{}"}})", id)}));
    // The id of a key never comes to mean another key.
    EXPECT_EQ(sql.error(PipelineWorld::sign_call(world.version("COMPILING"), "dev-key-1", "ab",
                                                 "another key")),
              "INVALID_SIGNING_KEY");
    for (const char* status : {"ACTIVE", "SUPERSEDED", "REVOKED"}) {
        EXPECT_EQ(sql.error(PipelineWorld::sign_call(world.version(status))),
                  "INVALID_PASSPORT_STATUS")
            << status;
    }
}

TEST_F(Passports, a_qr_code_is_kept_once_and_stays) {
    const auto compiling = world.version("COMPILING");
    EXPECT_EQ(sql.error(PipelineWorld::qr_call(compiling)), "INVALID_PASSPORT_STATUS");
    sql.run(PipelineWorld::sign_call(compiling));
    EXPECT_EQ(sql.one(PipelineWorld::qr_call(compiling)), "t");
    EXPECT_EQ(world.status("passport_versions", compiling), "SIGNED");
    EXPECT_TRUE(events(compiling).ends_with(R"(} QR_GENERATED{"qr_payload":"BPC1|"})"));
    for (const char* status : {"SIGNED", "ACTIVE", "SUPERSEDED", "REVOKED"}) {
        const auto id = world.version(status);
        EXPECT_EQ(sql.one(PipelineWorld::qr_call(id)), "f") << status;
        EXPECT_EQ(sql.error(PipelineWorld::qr_call(id, "other")), "INVALID_PASSPORT_STATUS");
    }
}

TEST_F(Passports, activation_needs_a_qr_code_and_supersedes_the_version_before) {
    const auto passport = world.passport();
    const auto bare = world.version("COMPILING", passport);
    EXPECT_EQ(try_call("activate_passport_version", bare), "INVALID_PASSPORT_STATUS");
    sql.run(PipelineWorld::sign_call(bare));
    EXPECT_EQ(try_call("activate_passport_version", bare), "INVALID_PASSPORT_STATUS");
    const auto activate = [&](const std::string& id) {
        return sql.one(fmt::format("select jobforge.activate_passport_version('{}', 'ann')", id));
    };
    const auto first = world.version("SIGNED", passport);
    const auto second = world.version("SIGNED", passport);
    EXPECT_EQ(activate(first), "NULL");
    EXPECT_EQ(activate(first), "NULL");
    EXPECT_EQ(activate(second), first);
    EXPECT_TRUE(events(first).ends_with(fmt::format(
        R"(}} PASSPORT_ACTIVATED{{"superseded":null}} PASSPORT_SUPERSEDED{{"by":"{}"}})", second)))
        << events(first);
    EXPECT_TRUE(events(second).ends_with(
        fmt::format(R"(}} PASSPORT_ACTIVATED{{"superseded":"{}"}})", first)));
    for (const auto& id : {first, world.version("REVOKED")}) {
        EXPECT_EQ(try_call("activate_passport_version", id), "INVALID_PASSPORT_STATUS");
    }
    EXPECT_EQ(sql.one(fmt::format("select active_passport_version_id || ' ' || version_count from "
                                  "jobforge.list_passports() where passport_id = '{}'",
                                  passport)),
              second + " 3");
}

TEST_F(Passports, versions_of_one_passport_activated_at_the_same_moment_leave_one_active) {
    for (int round = 0; round < 10; ++round) {
        const auto passport = world.passport();
        const std::vector<std::string> versions = {world.version("SIGNED", passport),
                                                   world.version("SIGNED", passport),
                                                   world.version("SIGNED", passport)};
        std::barrier start(std::ssize(versions));
        std::vector<std::jthread> sessions;
        for (const auto& version : versions) {
            sessions.emplace_back([&, version] {
                Session mine = database.session();
                start.arrive_and_wait();
                EXPECT_EQ(mine.error(fmt::format("select jobforge.activate_passport_version('{}')",
                                                 version)),
                          "ok")
                    << mine.message();
            });
        }
        sessions.clear();
        EXPECT_EQ(sql.one(fmt::format("select string_agg(status, ' ' order by status) from "
                                      "jobforge.list_passport_versions('{}')",
                                      passport)),
                  "ACTIVE SUPERSEDED SUPERSEDED");
        EXPECT_EQ(sql.one(fmt::format(
                      "select count(*) from jobforge.events where event_type = "
                      "'PASSPORT_SUPERSEDED' and aggregate_id in (select passport_version_id from "
                      "jobforge.list_passport_versions('{}'))",
                      passport)),
                  "2");
    }
}

TEST_F(Passports, a_revocation_says_why_and_is_final) {
    for (const char* status : {"SIGNED", "ACTIVE", "SUPERSEDED"}) {
        const auto id = world.version(status);
        EXPECT_EQ(try_call("revoke_passport_version", id, ", ''"), "VALIDATION_ERROR");
        EXPECT_EQ(try_call("revoke_passport_version", id, ", 'recalled'"), "ok") << status;
        const auto before = events(id);
        EXPECT_TRUE(before.ends_with(R"(} PASSPORT_REVOKED{"reason":"recalled"})"));
        EXPECT_EQ(try_call("revoke_passport_version", id, ", 'recalled'"), "ok");
        EXPECT_EQ(try_call("revoke_passport_version", id, ", 'other'"), "INVALID_PASSPORT_STATUS");
        EXPECT_EQ(events(id), before);
    }
    EXPECT_EQ(try_call("revoke_passport_version", world.version("COMPILING"), ", 'x'"),
              "INVALID_PASSPORT_STATUS");
}

TEST_F(Passports, follow_ups_belong_to_the_trace_of_the_step_and_end_in_a_suspended_tenant) {
    const auto id = world.version("COMPILING");
    sql.run(
        fmt::format("select jobforge.set_tenant('{}', '{{\"status\": \"SUSPENDED\", "
                    "\"max_waiting_jobs\": 0}}')",
                    kTenantA));
    sql.run("begin; select set_config('app.trace_id', 'trace-7', true)");
    EXPECT_EQ(sql.one(PipelineWorld::sign_call(id)), "t");
    sql.run("commit");
    EXPECT_EQ(sql.one(fmt::format("select trace_id from jobforge.jobs where idempotency_key = "
                                  "'qr-{}'",
                                  id)),
              "trace-7");
    EXPECT_EQ(sql.one(PipelineWorld::qr_call(id)), "t");
    EXPECT_EQ(try_call("activate_passport_version", id), "FORBIDDEN");
    EXPECT_EQ(sql.error("select jobforge.upload_document('BOM', 'b', 'x')"), "FORBIDDEN");
}

}  // namespace
}  // namespace jobforge::test
