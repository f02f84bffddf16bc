// The whole program, wired: worker process, broker, metrics port, logs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <regex>

#include <fmt/format.h>
#include <jobforge/client.h>

#include "child_process.h"
#include "connect/amqp/amqp_trigger.h"
#include "engine/schema/migrate.h"
#include "rabbit_server.h"
#include "temp_dir.h"
#include "test_cluster.h"
#include "test_paths.h"

namespace jobforge::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kTenant[] = "aaaaaaaa-0000-4000-8000-0000000000ab";

Status prepare(const std::string& url) {
    if (auto migrated = engine::migrate(url); !migrated) {
        return migrated.error();
    }
    auto connection = pg::Connection::connect({.url = url});
    return connection->script("fixtures", fmt::format("select jobforge.create_tenant('app', '{}');"
                                                      "create table public.notes (note text)",
                                                      kTenant));
}

class Program : public testing::Test {
protected:
    using Environment = std::map<std::string, std::string>;

    Environment environment(Environment more = {}) const {
        more.emplace("DATABASE_URL", database.url());
        more.emplace("JOBFORGE_TENANT", kTenant);
        return more;
    }
    std::string enqueue(const std::string& type, const std::string& payload, Environment more = {},
                        std::vector<std::string> flags = {}) {
        std::vector<std::string> arguments = {JOBFORGE_PROGRAM, "enqueue", type, payload};
        arguments.insert(arguments.end(), flags.begin(), flags.end());
        const Finished done = run(arguments, environment(std::move(more)));
        EXPECT_EQ(done.exit_code, 0) << done.error_output;
        output += done.output + done.error_output;
        return done.output.substr(0, 36);
    }
    std::string status(const std::string& job) {
        auto connection = database.connect();
        pg::Params params;
        params.text(job);
        auto rows = connection.exec(
            {"test_status",
             "select status || ' ' || attempts || ' ' || coalesce(last_error ->> 'code', '') "
             "from jobforge.all_jobs where job_id = $1::uuid"},
            params);
        return rows.ok() && !rows->empty() ? std::string(rows->text(0, 0)) : "(none)";
    }
    bool ends(const std::string& job, const std::string& wanted) {
        return wait_until([&] { return status(job) == wanted; }, std::chrono::seconds(40));
    }
    std::unique_ptr<ChildProcess> worker(Environment more = {},
                                         std::vector<std::string> flags = {}) {
        std::vector<std::string> arguments = {JOBFORGE_PROGRAM, "worker"};
        arguments.insert(arguments.end(), flags.begin(), flags.end());
        auto process = std::make_unique<ChildProcess>(arguments, environment(std::move(more)));
        EXPECT_TRUE(process->wait_for_output("\"metrics_url\"")) << process->error_output();
        return process;
    }
    static std::string metrics_url(const ChildProcess& process) {
        std::smatch found;
        const std::string log = process.error_output() + process.output();
        EXPECT_TRUE(std::regex_search(log, found, std::regex(R"x("metrics_url":"([^"]+)")x")))
            << log;
        return found[1];
    }
    static std::string fetch(const std::string& url) {
        return run({"/usr/bin/env", "python3", "-c",
                    "import sys, urllib.request; "
                    "sys.stdout.write(urllib.request.urlopen(sys.argv[1]).read().decode())",
                    url})
            .output;
    }

    TestDatabase database{"jobforge_app_tests", prepare};
    TempDir home;
    std::string output;  // of all commands
};

TEST_F(Program, a_workers_metrics_please_promtool_and_count_what_happened) {
    auto process = worker();
    ASSERT_TRUE(ends(enqueue("test.echo", "{}"), "SUCCEEDED 1 "));
    ASSERT_TRUE(ends(enqueue("test.fail", R"({"permanent": true})"), "FAILED 1 TEST_FAILURE"));
    std::string metrics;
    const std::string url = metrics_url(*process);
    ASSERT_TRUE(wait_until([&] {  // the database's numbers are cached for a few seconds
        metrics = fetch(url);
        return metrics.find(fmt::format(
                   "bpc_jobs_enqueued_total{{tenant_id=\"{}\",job_type=\"test.fail\"}} 1",
                   kTenant)) != std::string::npos;
    })) << metrics;
    for (const char* line :
         {"bpc_jobs_completed_total{", "bpc_job_duration_seconds_bucket{",
          "bpc_lease_renewals_total{", "bpc_jobs_acquired_total{", "bpc_db_pool_in_use",
          "bpc_lease_lost_total", "bpc_jobs_dead_letter"}) {
        EXPECT_THAT(metrics, HasSubstr(line));
    }
    const std::string file = home.path() + "/metrics";
    std::ofstream(file) << metrics;
    const Finished checked = run({"/bin/sh", "-c", "promtool check metrics < " + file});
    EXPECT_EQ(checked.exit_code, 0) << checked.output << checked.error_output;
    const std::string base = url.substr(0, url.rfind('/'));
    EXPECT_THAT(fetch(base + "/health/live"), HasSubstr("ok"));
    EXPECT_THAT(fetch(base + "/health/ready"), HasSubstr("ok"));
    process->send_signal(SIGTERM);
    EXPECT_EQ(process->wait(), 0);
}

TEST_F(Program, a_worker_is_ready_without_a_broker_unless_it_is_required) {
    Environment variables{{"BPC_QUEUE_ENABLED", "true"},
                          {"BPC_QUEUE_URL", "amqp://guest:guest@127.0.0.1:1/"}};  // nobody listens
    for (const bool required : {false, true}) {
        variables["BPC_HEALTH_REQUIRE_QUEUE"] = required ? "true" : "false";
        auto process = worker(variables);
        const std::string url = metrics_url(*process);
        const std::string base = url.substr(0, url.rfind('/'));
        std::string ready;
        EXPECT_TRUE(wait_until([&] {  // it connects after it has started
            ready = run({"/bin/sh", "-c", "curl -sS -i " + base + "/health/ready"}).output;
            return ready.find(R"("database":true)") != std::string::npos;
        })) << ready;
        EXPECT_THAT(ready, HasSubstr(required ? "HTTP/1.1 503" : "HTTP/1.1 200"));
        EXPECT_EQ(ready.find(R"("queue":false)") != std::string::npos, required) << ready;
        EXPECT_EQ(ready.find("queue") != std::string::npos, required) << ready;
        EXPECT_THAT(fetch(base + "/health/live"), HasSubstr("ok"));
        process->send_signal(SIGTERM);
        EXPECT_EQ(process->wait(), 0);
    }
}

TEST_F(Program, test_crash_kills_worker_after_worker_and_ends_in_the_dead_letter) {
    const std::string poison = enqueue("test.crash", "{}", {}, {"--max-attempts", "2"});
    int crashes = 0;
    while (status(poison) != "DEAD_LETTER 2 LEASE_EXPIRED") {
        ASSERT_LT(crashes, 5);
        auto process = worker({}, {"--lease", "2"});
        if (const auto code = process->wait(std::chrono::seconds(10)); code.has_value()) {
            EXPECT_GE(*code, 128);  // by a signal
            ++crashes;
        }
    }
    EXPECT_EQ(crashes, 2);
}

TEST_F(Program, a_worker_ends_within_its_grace_although_a_handler_never_returns) {
    const std::string job = enqueue("test.sleep", R"({"seconds": 86400, "deaf": true})");
    auto process = worker({}, {"--drain", "3"});
    ASSERT_TRUE(ends(job, "RUNNING 1 "));
    process->send_signal(SIGTERM);
    const auto code = process->wait(std::chrono::seconds(10));
    ASSERT_TRUE(code.has_value()) << "it waits for the handler: " << process->error_output();
    EXPECT_EQ(*code, 5);
    EXPECT_THAT(process->error_output(), HasSubstr("handlers ignore the request to stop"));
    EXPECT_EQ(status(job), "QUEUED 0 ") << "given back, and the attempt is not counted";
}

// libpq looks names up without a limit of time.
TEST_F(Program, a_worker_ends_although_the_name_server_hangs) {
    const std::string sign = home.path() + "/hang";
    // Its first host is a name at which nobody listens; the second one is the server's socket.
    std::string url = database.url();
    const std::size_t host = url.find("host='");
    ASSERT_NE(host, std::string::npos) << url;
    url.insert(host + 6, "localhost,");
    const std::size_t port = url.find("port='");
    ASSERT_NE(port, std::string::npos) << url;
    url.insert(port + 6, "1,");
    auto process = worker({{"DATABASE_URL", url},
                           {"LD_PRELOAD", JOBFORGE_HANGING_NAMES},
                           {"JOBFORGE_TEST_NAMES_HANG", sign},
                           {"ASAN_OPTIONS", "verify_asan_link_order=0"}},
                          {"--drain", "1"});
    ASSERT_TRUE(ends(enqueue("test.echo", "{}"), "SUCCEEDED 1 "));
    std::ofstream(sign).close();
    auto admin = database.connect();
    ASSERT_TRUE(admin
                    .script("cut",
                            "select pg_terminate_backend(pid) from pg_stat_activity where "
                            "datname = current_database() and application_name like "
                            "'jobforge worker %'")
                    .ok());
    const std::string away = enqueue("test.echo", "{}");
    process->send_signal(SIGTERM);
    const auto code = process->wait(std::chrono::seconds(15));
    ASSERT_TRUE(code.has_value()) << "it waits for the name server: " << process->error_output();
    EXPECT_EQ(*code, 5);
    EXPECT_EQ(status(away), "QUEUED 0 ");
}

// `timeout` sends its signal to the program and to the program's group; a supervisor and a terminal
// may both ask.
TEST_F(Program, signals_that_come_together_are_one_request_to_drain) {
    const std::string job = enqueue("test.sleep", R"({"seconds": 3, "deaf": true})");
    auto process = worker();
    ASSERT_TRUE(ends(job, "RUNNING 1 "));
    process->send_signal(SIGTERM);
    process->send_signal(SIGINT);
    process->send_signal(SIGTERM);
    EXPECT_EQ(process->wait(), 0) << process->error_output();
    EXPECT_EQ(status(job), "SUCCEEDED 1 ") << "the drain waited for its handler";
}

TEST_F(Program, a_second_request_that_comes_later_ends_a_worker_at_once) {
    const std::string job = enqueue("test.sleep", R"({"seconds": 86400, "deaf": true})");
    auto process = worker({}, {"--drain", "600"});
    ASSERT_TRUE(ends(job, "RUNNING 1 "));
    ASSERT_TRUE(wait_until([&] {
        process->send_signal(SIGTERM);
        return !process->running();
    }));
    EXPECT_EQ(process->wait(), 1);
    EXPECT_THAT(process->error_output(), HasSubstr("second signal: ending at once"));
}

TEST_F(Program,
       an_enqueue_is_published_to_the_broker_after_its_commit_and_a_dead_broker_costs_one_warning) {
    RabbitServer broker;
    std::atomic<int> heard = 0;
    connect::AmqpTriggerOptions options;
    options.url = broker.url();
    options.on_wake = [&] { ++heard; };
    auto listener = connect::AmqpTrigger::start(options);
    ASSERT_TRUE(listener.ok());
    ASSERT_TRUE(wait_until([&] { return (*listener)->ready(); }));
    const int before = heard;
    const Environment queue = {{"BPC_QUEUE_ENABLED", "true"}, {"BPC_QUEUE_URL", broker.url()}};
    auto process = worker(queue, {"--no-listen"});
    const std::string job = enqueue("test.echo", "{}", queue);
    EXPECT_TRUE(wait_until([&] { return heard > before; }));
    ASSERT_TRUE(ends(job, "SUCCEEDED 1 "));
    broker.stop();
    ASSERT_TRUE(ends(enqueue("test.echo", "{}"), "SUCCEEDED 1 "));  // polling goes on
    ASSERT_TRUE(wait_until(
        [&] { return process->error_output().find("\"level\":\"warn\"") != std::string::npos; }));
    process->send_signal(SIGTERM);
    EXPECT_EQ(process->wait(), 0);
    const std::string log = process->error_output();
    std::size_t warnings = 0;
    for (std::size_t at = log.find("\"level\":\"warn\""); at != std::string::npos;
         at = log.find("\"level\":\"warn\"", at + 1)) {
        ++warnings;
    }
    EXPECT_EQ(warnings, 1U) << log;
}

TEST_F(Program, planted_secrets_appear_in_no_log_answer_or_metric) {
    constexpr char kDatabaseSecret[] = "planted-database-secret";
    constexpr char kBrokerSecret[] = "planted-broker-secret";
    const Environment secrets = {
        {"DATABASE_URL", database.url() + " password=" + kDatabaseSecret},
        {"BPC_QUEUE_ENABLED", "true"},
        {"BPC_QUEUE_URL", fmt::format("amqp://guest:{}@127.0.0.1:1/", kBrokerSecret)},
        {"BPC_LOG_LEVEL", "debug"}};
    auto process = worker(secrets);
    ASSERT_TRUE(
        ends(enqueue("test.fail", R"({"permanent": true})", secrets), "FAILED 1 TEST_FAILURE"));
    ASSERT_TRUE(ends(enqueue("test.echo", "{}", secrets), "SUCCEEDED 1 "));
    output += fetch(metrics_url(*process));
    for (const char* command : {"doctor", "stats", "workers"}) {
        const Finished done = run({JOBFORGE_PROGRAM, command}, environment(secrets));
        output += done.output + done.error_output;
    }
    process->send_signal(SIGTERM);
    EXPECT_EQ(process->wait(), 0);
    output += process->output() + process->error_output();
    EXPECT_THAT(output, HasSubstr("test.fail"));  // there is something to search in
    EXPECT_THAT(output, Not(HasSubstr(kDatabaseSecret)));
    EXPECT_THAT(output, Not(HasSubstr(kBrokerSecret)));
}

}  // namespace
}  // namespace jobforge::test
