// The program under attack: it lives, stays small, and answers everybody else as if nothing were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <regex>
#include <thread>

#include <fmt/format.h>

#include "child_process.h"
#include "http_attack.h"
#include "http_client.h"
#include "temp_dir.h"
#include "test_cluster.h"
#include "test_paths.h"

namespace jobforge::test {
namespace {

using testing::HasSubstr;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long kMegabytes = 2048;  // a sanitizer's shadow, not the program's own
#else
constexpr long kMegabytes = 256;
#endif
constexpr int kMalformed = 1000;  // five seconds of it
constexpr int kRounds = 2;        // of all that is heavy

std::string first_match(const std::string& text, const char* pattern) {
    std::smatch found;
    EXPECT_TRUE(std::regex_search(text, found, std::regex(pattern))) << text;
    return found.size() > 1 ? found[1].str() : "";
}

// The most memory that a process has had, in MB.
long peak_megabytes(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/status", pid));
    const std::string text(std::istreambuf_iterator<char>(file), {});
    return std::stol("0" + first_match(text, "VmHWM:\\s+([0-9]+) kB")) / 1000;
}

class ApiAttack : public testing::Test {
protected:
    void SetUp() override {
        const std::map<std::string, std::string> environment = {{"DATABASE_URL", database.url()},
                                                                {"JOBFORGE_DATA", home.path()},
                                                                {"BPC_HTTP_PORT", "0"}};
        const auto done = [&](std::vector<std::string> arguments) {
            arguments.insert(arguments.begin(), JOBFORGE_PROGRAM);
            const Finished finished = run(std::move(arguments), environment);
            EXPECT_EQ(finished.exit_code, 0) << finished.error_output;
            return finished.output;
        };
        (void)done({"migrate"});
        (void)done({"tenants", "create", "acme"});
        const auto make_key = [&](const char* role) {
            return first_match(done({"keys", "create", "me", "--role", role, "--json"}),
                               "(jf_[a-z0-9_]+)");
        };
        key = make_key("Operator");
        uploader = make_key("Admin");
        program = std::make_unique<ChildProcess>(std::vector<std::string>{JOBFORGE_PROGRAM, "api"},
                                                 environment);
        ASSERT_TRUE(program->wait_for_output("\"api started\"")) << program->error_output();
        port = std::stoi(first_match(program->error_output(), "\"url\":\"http://[0-9.]+:([0-9]+)"));
    }
    std::string request(std::string_view line, std::string_view body = {}) const {
        std::string text =
            fmt::format("{} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n", line, key);
        if (!body.empty()) {
            text += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n",
                                body.size());
        }
        return text.append("\r\n").append(body);
    }
    // Enqueues a job and looks at it, again and again; what went wrong, "" if nothing.
    std::string be_healthy(const std::atomic<bool>& over) const {
        HttpConnection connection(port);
        while (!over) {
            ++asked;
            connection.send(request("POST /v1/jobs", R"({"type":"test.echo","payload":{"n":1}})"));
            const HttpReply made = connection.receive_one();
            if (made.status != 201) {
                return fmt::format("POST: {} {}", made.status, made.body);
            }
            const std::string id = first_match(made.body, "\"job_id\":\"([0-9a-f-]+)\"");
            connection.send(request("GET /v1/jobs/" + id));
            const HttpReply seen = connection.receive_one();
            if (seen.status != 200 || seen.body.find(id) == std::string::npos) {
                return fmt::format("GET: {} {}", seen.status, seen.body);
            }
        }
        return {};
    }

    TestDatabase database;
    TempDir home;
    std::unique_ptr<ChildProcess> program;
    std::string key, uploader;
    int port = 0;
    mutable std::atomic<int> asked = 0;
};

TEST_F(ApiAttack, malformed_slow_and_heavy_requests_harm_nobody) {
    std::atomic<bool> over = false;
    std::string faults[2];
    std::vector<std::thread> healthy;
    for (std::string& fault : faults) {
        healthy.emplace_back([&] { fault = be_healthy(over); });
    }
    std::map<int, int> answers;
    {
        const HttpAttack attack({.port = port, .uploader = uploader});
        EXPECT_TRUE(wait_until(
            [&] {
                return !program->running() || (attack.malformed() >= kMalformed &&
                                               attack.rounds() >= kRounds && attack.slow() >= 500);
            },
            std::chrono::minutes(4)));
        answers = attack.answers();
    }
    over = true;
    for (std::thread& client : healthy) {
        client.join();
    }
    ASSERT_TRUE(program->running()) << program->error_output();
    EXPECT_EQ(faults[0], "");
    EXPECT_EQ(faults[1], "");
    EXPECT_GT(asked, 100);
    EXPECT_LT(peak_megabytes(program->pid()), kMegabytes);
    EXPECT_EQ(answers[500], 0) << program->error_output();
    for (const int expected : {400, 401, 413, 431}) {
        EXPECT_GT(answers[expected], 0) << expected;
    }
    program->send_signal(SIGTERM);
    EXPECT_EQ(program->wait(std::chrono::minutes(1)), 0) << program->error_output();
    EXPECT_THAT(program->error_output(), HasSubstr("api stopped"));
}

}  // namespace
}  // namespace jobforge::test
