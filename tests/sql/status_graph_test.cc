// The status graphs of the pipeline, held by the database: every step of a graph works, every other
// one is refused with our code, whoever asks. A superuser writes the rows directly here, complete
// and consistent, so that nothing but the guard stands in the way.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "pipeline_world.h"

namespace jobforge::test {
namespace {

using Step = std::pair<std::string, std::string>;

class StatusGraph : public testing::Test {
protected:
    // Tries every pair of statuses; `change` is the SET list that makes `to` complete.
    void expect_graph(const std::string& table, const std::string& key,
                      const std::vector<std::string>& statuses, const std::set<Step>& legal,
                      const std::function<std::string(const std::string&)>& make,
                      const std::function<std::string(const Step&)>& change,
                      const std::string& from_end = "INVALID_TRANSITION") {
        for (const auto& from : statuses) {
            for (const auto& to : statuses) {
                const auto id = make(from);
                ASSERT_EQ(world.status(table, id), from);
                const auto answer =
                    sql.error(fmt::format("update jobforge.{} set status = '{}'{} where {} = '{}'",
                                          table, to, change({from, to}), key, id));
                if (legal.contains({from, to})) {
                    EXPECT_EQ(answer, "ok") << from << " -> " << to << ": " << sql.message();
                    EXPECT_EQ(world.status(table, id), to);
                } else {
                    EXPECT_EQ(answer, from == statuses.back() ? from_end : "INVALID_TRANSITION")
                        << from << " -> " << to << ": " << sql.message();
                    EXPECT_EQ(world.status(table, id), from);
                }
            }
        }
    }

