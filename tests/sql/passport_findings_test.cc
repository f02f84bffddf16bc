// What a passport's document says of itself: a version that fails its own rules is put into force
// only with a reason for each failing entry, and the database asks.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jobforge/json.h>

#include "pipeline_world.h"

namespace jobforge::test {
namespace {

using ::testing::HasSubstr;

struct Entry {
    std::string id;
    std::string status;
    std::string evidence = "what must hold";
};

std::string payload_of(const std::vector<Entry>& entries) {
    Json list = Json::array();
    for (const Entry& entry : entries) {
        list.push_back(Json::object(
            {{"evidence", entry.evidence}, {"id", entry.id}, {"status", entry.status}}));
    }
    return Json::object({{"compliance", std::move(list)}}).dump();
}

class PassportFindings : public testing::Test {
protected:
    std::string with(const std::vector<Entry>& entries) {
        return world.version("SIGNED", "", payload_of(entries));
    }
    // "ok" or the error's code.
    std::string activate(const std::string& id, const std::string& accepted = "[]") {
        return sql.error(fmt::format("select jobforge.activate_passport_version('{}', 'ann', '{}')",
                                     id, accepted));
    }
    std::string status(const std::string& id) { return world.status("passport_versions", id); }
    Json findings(const std::string& id) {
        return Json::parse(sql.one(fmt::format(
                               "select findings from jobforge.get_passport_version('{}')", id)))
            .value();
    }
    std::string events(const std::string& id) {
        return sql.one(fmt::format(
            "select string_agg(event_type || coalesce(' ' || actor_id, ''), ', ' order by "
            "aggregate_version) from jobforge.list_events(p_aggregate_id => '{}')",
            id));
    }
    std::string acceptances(const std::string& id) {
        return sql.one(fmt::format(
            "select coalesce(string_agg(concat_ws(' ', entry, finding_id, status, reason, "
            "accepted_by), ', ' order by entry), 'none') from jobforge.passport_acceptances where "
            "passport_version_id = '{}'",
            id));
    }

