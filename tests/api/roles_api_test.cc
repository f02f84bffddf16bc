// What each role does over HTTP: the work of compliance, and the signing off.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_world.h"

namespace jobforge::test {
namespace {

class RolesApi : public ApiWorld {
protected:
    std::string officer_ = make_key(tenant_, {"ComplianceOfficer"});
    std::string auditor_ = make_key(tenant_, {"Auditor"});
};

TEST_F(RolesApi, a_compliance_officer_uploads_writes_tests_and_reads_the_trail) {
    const Reply document = ask("POST", "/v1/documents?kind=BOM&name=bom.json",
                               {.key = officer_, .body = R"({"components":[]})"});
    EXPECT_EQ(document.status, 201) << document.body;
    const Reply rules =
        ask("POST", "/v1/rule-packages",
            {.key = officer_,
             .body = R"({"package":"p","dsl_source":"field a.b: Int = 1;\n",)"
                     R"("tests_source":"example e: {} => expect(a.b, == 1); ;\n"})"});
    ASSERT_EQ(rules.status, 201) << rules.body;
    const Reply tests =
        ask("POST",
            "/v1/rule-package-versions/" + rules.member("rule_package_version_id") + "/tests:run",
            {.key = officer_, .body = R"({"seed":1})"});
    EXPECT_EQ(tests.status, 202) << tests.body;
    EXPECT_EQ(ask("GET", "/v1/audit/events", {.key = officer_}).status, 200);
    EXPECT_EQ(ask("GET", "/v1/audit/heads", {.key = officer_}).status, 200);
}

TEST_F(RolesApi, an_admin_signs_off_and_a_compliance_officer_does_not) {
    const std::string unknown = "018f0000-0000-7000-8000-000000000001";
    for (const char* path :
         {"/v1/rule-package-versions/{}/publish", "/v1/rule-package-versions/{}/retire",
          "/v1/passport-versions/{}/activate", "/v1/passport-versions/{}/revoke"}) {
        const std::string target = fmt::format(fmt::runtime(path), unknown);
        const Ask as_officer{.key = officer_, .body = R"({"reason":"x"})"};
        EXPECT_EQ(ask("POST", target, as_officer).status, 403) << target;
        const Ask as_admin{.key = admin_, .body = R"({"reason":"x"})"};
        EXPECT_NE(ask("POST", target, as_admin).status, 403) << target;
    }
    EXPECT_EQ(ask("GET", "/v1/api-keys", {.key = officer_}).status, 403);
}

TEST_F(RolesApi, only_an_admin_accepts_findings) {
    const std::string target =
        "/v1/passport-versions/018f0000-0000-7000-8000-000000000001/activate";
    const std::string body = R"({"accept":[{"id":"A","reason":"r"}]})";
    for (const std::string& key : {officer_, auditor_, make_key(tenant_, {"Operator"})}) {
        EXPECT_EQ(ask("POST", target, {.key = key, .body = body}).status, 403);
    }
    EXPECT_EQ(ask("POST", target, {.key = admin_, .body = body}).status, 404);
}

TEST_F(RolesApi, an_auditor_reads_what_a_passport_rests_on_and_changes_nothing) {
    EXPECT_EQ(ask("GET", "/v1/document-versions", {.key = auditor_}).status, 200);
    EXPECT_EQ(ask("GET", "/v1/facts", {.key = auditor_}).status, 200);
    EXPECT_EQ(ask("GET", "/v1/audit/events", {.key = auditor_}).status, 200);
    EXPECT_EQ(ask("POST", "/v1/documents?kind=BOM&name=b.json",
                  {.key = auditor_, .body = R"({"components":[]})"})
                  .status,
              403);
}

}  // namespace
}  // namespace jobforge::test