    EngineDatabase database;
    Session sql = database.session();
    PipelineWorld world{sql};
};

TEST_F(StatusGraph, a_document_version_is_validated_or_rejected_once) {
    expect_graph(
        "document_versions", "document_version_id", {"UPLOADED", "VALIDATED", "REJECTED"},
        {{"UPLOADED", "VALIDATED"}, {"UPLOADED", "REJECTED"}},
        [&](const auto& from) { return world.document(from); },
        [](const Step& step) -> std::string {
            return step.second == "UPLOADED"    ? ", settled_at = null, rejection = null"
                   : step.second == "VALIDATED" ? ", settled_at = now(), rejection = null"
                                                : ", settled_at = now(), rejection = '{}'";
        });
}

TEST_F(StatusGraph, a_snapshot_is_built_reopened_and_sealed_for_ever) {
    expect_graph(
        "data_snapshots", "snapshot_id", {"BUILDING", "READY", "SEALED"},
        {{"BUILDING", "READY"}, {"READY", "BUILDING"}, {"READY", "SEALED"}},
        [&](const auto& from) { return world.snapshot(from); },
        [](const Step& step) -> std::string {
            return step.second == "SEALED" ? ", ready_at = now(), sealed_at = now(), "
                                             "snapshot_canonical = 'x', snapshot_hash = sha256('x')"
                   : step.second == "READY"
                       ? ", ready_at = now(), sealed_at = null, snapshot_canonical = null, "
                         "snapshot_hash = null"
                       : ", ready_at = null, sealed_at = null, snapshot_canonical = null, "
                         "snapshot_hash = null";
        },
        "SNAPSHOT_SEALED");
}

TEST_F(StatusGraph, a_rule_version_is_validated_published_deprecated_and_retired) {
    expect_graph(
        "rule_package_versions", "rule_package_version_id",
        {"DRAFT", "VALIDATED", "PUBLISHED", "DEPRECATED", "RETIRED"},
        {{"DRAFT", "VALIDATED"},
         {"VALIDATED", "PUBLISHED"},
         {"PUBLISHED", "DEPRECATED"},
         {"DEPRECATED", "RETIRED"},
         {"DRAFT", "RETIRED"},
         {"VALIDATED", "RETIRED"}},
        [&](const std::string& from) {
            const auto id = world.rules(from);
            if (from == "DRAFT") {  // a passed run without its consequence
                sql.run(fmt::format(
                    "insert into jobforge.rule_tests_runs values ('{}', gen_random_uuid(), '{}', "
                    "0, 500, 500, 0, 'PASSED')",
                    kTenantA, id));
            }
            return id;
        },
        [](const Step& step) -> std::string {
            const std::string time = step.second == "VALIDATED"    ? "validated_at"
                                     : step.second == "PUBLISHED"  ? "published_at"
                                     : step.second == "DEPRECATED" ? "deprecated_at"
                                     : step.second == "RETIRED"    ? "retired_at"
                                                                   : "";
            return time.empty() ? "" : fmt::format(", {} = now()", time);
        });
}

TEST_F(StatusGraph, a_passport_version_is_signed_activated_superseded_and_revoked) {
    expect_graph(
        "passport_versions", "passport_version_id",
        {"COMPILING", "SIGNED", "ACTIVE", "SUPERSEDED", "REVOKED"},
        {{"COMPILING", "SIGNED"},
         {"SIGNED", "ACTIVE"},
         {"ACTIVE", "SUPERSEDED"},
         {"SIGNED", "REVOKED"},
         {"ACTIVE", "REVOKED"},
         {"SUPERSEDED", "REVOKED"}},
        [&](const auto& from) { return world.version(from); },
        [](const Step& step) -> std::string {
            std::string change;
            if (step.first == "COMPILING" && step.second != "COMPILING") {
                change +=
                    ", signature = decode(repeat('ab', 64), 'hex'), signing_key_public = "
                    "sha256('k'), receipt_signed = 'r', signed_at = now()";
            }
            if (step.first == "COMPILING" &&
                (step.second == "ACTIVE" || step.second == "SUPERSEDED")) {
                change += ", qr_payload = 'q', qr_png = 'q'";
            }
            if (step.second == "ACTIVE" || step.second == "SUPERSEDED") {
                change += ", activated_at = coalesce(activated_at, now())";
            }
            if (step.second == "SUPERSEDED") {
                change += ", superseded_at = now()";
            }
            if (step.second == "REVOKED") {
                change += ", revoked_at = now(), revocation_reason = 'r'";
            }
            return change;
        });
}

TEST_F(StatusGraph, a_delivery_waits_is_delivered_or_fails_and_may_be_sent_again) {
    expect_graph(
        "webhook_deliveries", "webhook_delivery_id", {"PENDING", "DELIVERED", "FAILED"},
        {{"PENDING", "PENDING"},
         {"PENDING", "DELIVERED"},
         {"PENDING", "FAILED"},
         {"FAILED", "PENDING"}},
        [&](const auto& from) { return world.delivery(from); },
        [](const Step& step) -> std::string {
            return step.second == "DELIVERED" ? ", delivered_at = now()" : ", delivered_at = null";
        });
}

TEST_F(StatusGraph, nothing_begins_in_the_middle) {
    // A copy of a row that is in the middle of its life, under a new id.
    const auto copy = [&](const std::string& table, const std::string& key, const std::string& id,
                          const std::string& more = "") {
        return sql.error(fmt::format(
            "insert into jobforge.{0} select (jsonb_populate_record(t, jsonb_build_object('{1}', "
            "gen_random_uuid(){3}))).* from jobforge.{0} t where {1} = '{2}'",
            table, key, id, more));
    };
    EXPECT_EQ(copy("document_versions", "document_version_id", world.document("VALIDATED"),
                   ", 'version', 9"),
              "INVALID_TRANSITION");
    EXPECT_EQ(copy("data_snapshots", "snapshot_id", world.snapshot("READY")), "INVALID_TRANSITION");
    EXPECT_EQ(copy("data_snapshots", "snapshot_id", world.snapshot("SEALED")),
              "INVALID_TRANSITION");
    EXPECT_EQ(copy("rule_package_versions", "rule_package_version_id", world.rules("PUBLISHED"),
                   ", 'version', 99"),
              "INVALID_TRANSITION");
    EXPECT_EQ(copy("passport_versions", "passport_version_id", world.version("SIGNED"),
                   ", 'version_number', 9, 'issued_at', now()"),
              "INVALID_TRANSITION");
    EXPECT_EQ(copy("webhook_deliveries", "webhook_delivery_id", world.delivery("FAILED")),
              "INVALID_TRANSITION");
}

TEST_F(StatusGraph, rules_are_validated_and_published_only_after_a_passed_run) {
    const auto validate = [&](const std::string& id) {
        return sql.error(fmt::format(
            "update jobforge.rule_package_versions set status = 'VALIDATED', validated_at = now() "
            "where rule_package_version_id = '{}'",
            id));
    };
    const auto draft = world.rules("DRAFT");
    EXPECT_EQ(validate(draft), "RULE_TESTS_FAILED");
    EXPECT_EQ(world.run_tests(draft, 499, 0), "FAILED");
    EXPECT_EQ(validate(draft), "RULE_TESTS_FAILED");
    const auto validated = world.rules("VALIDATED");
    EXPECT_EQ(world.run_tests(validated, 500, 1), "FAILED");
    EXPECT_EQ(sql.error(fmt::format("update jobforge.rule_package_versions set status = "
                                    "'PUBLISHED', published_at = now() where "
                                    "rule_package_version_id = '{}'",
                                    validated)),
              "RULE_TESTS_FAILED");
}

TEST_F(StatusGraph, a_status_without_what_belongs_to_it_is_impossible) {
    const auto signed_version = world.version("COMPILING");
    // A CHECK, not a transition: the step is legal, the row is not.
    EXPECT_EQ(sql.error(fmt::format("update jobforge.passport_versions set status = 'SIGNED' where "
                                    "passport_version_id = '{}'",
                                    signed_version)),
              "23514");
    sql.run(PipelineWorld::sign_call(signed_version));
    EXPECT_EQ(sql.error(fmt::format("update jobforge.passport_versions set status = 'ACTIVE', "
                                    "activated_at = now() where passport_version_id = '{}'",
                                    signed_version)),
              "23514");
    EXPECT_NE(sql.message().find("passport_versions_active_has_qr"), std::string::npos);
    EXPECT_EQ(sql.error(fmt::format("update jobforge.data_snapshots set status = 'SEALED', "
                                    "sealed_at = now(), snapshot_canonical = 'x', snapshot_hash = "
                                    "sha256('y') where snapshot_id = '{}'",
                                    world.snapshot("READY"))),
              "23514");
}

TEST_F(StatusGraph, a_passport_has_one_active_version_whoever_writes) {
    const auto passport = world.passport();
    world.version("ACTIVE", passport);
    const auto second = world.version("SIGNED", passport);
    EXPECT_EQ(sql.error(fmt::format("update jobforge.passport_versions set status = 'ACTIVE', "
                                    "activated_at = now() where passport_version_id = '{}'",
                                    second)),
              "23505");
    EXPECT_NE(sql.message().find("passport_versions_one_active"), std::string::npos);
}

}  // namespace
}  // namespace jobforge::test