    EngineDatabase database;
    Session sql = database.session();
    PipelineWorld world{sql};
};

TEST_F(PassportFindings, a_failing_version_is_refused_with_each_entry_that_fails) {
    const auto id = with({{"GOOD", "PASS"},
                          {"MASS", "FAIL", "the mass is given"},
                          {"LATER", "PENDING"},
                          {"ODD", "WARN"},
                          {"ADDRESS", "FAIL", "an address is given"},
                          {"NOT", "NOT_APPLICABLE"}});
    EXPECT_EQ(activate(id), "COMPLIANCE_FAILED");
    EXPECT_THAT(sql.message(), HasSubstr("MASS (FAIL: the mass is given); ADDRESS (FAIL: an "
                                         "address is given)"));
    EXPECT_EQ(status(id), "SIGNED");
    // One of two is not enough.
    EXPECT_EQ(activate(id, R"([{"id":"MASS","reason":"weighed later"}])"), "COMPLIANCE_FAILED");
    EXPECT_THAT(sql.message(), Not(HasSubstr("MASS")));
    EXPECT_EQ(acceptances(id), "none");
    EXPECT_EQ(activate(id, R"([{"id":"ADDRESS","reason":"moving"},)"
                           R"({"id":"MASS","reason":"weighed later"}])"),
              "ok");
    EXPECT_EQ(status(id), "ACTIVE");
    EXPECT_EQ(acceptances(id), "2 MASS FAIL weighed later ann, 5 ADDRESS FAIL moving ann");
    EXPECT_THAT(events(id), HasSubstr("QR_GENERATED, PASSPORT_FINDING_ACCEPTED ann, "
                                      "PASSPORT_FINDING_ACCEPTED ann, PASSPORT_ACTIVATED ann"));
    EXPECT_EQ(sql.one(fmt::format("select convert_from(payload_canonical, 'UTF8') from "
                                  "jobforge.list_events(p_aggregate_id => '{}') where event_type = "
                                  "'PASSPORT_FINDING_ACCEPTED' order by aggregate_version limit 1",
                                  id)),
              R"({"entry":2,"evidence":"the mass is given","finding_id":"MASS",)"
              R"("reason":"weighed later","status":"FAIL"})");
}

TEST_F(PassportFindings, what_fails_is_in_the_details_of_the_error) {
    const auto id = with({{"MASS", "FAIL", "the mass is given"}});
    EXPECT_EQ(sql.one(fmt::format(
                  "do $$ declare v text; begin perform jobforge.activate_passport_version('{}'); "
                  "exception when others then get stacked diagnostics v = pg_exception_detail; "
                  "perform set_config('test.detail', v, false); end $$; "
                  "select current_setting('test.detail')::jsonb",
                  id)),
              R"({"code": "COMPLIANCE_FAILED", "findings": [{"id": "MASS", "status": "FAIL", )"
              R"("evidence": "the mass is given"}]})");
}

TEST_F(PassportFindings, entries_that_share_an_id_are_accepted_one_by_one) {
    const auto id =
        with({{"CELL", "FAIL", "cell 1"}, {"CELL", "PASS"}, {"CELL", "FAIL", "cell 3"}});
    EXPECT_EQ(activate(id, R"([{"id":"CELL","reason":"known"}])"), "COMPLIANCE_FAILED");
    EXPECT_THAT(sql.message(), HasSubstr("cell 3"));
    EXPECT_THAT(sql.message(), Not(HasSubstr("cell 1")));
    EXPECT_EQ(activate(id, R"([{"id":"CELL","reason":"a"},{"id":"CELL","reason":"b"}])"), "ok");
    EXPECT_EQ(acceptances(id), "1 CELL FAIL a ann, 3 CELL FAIL b ann");
}

TEST_F(PassportFindings, a_status_that_nobody_knows_counts_as_failing) {
    for (const char* unknown : {"INFO", "pass", "", "PASS "}) {
        const auto id = with({{"A", unknown}});
        EXPECT_EQ(activate(id), "COMPLIANCE_FAILED") << unknown;
        EXPECT_EQ(findings(id).find("counts")->find("UNKNOWN")->as_int64(), 1) << unknown;
        EXPECT_EQ(activate(id, R"([{"id":"A","reason":"from before"}])"), "ok") << unknown;
    }
}

TEST_F(PassportFindings, a_document_whose_entries_cannot_be_read_is_never_put_into_force) {
    for (const char* payload :
         {"{}", R"({"compliance":null})", R"({"compliance":{"A":"PASS"}})", "[]",
          R"({"compliance":[{"id":"","status":"PASS","evidence":"e"}]})",
          R"({"compliance":[{"status":"PASS","evidence":"e"}]})", R"({"compliance":[7]})"}) {
        const auto id = world.version("SIGNED", "", payload);
        EXPECT_EQ(activate(id), "COMPLIANCE_FAILED") << payload;
        EXPECT_EQ(activate(id, R"([{"id":"","reason":"r"}])"), "VALIDATION_ERROR") << payload;
        EXPECT_EQ(status(id), "SIGNED") << payload;
    }
}

TEST_F(PassportFindings, an_acceptance_without_a_failing_entry_is_a_mistake) {
    const auto id = with({{"A", "FAIL"}, {"B", "PASS"}, {"C", "WARN"}});
    for (const char* wrong :
         {R"([{"id":"A","reason":"r"},{"id":"B","reason":"r"}])",
          R"([{"id":"A","reason":"r"},{"id":"C","reason":"r"}])",
          R"([{"id":"A","reason":"r"},{"id":"A","reason":"r"}])", R"([{"id":"A","reason":""}])",
          R"([{"id":"A"}])", R"([{"id":"A","reason":null}])", R"([{"id":"A","reason":5}])",
          R"([{"id":"A","reason":"r","by":"me"}])", R"(["A"])", R"([[]])", R"({"A":"r"})", R"("A")",
          "null"}) {
        EXPECT_EQ(activate(id, wrong), "VALIDATION_ERROR") << wrong;
    }
    EXPECT_EQ(activate(id, fmt::format(R"([{{"id":"A","reason":"{}"}}])", std::string(1001, 'x'))),
              "VALIDATION_ERROR");
    EXPECT_EQ(status(id) + " " + acceptances(id), "SIGNED none");
}

TEST_F(PassportFindings, activating_again_accepts_nothing_more) {
    const auto id = with({{"A", "FAIL"}});
    EXPECT_EQ(activate(id, R"([{"id":"A","reason":"r"}])"), "ok");
    const auto before = events(id);
    EXPECT_EQ(activate(id, R"([{"id":"A","reason":"other"}])"), "ok");
    EXPECT_EQ(activate(id), "ok");
    EXPECT_EQ(events(id), before);
    EXPECT_EQ(acceptances(id), "1 A FAIL r ann");
}

TEST_F(PassportFindings, a_version_says_how_many_entries_have_which_status_and_which_fail_or_warn) {
    const auto id =
        with({{"A", "PASS"}, {"B", "PASS"}, {"C", "WARN"}, {"D", "FAIL"}, {"E", "PENDING"}});
    EXPECT_EQ(activate(id, R"([{"id":"D","reason":"why"}])"), "ok");
    const Json told = findings(id);
    EXPECT_EQ(told.find("counts")->dump(),
              R"({"PASS":2,"FAIL":1,"WARN":1,"PENDING":1,"NOT_APPLICABLE":0,"UNKNOWN":0})");
    const Json::Array& entries = *told.find("entries")->as_array();
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0].dump(), R"({"entry":3,"id":"C","status":"WARN","evidence":"what must )"
                                 R"(hold","accepted":null})");
    EXPECT_EQ(entries[1].find("accepted")->find("reason")->dump(), R"("why")");
    EXPECT_EQ(entries[1].find("accepted")->find("accepted_by")->dump(), R"("ann")");
}

TEST_F(PassportFindings, another_tenant_sees_no_acceptance) {
    EXPECT_EQ(activate(with({{"A", "FAIL"}}), R"([{"id":"A","reason":"r"}])"), "ok");
    Session other = database.tenant_login(kTenantB);
    EXPECT_EQ(other.error("select * from jobforge.passport_acceptances"), "42501");
    Session gateway = database.login_as("jobforge_gateway");
    gateway.use_tenant(kTenantB);
    EXPECT_EQ(gateway.error("select * from jobforge.passport_acceptances"), "42501");
}

}  // namespace
}  // namespace jobforge::test
