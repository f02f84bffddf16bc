// Who may do what: the table of permissions, policies on top of it, and the text of keys. Pure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "services/access/key_text.h"
#include "services/access/policies.h"
#include "test_paths.h"

namespace jobforge::services {
namespace {

using testing::HasSubstr;
using testing::Not;

// "A C U O" of a permission.
std::string letters(Permission permission) {
    std::string text;
    for (const auto& [role, letter] : {std::pair{Role::admin, 'A'},
                                       {Role::compliance_officer, 'C'},
                                       {Role::auditor, 'U'},
                                       {Role::operator_, 'O'}}) {
        if (has_permission({role}, permission)) {
            text += text.empty() ? "" : " ";
            text += letter;
        }
    }
    return text;
}

TEST(Permissions, the_documented_table_is_the_one_that_decides) {
    std::ifstream file(JOBFORGE_SOURCE_DIR "/docs/access.md");
    std::stringstream document;
    document << file.rdbuf();
    for (const Permission permission : all_permissions()) {
        std::string cells;
        for (const Role role : all_roles()) {
            cells += has_permission({role}, permission) ? " yes |" : " |";
        }
        EXPECT_THAT(document.str(),
                    HasSubstr(fmt::format("| `{}` |{}", to_string(permission), cells)));
    }
}

TEST(Permissions, each_is_for_the_roles_of_the_specification) {
    std::string all;
    for (const Permission permission : all_permissions()) {
        all += fmt::format("{} {}; ", to_string(permission), letters(permission));
    }
    EXPECT_EQ(all,
              "passport:read A C U; passport:compile A C; passport:sign A; passport:replay A C; "
              "passport:revoke A; rules:read A C U; rules:write A C; rules:publish A; rules:test "
              "A C; "
              "docs:upload A C; docs:read A C U; snapshot:build A C; snapshot:seal A C; audit:read "
              "A C U; jobs:read A C U O; jobs:enqueue A O; jobs:manage A O; jobs:work A O; "
              "sources:read A C O; sources:write A O; webhooks:admin A; access:admin A; "
              "tenant:admin A; platform:admin ; ");
}

TEST(Permissions, roles_have_names_and_an_unknown_one_gives_nothing) {
    for (const Role role : all_roles()) {
        EXPECT_EQ(role_from_string(to_string(role)), role);
    }
    EXPECT_FALSE(role_from_string("admin"));
    const Roles none = Roles::of(std::vector<std::string>{"Emperor", ""});
    for (const Permission permission : all_permissions()) {
        EXPECT_FALSE(has_permission(none, permission));
    }
    const Roles two = Roles::of(std::vector<std::string>{"Operator", "Auditor", "Emperor"});
    EXPECT_EQ(two.names(), (std::vector<std::string>{"Auditor", "Operator"}));
}

bool matches(const std::string& pattern, const std::string& path) {
    const auto parsed = PathPattern::parse(pattern);
    EXPECT_TRUE(parsed.ok()) << pattern;
    return parsed.ok() && parsed->matches(path);
}

TEST(PathPatterns, a_star_is_one_segment_and_two_are_the_rest) {
    EXPECT_TRUE(matches("/v1/jobs", "/v1/jobs"));
    EXPECT_FALSE(matches("/v1/jobs", "/v1/jobs/7"));
    EXPECT_FALSE(matches("/v1/jobs", "/v1"));
    EXPECT_FALSE(matches("/v1/jobs", "/v1/jobsx"));
    EXPECT_FALSE(matches("/v1/jobs", "/v1/Jobs"));
    EXPECT_TRUE(matches("/v1/jobs/*", "/v1/jobs/7"));
    EXPECT_FALSE(matches("/v1/jobs/*", "/v1/jobs"));
    EXPECT_FALSE(matches("/v1/jobs/*", "/v1/jobs/7/cancel"));
    EXPECT_TRUE(matches("/v1/jobs/*/cancel", "/v1/jobs/7/cancel"));
    EXPECT_FALSE(matches("/v1/jobs/*/cancel", "/v1/jobs/7/retry"));
    EXPECT_TRUE(matches("/v1/jobs/**", "/v1/jobs/7/cancel"));
    EXPECT_TRUE(matches("/v1/jobs/**", "/v1/jobs"));
    EXPECT_FALSE(matches("/v1/jobs/**", "/v1/workers"));
    EXPECT_TRUE(matches("/**", "/"));
    EXPECT_TRUE(matches("/**", "/v1/anything"));
    EXPECT_TRUE(matches("/v1/rules/*/tests:run", "/v1/rules/7/tests:run"));
}

TEST(PathPatterns, no_spelling_of_a_path_slips_past) {
    for (const char* path : {"/v1/jobs/", "//v1/jobs", "/v1//jobs", "v1/jobs", "/v1/jobs///"}) {
        EXPECT_TRUE(matches("/v1/jobs", path)) << path;
    }
}

TEST(PathPatterns, what_is_no_pattern_is_refused) {
    for (const char* bad : {"", "v1", "/v1/", "/v1//jobs", "/**/jobs", "/v1/jo*", "/v1/***", "/a b",
                            "/%2e", "/ä", "/v1?x"}) {
        const auto parsed = PathPattern::parse(bad);
        ASSERT_FALSE(parsed.ok()) << bad;
        EXPECT_EQ(parsed.error().code, ErrorCode::VALIDATION_ERROR);
    }
    EXPECT_FALSE(PathPattern::parse("/" + std::string(500, 'x')).ok());
}

Policy policy(bool deny, int priority, const std::string& path, const std::string& method = "*") {
    return {Uuid{}, deny, priority, method, PathPattern::parse(path).value()};
}
constexpr bool kDeny = true;
constexpr bool kAllow = false;

bool allowed(const std::vector<Policy>& policies, const std::string& method = "GET",
             const std::string& path = "/v1/jobs") {
    return decide({Role::operator_}, Policies(policies), Permission::jobs_read, method, path)
        .allowed;
}

TEST(PoliciesDecide, the_roles_where_none_matches) {
    EXPECT_TRUE(allowed({}));
    EXPECT_TRUE(allowed({policy(kDeny, 0, "/v1/workers")}));
    EXPECT_FALSE(
        decide({Role::auditor}, Policies(), Permission::jobs_enqueue, "POST", "/v1/jobs").allowed);
}

TEST(PoliciesDecide, the_highest_priority_wins_and_deny_wins_a_tie) {
    EXPECT_FALSE(allowed({policy(kDeny, 0, "/v1/**")}));
    EXPECT_TRUE(allowed({policy(kDeny, 0, "/v1/**"), policy(kAllow, 1, "/v1/jobs")}));
    EXPECT_TRUE(allowed({policy(kAllow, 1, "/v1/jobs"), policy(kDeny, 0, "/v1/**")}));
    EXPECT_FALSE(allowed({policy(kAllow, 1, "/v1/jobs"), policy(kDeny, 1, "/v1/**")}));
    EXPECT_FALSE(allowed({policy(kDeny, 1, "/v1/**"), policy(kAllow, 1, "/v1/jobs")}));
    EXPECT_FALSE(allowed({policy(kAllow, -5, "/v1/jobs"), policy(kDeny, -4, "/v1/**")}));
}

TEST(PoliciesDecide, by_method_and_a_head_is_a_get) {
    EXPECT_TRUE(allowed({policy(kDeny, 0, "/**", "POST")}));
    EXPECT_FALSE(allowed({policy(kDeny, 0, "/**", "POST")}, "POST"));
    EXPECT_FALSE(allowed({policy(kDeny, 0, "/**", "GET")}, "HEAD"));
}

TEST(PoliciesDecide, an_allow_gives_nothing_that_the_roles_do_not) {
    const Policies policies({policy(kAllow, 1000, "/**")});
    for (const Permission permission : all_permissions()) {
        for (const Role role : all_roles()) {
            const Decision decision = decide({role}, policies, permission, "GET", "/v1/x");
            EXPECT_EQ(decision.allowed, has_permission({role}, permission));
            EXPECT_EQ(decision.reason, decision.allowed ? "" : "role");
        }
    }
}

TEST(PoliciesDecide, the_refusal_names_its_reason_and_its_policy) {
    Policy one = policy(kDeny, 3, "/v1/jobs");
    one.policy_id = Uuid::parse("01890000-0000-7000-8000-000000000001").value();
    const Decision decision =
        decide({Role::admin}, Policies({one}), Permission::jobs_read, "GET", "/v1/jobs");
    EXPECT_FALSE(decision.allowed);
    EXPECT_EQ(decision.reason, "policy");
    EXPECT_EQ(decision.policy_id, one.policy_id);
}

TEST(PoliciesFromJson, what_cannot_be_read_is_an_error_and_never_passed_over) {
    const std::string good =
        R"({"policy_id":"01890000-0000-7000-8000-000000000001","effect":"deny","priority":1,)"
        R"("method":"*","path_pattern":"/**"})";
    ASSERT_TRUE(Policies::from_json("[" + good + "]").ok());
    EXPECT_EQ(Policies::from_json("[" + good + "," + good + "]")->size(), 2U);
    EXPECT_EQ(Policies::from_json("[]")->size(), 0U);
    for (const auto& [part, other] : {std::pair{"deny", "perhaps"},
                                      {"/**", "/***"},
                                      {"01890000", "x"},
                                      {":1,", ":1.5,"},
                                      {"priority", "prio"},
                                      {"\"method\":\"*\"", "\"method\":1"}}) {
        std::string bad = good;
        bad.replace(bad.find(part), std::string(part).size(), other);
        const auto parsed = Policies::from_json("[" + bad + "]");
        ASSERT_FALSE(parsed.ok()) << bad;
        EXPECT_EQ(parsed.error().code, ErrorCode::INTERNAL_ERROR);
    }
    EXPECT_FALSE(Policies::from_json("{}").ok());
    EXPECT_FALSE(Policies::from_json("[").ok());
}

TEST(KeyText, a_new_key_reads_back_and_no_two_are_alike) {
    const ApiKeyText one = ApiKeyText::make("dev").value();
    const ApiKeyText two = ApiKeyText::make("dev").value();
    EXPECT_TRUE(is_key_id(one.key_id));
    EXPECT_THAT(one.text(), testing::MatchesRegex("jf_dev_[a-z2-7]{16}_[a-z2-7]{52}"));
    EXPECT_NE(one.key_id, two.key_id);
    EXPECT_NE(one.secret, two.secret);
    const ApiKeyText read = ApiKeyText::from_authorization("Bearer " + one.text()).value();
    EXPECT_EQ(read.text(), one.text());
    EXPECT_TRUE(ApiKeyText::from_authorization("bEARER   " + one.text() + " ").ok());
    EXPECT_FALSE(ApiKeyText::make("Dev").ok());
    EXPECT_FALSE(ApiKeyText::make("").ok());
    EXPECT_FALSE(ApiKeyText::make("a_b").ok());
}

TEST(KeyText, of_a_platform_key_is_another_kind_with_another_mac) {
    const ApiKeyText platform = ApiKeyText::make("dev", KeyKind::platform).value();
    EXPECT_THAT(platform.text(), testing::MatchesRegex("jfp_dev_[a-z2-7]{16}_[a-z2-7]{52}"));
    const ApiKeyText read = ApiKeyText::parse(platform.text()).value();
    EXPECT_EQ(read.kind, KeyKind::platform);
    EXPECT_EQ(read.text(), platform.text());
    ApiKeyText tenants = platform;
    tenants.kind = KeyKind::tenant;
    const Pepper pepper =
        Pepper::from_base64("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=").value();
    EXPECT_NE(pepper.mac(tenants), pepper.mac(platform));
}

TEST(KeyText, what_is_no_key_is_unauthorized_and_never_quoted) {
    const std::string good = ApiKeyText::make("dev")->text();
    for (const std::string& bad :
         {std::string(), std::string("jf"), std::string("jf_dev_short_secret"), good + "x",
          good.substr(0, good.size() - 1), "x" + good, good + "_more", "jf__" + good.substr(7),
          "JF" + good.substr(2), std::string(10'000, '_'),
          good.substr(0, 40) + std::string(1, '\0')}) {
        const auto parsed = ApiKeyText::parse(bad);
        ASSERT_FALSE(parsed.ok()) << bad;
        EXPECT_EQ(parsed.error().code, ErrorCode::UNAUTHORIZED);
        EXPECT_THAT(parsed.error().describe(), Not(HasSubstr(good.substr(30, 20))));
    }
    for (const std::string& bad :
         std::vector<std::string>{"", good, "Basic " + good, "Bearer", "Bearer ",
                                  "Bearer " + good + " " + good, "Bearer\t" + good}) {
        EXPECT_FALSE(ApiKeyText::from_authorization(bad).ok()) << bad;
    }
}

// Of this thread, however busy the machine is.
double cpu_seconds() {
    timespec now{};
    EXPECT_EQ(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

TEST(Peppers, an_id_that_nobody_has_matches_nothing_and_costs_what_a_wrong_secret_costs) {
    const Pepper pepper =
        Pepper::from_base64("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=").value();
    const ApiKeyText key = ApiKeyText::make("test").value();
    const Sha256 mac = pepper.mac(key);
    const std::string stored(mac.begin(), mac.end());
    const std::string wrong(stored.rbegin(), stored.rend());
    EXPECT_TRUE(pepper.matches(key, stored));
    EXPECT_FALSE(pepper.matches(key, wrong));
    EXPECT_FALSE(pepper.matches(key, std::nullopt));
    EXPECT_FALSE(pepper.matches(key, ""));
    const auto cost_of = [&](std::optional<std::string_view> what) {
        double least = 1e9;
        for (int round = 0; round < 20; ++round) {
            const double begin = cpu_seconds();
            for (int i = 0; i < 500; ++i) {
                EXPECT_FALSE(pepper.matches(key, what));
            }
            least = std::min(least, cpu_seconds() - begin);
        }
        return least;
    };
    const double ratio = cost_of(std::nullopt) / cost_of(wrong);
    EXPECT_GT(ratio, 0.5);
    EXPECT_LT(ratio, 2.0);
}

TEST(Peppers, a_fingerprint_tells_peppers_apart_and_is_the_mac_of_no_key) {
    const std::string text = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
    const Pepper pepper = Pepper::from_base64(text).value();
    EXPECT_EQ(pepper.fingerprint(), Pepper::from_base64(" " + text).value().fingerprint());
    EXPECT_NE(
        pepper.fingerprint(),
        Pepper::from_base64("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDI=").value().fingerprint());
    // Stored for good: another text would make every pepper another one.
    // printf 'fingerprint of a jobforge pepper, form 1' | openssl dgst -sha256 -mac HMAC -macopt
    // key:01234567890123456789012345678901
    EXPECT_EQ(hex_encode(pepper.fingerprint()),
              "daedcf32e0b4a59ffbd7dad786379ee1e584ce77384f9b086e161b9b34397004");
}

TEST(Peppers, a_mac_is_of_the_whole_key_under_one_pepper) {
    const std::string text = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
    const Pepper pepper = Pepper::from_base64(" " + text + "\n").value();
    const Pepper other =
        Pepper::from_base64("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDI=").value();
    const ApiKeyText key{"dev", "aaaaaaaaaaaaaaaa", std::string(52, 'b')};
    // printf %s jf_dev_a..._b... | openssl dgst -sha256 -hmac 01234567890123456789012345678901
    EXPECT_EQ(hex_encode(pepper.mac(key)),
              "f938693ec894c2f1d1a74effb6270eacd4fb3bfd9694bf48491b1676c5fad48a");
    EXPECT_NE(pepper.mac(key), other.mac(key));
    for (const ApiKeyText& near : {ApiKeyText{"test", key.key_id, key.secret},
                                   ApiKeyText{"dev", "aaaaaaaaaaaaaaab", key.secret},
                                   ApiKeyText{"dev", key.key_id, std::string(52, 'c')}}) {
        EXPECT_NE(pepper.mac(near), pepper.mac(key));
    }
    for (const char* bad :
         {"", "c2hvcnQ=", "not base64", "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MA=="}) {
        const auto refused = Pepper::from_base64(bad);
        ASSERT_FALSE(refused.ok()) << bad;
        EXPECT_EQ(refused.error().code, ErrorCode::CONFIG_MISSING);
    }
}

}  // namespace
}  // namespace jobforge::services
