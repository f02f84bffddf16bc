// Holes 12 and 14 of the attack on tenants, with the real program and its environment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <regex>

#include <fmt/format.h>

#include "child_process.h"
#include "http_client.h"
#include "temp_dir.h"
#include "test_cluster.h"
#include "test_paths.h"

namespace jobforge::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class ApiHardening : public testing::Test {
protected:
    void start(std::map<std::string, std::string> more) {
        more.insert({{"DATABASE_URL", database.url()},
                     {"JOBFORGE_DATA", home.path()},
                     {"BPC_HTTP_PORT", "0"}});
        ASSERT_EQ(run({JOBFORGE_PROGRAM, "migrate"}, more).exit_code, 0);
        program = std::make_unique<ChildProcess>(std::vector<std::string>{JOBFORGE_PROGRAM, "api"},
                                                 std::move(more));
        ASSERT_TRUE(program->wait_for_output("\"api started\"")) << program->error_output();
        const std::string log = program->error_output();
        std::smatch found;
        ASSERT_TRUE(std::regex_search(log, found, std::regex("http://127.0.0.1:([0-9]+)")));
        port = std::stoi(found[1]);
    }
    int status_of(const std::string& path, const char* from) const {
        HttpConnection client(port, 0, from);
        client.send(fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", path));
        return client.receive_one().status;
    }

    TestDatabase database;
    TempDir home;
    std::unique_ptr<ChildProcess> program;
    int port = 0;
};

TEST_F(ApiHardening, idle_sockets_of_one_address_take_neither_health_nor_others_away) {
    start({{"JOBFORGE_HTTP_CONNECTIONS", "128"}, {"JOBFORGE_HTTP_CONNECTIONS_PER_ADDRESS", "32"}});
    std::deque<HttpConnection> idle;
    for (int i = 0; i < 400; ++i) {
        idle.emplace_back(port, 0, "127.0.0.66");
    }
    EXPECT_EQ(status_of("/v1/health/live", "127.0.0.66"), 200);
    EXPECT_EQ(status_of("/v1/health/ready", "127.0.0.66"), 200);
    EXPECT_EQ(status_of("/v1/openapi.yaml", "127.0.0.66"), 503);
    EXPECT_EQ(status_of("/v1/health/ready", "127.0.0.2"), 200);
    EXPECT_EQ(status_of("/v1/openapi.yaml", "127.0.0.2"), 200);
    EXPECT_TRUE(program->wait_for_output("too many connections"));
    EXPECT_THAT(program->error_output(), HasSubstr("\"address\":\"127.0.0.66\""));
    EXPECT_THAT(program->error_output(), HasSubstr("\"address_limit\":32,\"limit\":128"));
}

TEST_F(ApiHardening, the_access_log_is_json_whatever_the_level_and_the_form_of_the_log) {
    start({{"JOBFORGE_ACCESS_LOG", "true"}, {"BPC_LOG_JSON", "true"}});
    EXPECT_EQ(status_of("/v1/health/live?secret=pl4nted", "127.0.0.2"), 200);
    ASSERT_TRUE(program->wait_for_output("\"message\":\"request\""));
    const std::string log = program->error_output();
    std::smatch line;
    ASSERT_TRUE(std::regex_search(log, line, std::regex("[^\n]*\"message\":\"request\"[^\n]*")));
    EXPECT_THAT(line[0].str(),
                MatchesRegex("\\{\"timestamp\":\"[^\"]+\",\"level\":\"info\",\"method\":\"GET\","
                             "\"route\":\"/v1/health/live\",\"status\":200,\"duration_us\":[0-9]+,"
                             "\"bytes\":[0-9]+,\"address\":\"127.0.0.2\",\"key_id\":null,"
                             "\"tenant_id\":null,\"correlation_id\":\"[^\"]+\","
                             "\"message\":\"request\"\\}"));
    EXPECT_THAT(log, Not(HasSubstr("pl4nted")));
}

TEST_F(ApiHardening, without_its_variable_there_is_no_access_log) {
    start({});
    EXPECT_EQ(status_of("/v1/health/live", "127.0.0.2"), 200);
    program->send_signal(SIGTERM);
    EXPECT_EQ(program->wait(std::chrono::minutes(1)), 0);
    EXPECT_THAT(program->error_output(), Not(HasSubstr("\"message\":\"request\"")));
}

}  // namespace
}  // namespace jobforge::test
