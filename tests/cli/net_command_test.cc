// jobforge net check: allowed or blocked, and why, without connecting to anybody.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobforge/json.h>

#include "child_process.h"
#include "test_paths.h"

namespace jobforge::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

test::Finished check(std::vector<std::string> arguments,
                     std::map<std::string, std::string> environment = {}) {
    arguments.insert(arguments.begin(), {JOBFORGE_PROGRAM, "net", "check"});
    return test::run(std::move(arguments), std::move(environment));
}

TEST(NetCommand, a_public_address_is_allowed) {
    const auto done = check({"https://hooks.example/x", "--resolve", "hooks.example=93.184.216.34",
                             "--resolve", "hooks.example=2606:4700::1111"});
    EXPECT_EQ(done.exit_code, 0) << done.error_output;
    EXPECT_EQ(done.output,
              "allowed: https://hooks.example:443 at 93.184.216.34, 2606:4700::1111\n");
}

TEST(NetCommand, everything_else_is_blocked_with_the_reason) {
    const std::vector<std::string> rows[] = {
        {"loopback", "http://127.0.0.1/"},
        {"odd form", "http://127.1/"},
        {"backslash", "http://example.com\\@127.0.0.1/"},
        {"IPv4-mapped", "http://[::ffff:8.8.8.8]/"},
        {"loopback", "http://localhost/", "--resolve", "*=93.184.216.34"},
        {"without a dot", "http://db/", "--resolve", "*=93.184.216.34"},
        {"private networks", "http://metadata.google.internal/", "--resolve", "*=93.184.216.34"},
        {"look-alikes", "http://１２７.0.0.1/"},
        {"private network", "http://hooks.example/", "--resolve", "*=10.0.0.1"},
        {"private network", "http://hooks.example/", "--resolve", "HOOKS.example=93.184.216.34",
         "--resolve", "hooks.example=10.0.0.1"},
        {"http://", "ftp://hooks.example/"},
    };
    for (const auto& row : rows) {
        const auto done = check({row.begin() + 1, row.end()});
        EXPECT_EQ(done.exit_code, 3) << row[1] << done.error_output;
        EXPECT_THAT(done.output, StartsWith("blocked: "));
        EXPECT_THAT(done.output, HasSubstr(row[0]));
    }
}

TEST(NetCommand, a_fixed_name_is_more_particular_than_every_name) {
    const std::vector<std::string> fixed = {"http://a.example/", "--resolve", "*=10.0.0.1",
                                            "--resolve", "a.example=93.184.216.34"};
    EXPECT_EQ(check(fixed).exit_code, 0);
}

TEST(NetCommand, hole_13_an_international_name_is_shown_in_its_ascii_form) {
    const auto done =
        check({"https://Müller.example/", "--resolve", "müller.example=93.184.216.34"});
    EXPECT_EQ(done.exit_code, 0) << done.error_output;
    EXPECT_EQ(done.output, "allowed: https://xn--mller-kva.example:443 at 93.184.216.34\n");
}

TEST(NetCommand, development_may_allow_networks) {
    EXPECT_EQ(check({"http://localhost/"}, {{"JOBFORGE_ALLOW_NETWORKS", "127.0.0.0/8"}}).exit_code,
              0);
    EXPECT_EQ(check({"http://127.0.0.1/"}, {{"JOBFORGE_ALLOW_NETWORKS", "127.0.0.0/8"}}).exit_code,
              0);
    EXPECT_EQ(check({"http://[::1]/"}, {{"JOBFORGE_ALLOW_NETWORKS", "127.0.0.0/8"}}).exit_code, 3);
}

TEST(NetCommand, programs_get_json) {
    const auto blocked = check({"http://10.0.0.1/", "--json"});
    EXPECT_EQ(blocked.exit_code, 3);
    EXPECT_THAT(blocked.output, HasSubstr(R"("allowed":false)"));
    EXPECT_THAT(blocked.output, HasSubstr(R"("reason":"private network")"));
    const auto allowed = check({"http://93.184.216.34/", "--json"});
    EXPECT_EQ(allowed.exit_code, 0);
    EXPECT_EQ(allowed.output,
              R"({"url":"http://93.184.216.34/","allowed":true,"origin":"http://93.184.216.34:80",)"
              R"("addresses":["93.184.216.34"]})"
              "\n");
}

TEST(NetCommand, a_name_nobody_knows_is_no_verdict) {
    const auto done = check({"http://does-not-exist.invalid/"});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.error_output, StartsWith("jobforge: CONNECTION_FAILED"));
}

TEST(NetCommand, a_bad_option_is_bad_usage) {
    for (const char* text : {"hooks.example", "=10.0.0.1", "hooks.example=", "a=127.1"}) {
        EXPECT_EQ(check({"http://hooks.example/", "--resolve", text}).exit_code, 2) << text;
    }
    EXPECT_EQ(check({}).exit_code, 2);
}

}  // namespace
}  // namespace jobforge::cli
