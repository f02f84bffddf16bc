// API keys and policies as an operator handles them.
#include "pipeline_world.h"

namespace jobforge::cli {
namespace {

using test::Finished;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class AccessCommands : public PipelineWorld {
protected:
    // The whole text of a new key.
    std::string create(const std::string& name = "importer", const std::string& role = "Operator") {
        return text(answer({"keys", "create", name, "--role", role}), "key");
    }
    static std::string id_of(const std::string& key) { return key.substr(8, 16); }
    Json key(const std::string& id) {
        for (const Json& row : rows({"keys", "list"})) {
            if (text(row, "key_id") == id) {
                return row;
            }
        }
        return {};
    }
};

TEST_F(AccessCommands, a_new_key_is_shown_once_and_listed_without_its_secret) {
    const Finished made =
        go({"keys", "create", "nightly import", "--role", "Operator", "--role", "Auditor"});
    EXPECT_EQ(made.exit_code, 0) << made.error_output;
    EXPECT_THAT(made.output, HasSubstr("jf_test_"));
    EXPECT_THAT(made.error_output, HasSubstr("shown this once"));
    const std::string whole = create();
    EXPECT_THAT(whole, MatchesRegex("jf_test_[a-z2-7]{16}_[a-z2-7]{52}"));
    const std::string listed = done({"keys", "list"});
    EXPECT_THAT(listed, AllOf(HasSubstr(id_of(whole)), HasSubstr("nightly import"),
                              HasSubstr("Auditor, Operator"), Not(HasSubstr(whole.substr(25)))));
    EXPECT_THAT(done({"keys", "list", "--json"}), Not(HasSubstr("mac")));
    EXPECT_EQ(text(key(id_of(whole)), "created_by"), "cli");
    EXPECT_EQ(rows({"keys", "list", "--limit", "1"}).size(), 1U);
    EXPECT_EQ(text(rows({"keys", "list", "--before", id_of(whole)}).at(0), "name"),
              "nightly import");
}

TEST_F(AccessCommands, a_key_ends_when_it_was_told_to) {
    const Json made = answer({"keys", "create", "guest", "--role", "Auditor", "--expires", "90d"});
    EXPECT_EQ(
        one("select (expires_at - created_at between interval '89 days 23 hours' and interval '90 "
            "days')::text from jobforge.api_keys"),
        "true");
    EXPECT_EQ(text(answer({"keys", "create", "x", "--role", "Auditor", "--expires",
                           "2099-01-31T12:00:00Z"}),
                   "expires_at")
                  .substr(0, 19),
              "2099-01-31T12:00:00");
    refused({"keys", "create", "x", "--role", "Auditor", "--expires", "2001-01-01T00:00:00Z"},
            "VALIDATION_ERROR", "future");
    EXPECT_EQ(go({"keys", "create", "x", "--role", "Auditor", "--expires", "soon"}).exit_code, 2);
}

TEST_F(AccessCommands, a_rotated_key_has_a_successor_and_an_overlap) {
    const std::string old = create();
    const Json next = answer({"keys", "rotate", id_of(old), "--overlap", "2h"});
    EXPECT_EQ(text(key(id_of(old)), "rotated_to"), text(next, "key_id"));
    EXPECT_EQ(text(key(id_of(old)), "status"), "ACTIVE");
    refused({"keys", "rotate", id_of(old)}, "INVALID_TRANSITION", text(next, "key_id"));
    const Finished last = go({"keys", "rotate", text(next, "key_id"), "--overlap", "0s"});
    EXPECT_THAT(last.error_output, HasSubstr("The old one is revoked"));
    EXPECT_EQ(text(key(text(next, "key_id")), "status"), "REVOKED");
    EXPECT_EQ(go({"keys", "rotate", "nonsense"}).exit_code, 2);
    refused({"keys", "rotate", std::string(16, 'a')}, "NOT_FOUND");
}

TEST_F(AccessCommands, a_key_is_revoked_by_its_id_or_as_it_was_found) {
    const std::string one_key = create();
    const std::string other = create();
    EXPECT_EQ(done({"keys", "revoke", id_of(one_key), "--reason", "left"}),
              id_of(one_key) + " REVOKED");
    EXPECT_EQ(done({"keys", "revoke", other}), id_of(other) + " REVOKED");
    EXPECT_EQ(done({"keys", "revoke", other}), id_of(other) + " REVOKED");
    EXPECT_EQ(rows({"keys", "list", "--status", "REVOKED"}).size(), 2U);
    EXPECT_EQ(rows({"keys", "list", "--status", "ACTIVE"}).size(), 0U);
    EXPECT_EQ(
        one("select count(*) from jobforge.events where event_type = 'KEY_REVOKED' and actor_id = "
            "'cli'"),
        "2");
    const Finished wrong = go({"keys", "revoke", other + "x"});
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_THAT(wrong.error_output, Not(HasSubstr(other.substr(25)))) << "never quoted";
}

TEST_F(AccessCommands, a_platform_key_is_made_listed_and_revoked_without_a_tenant) {
    // Two tenants and none chosen: a command of a tenant could not tell which.
    ASSERT_EQ(go({"tenants", "create", "globex"}).exit_code, 0);
    const Json made = answer({"keys", "create", "ops", "--platform", "--expires", "90d"});
    const std::string whole = text(made, "key");
    EXPECT_THAT(whole, MatchesRegex("jfp_test_[a-z2-7]{16}_[a-z2-7]{52}"));
    const std::string key_id = text(made, "key_id");
    EXPECT_EQ(whole.substr(9, 16), key_id);
    EXPECT_EQ(one("select (expires_at - created_at between interval '89 days 23 hours' and "
                  "interval '90 days')::text from jobforge.platform_keys"),
              "true");
    EXPECT_THAT(done({"keys", "list", "--platform"}),
                AllOf(HasSubstr(key_id), HasSubstr("login:"), Not(HasSubstr(whole.substr(26)))));
    EXPECT_EQ(done({"keys", "revoke", whole, "--reason", "found"}), key_id + " REVOKED");
    EXPECT_EQ(done({"keys", "revoke", key_id, "--platform"}), key_id + " REVOKED");
    refused({"keys", "revoke", std::string(16, 'a'), "--platform"}, "NOT_FOUND");
    const Finished both = go({"keys", "create", "x", "--platform", "--role", "Admin"});
    EXPECT_EQ(both.exit_code, 2);
    EXPECT_THAT(both.error_output, HasSubstr("--platform and no tenant"));
    const std::string platform = "00000000-0000-0000-0000-000000000000";
    EXPECT_THAT(done({"audit", "list", "--tenant", platform}),
                AllOf(HasSubstr("KEY_CREATED"), HasSubstr("KEY_REVOKED"), HasSubstr("login:")));
    EXPECT_EQ(go({"audit", "export", "--tenant", platform, "--out", path("trail")}).exit_code, 0);
}

TEST_F(AccessCommands, roles_must_be_known) {
    create();  // makes the pepper, which is told once
    refused({"keys", "create", "x", "--role", "Boss"}, "VALIDATION_ERROR", "ComplianceOfficer");
    EXPECT_EQ(go({"keys", "create", "x"}).exit_code, 2);
}

// The pepper lies in the data directory, the keys in the database: they can come apart.
TEST_F(AccessCommands, a_pepper_that_is_made_for_a_database_elsewhere_is_told) {
    const test::TempDir other;
    Variables elsewhere = environment();
    elsewhere["JOBFORGE_DATA"] = other.path() + "/data";
    elsewhere["BPC_API_KEY_PEPPER_BASE64"] = "";
    const std::vector<std::string> create{"keys", "create", "x", "--role", "Admin"};
    const Finished first = run_program(create, elsewhere);
    ASSERT_EQ(first.exit_code, 0) << first.error_output;
    EXPECT_THAT(first.error_output,
                HasSubstr("a pepper was made in " + other.path() + "/data/keys/pepper.secret"));
    EXPECT_THAT(run_program(create, elsewhere).error_output, Not(HasSubstr("was made in")));
}

TEST_F(AccessCommands, a_key_is_not_made_with_another_pepper_unless_it_is_meant) {
    const std::string first = create();
    const std::string noted = one("select encode(fingerprint, 'hex') from jobforge.key_pepper");
    EXPECT_EQ(noted.size(), 64U);
    create();  // the same pepper
    const test::TempDir other;
    more_environment_["JOBFORGE_DATA"] = other.path();
    for (const std::vector<std::string>& making :
         {std::vector<std::string>{"keys", "create", "x", "--role", "Admin"},
          {"keys", "create", "x", "--platform"},
          {"keys", "rotate", id_of(first)}}) {
        const Finished refused = go(making);
        EXPECT_EQ(refused.exit_code, 2) << refused.output;
        EXPECT_THAT(refused.error_output,
                    AllOf(HasSubstr("made with another pepper"),
                          HasSubstr("BPC_API_KEY_PEPPER_BASE64"), HasSubstr("--new-pepper")));
    }
    EXPECT_EQ(one("select count(*) from jobforge.api_keys"), "2");
    EXPECT_EQ(one("select count(*) from jobforge.platform_keys"), "0");
    EXPECT_EQ(one("select encode(fingerprint, 'hex') from jobforge.key_pepper"), noted);
    done({"keys", "create", "x", "--role", "Admin", "--new-pepper"});
    EXPECT_NE(one("select encode(fingerprint, 'hex') from jobforge.key_pepper"), noted);
    create();
    EXPECT_EQ(one("select count(*) from jobforge.key_pepper"), "1");
}

TEST_F(AccessCommands, prod_wants_a_pepper_and_makes_none) {
    Variables prod = environment();
    prod["BPC_ENV"] = "prod";
    prod.erase("JOBFORGE_ALLOW_NETWORKS");
    const Finished without = run_program({"keys", "create", "x", "--role", "Admin"}, prod);
    EXPECT_EQ(without.exit_code, 2);
    EXPECT_THAT(without.error_output, HasSubstr("BPC_API_KEY_PEPPER_BASE64"));
    prod["BPC_API_KEY_PEPPER_BASE64"] = "c2hvcnQ=";
    EXPECT_EQ(run_program({"keys", "create", "x", "--role", "Admin"}, prod).exit_code, 2);
    prod["BPC_API_KEY_PEPPER_BASE64"] = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
    const Finished made = run_program({"keys", "create", "x", "--role", "Admin"}, prod);
    EXPECT_EQ(made.exit_code, 0) << made.error_output;
    EXPECT_THAT(made.output, HasSubstr("jf_prod_"));
}

TEST_F(AccessCommands, policies_are_listed_in_the_order_in_which_they_decide) {
    const std::string whole = create();
    const std::string low = id({"policies", "add", "deny", "/v1/**"});
    const std::string high = id({"policies", "add", "allow", "/v1/jobs/*", "--priority", "5",
                                 "--method", "GET", "--key", whole, "--note", "reads"});
    const std::string tie = id({"policies", "add", "allow", "/v1/jobs", "--role", "Auditor"});
    const auto listed = rows({"policies", "list"});
    ASSERT_EQ(listed.size(), 3U);
    EXPECT_EQ(text(listed[0], "policy_id"), high);
    EXPECT_EQ(text(listed[1], "policy_id"), low);
    EXPECT_EQ(text(listed[2], "policy_id"), tie);
    EXPECT_EQ(text(listed[0], "key_id"), id_of(whole));
    EXPECT_THAT(done({"policies", "list"}), HasSubstr("/v1/jobs/*"));
    EXPECT_EQ(done({"policies", "remove", low}), low);
    refused({"policies", "remove", low}, "NOT_FOUND");
    refused({"policies", "add", "perhaps", "/v1"}, "VALIDATION_ERROR");
    refused({"policies", "add", "deny", "v1"}, "VALIDATION_ERROR", "docs/access.md");
    refused({"policies", "add", "deny", "/v1", "--role", "Boss"}, "VALIDATION_ERROR");
    EXPECT_EQ(one("select count(*) from jobforge.events where event_type = 'POLICY_CHANGED'"), "4");
}

}  // namespace
}  // namespace jobforge::cli
