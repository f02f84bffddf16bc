// The API of the real program: started as people start it, asked with curl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <regex>

#include <fmt/format.h>

#include "child_process.h"
#include "cli/view/page_links.h"
#include "temp_dir.h"
#include "test_cluster.h"
#include "test_paths.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kMakeKey =
    "key=$(jobforge keys create me --role Operator --json | python3 -c "
    "'import json, sys; print(json.load(sys.stdin)[\"key\"])')\n";

class ApiProgram : public testing::Test {
protected:
    std::map<std::string, std::string> environment() const {
        return {{"DATABASE_URL", database.url()},
                {"JOBFORGE_DATA", home.path()},
                {"BPC_HTTP_PORT", "0"}};
    }
    // Everything: schema, tenant, worker, API. Its URL.
    std::string up(const std::vector<std::string>& options = {}) {
        std::vector<std::string> command{JOBFORGE_PROGRAM, "up"};
        command.insert(command.end(), options.begin(), options.end());
        program = std::make_unique<ChildProcess>(command, environment());
        EXPECT_TRUE(program->wait_for_output("Ctrl-C stops it"))
            << program->output() << program->error_output();
        return url_in(program->output(), "  api +(http://[0-9.:]+)/v1");
    }
    static std::string url_in(const std::string& text, const char* pattern) {
        std::smatch found;
        EXPECT_TRUE(std::regex_search(text, found, std::regex(pattern))) << text;
        return found[1];
    }
    // `jobforge api`, beside a database that is migrated. Its URL.
    std::string api(const std::map<std::string, std::string>& variables) {
        program = std::make_unique<ChildProcess>(std::vector<std::string>{JOBFORGE_PROGRAM, "api"},
                                                 variables);
        EXPECT_TRUE(program->wait_for_output("\"api started\"")) << program->error_output();
        return url_in(program->error_output(), "\"url\":\"(http://[0-9.:]+)\"");
    }
    void stop() {
        program->send_signal(SIGTERM);
        EXPECT_EQ(program->wait(), 0) << program->error_output();
    }
    Finished shell(const std::string& script, const std::string& url) {
        auto variables = environment();
        variables["url"] = url;
        return run({"/bin/bash", "-c",
                    "set -euo pipefail\njobforge() { " JOBFORGE_PROGRAM " \"$@\"; }\n" + script},
                   variables, std::chrono::minutes(4));
    }

    TestDatabase database;
    TempDir home;
    std::unique_ptr<ChildProcess> program;
};

// The ```sh blocks of a document, one after the other.
std::string shell_blocks(const std::string& path) {
    std::ifstream file(path);
    std::string script;
    bool inside = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("```")) {
            inside = line == "```sh";
        } else if (inside) {
            script += line + "\n";
        }
    }
    return script;
}

TEST_F(ApiProgram, the_guide_tells_a_jobs_life_and_a_passports_story_that_happen) {
    const std::string script = shell_blocks(JOBFORGE_SOURCE_DIR "/docs/api.md");
    ASSERT_THAT(script, HasSubstr("passport verify"));
    const std::string url = up();
    const Finished told = shell(
        "cd " + home.path() + "\nln -s " JOBFORGE_SOURCE_DIR "/examples examples\n" + script, url);
    EXPECT_EQ(told.exit_code, 0) << told.output << told.error_output << program->error_output();
    // Its last line has followed the QR code, which leads to this very API.
    EXPECT_THAT(program->output(), HasSubstr("  QR codes  " + url + "/p/PASSPORT"));
    for (const char* shown :
         {"\"hello\"", "SUCCEEDED", "{\"lost\":[]}", "\"snapshot_hash\"", "\"status\":\"ACTIVE\"",
          "{\"replayed\":true}", "PASSPORT_ACTIVATED", "<bdi>Nordlicht Traction 55</bdi></h1>",
          "<b>Valid</b>", "<dt>Receipt hash</dt>"}) {
        EXPECT_THAT(told.output, HasSubstr(shown));
    }
    stop();
}

// The key whose id the document shows is there before; all else its commands make themselves.
TEST_F(ApiProgram, the_commands_of_the_access_guide_work) {
    const std::string script = shell_blocks(JOBFORGE_SOURCE_DIR "/docs/access.md");
    ASSERT_THAT(script, HasSubstr("keys revoke ab3d5f7ha2c4e6gq"));
    ASSERT_EQ(run({JOBFORGE_PROGRAM, "migrate"}, environment()).exit_code, 0);
    ASSERT_EQ(run({JOBFORGE_PROGRAM, "tenants", "create", "acme"}, environment()).exit_code, 0);
    const auto made = database.connect().script(
        "shown_key",
        "select set_config('app.tenant_id', tenant_id::text, false) from jobforge.list_tenants(); "
        "select jobforge.create_api_key('ab3d5f7ha2c4e6gq', sha256('x'), 'shown', '{Operator}')");
    ASSERT_TRUE(made.ok()) << made.error().describe();
    const Finished told = shell(script + "jobforge keys list --json\n", "");
    EXPECT_EQ(told.exit_code, 0) << told.output << told.error_output;
    for (const char* shown : {"jf_dev_", "nightly import", "ab3d5f7ha2c4e6gq REVOKED",
                              "/v1/passport-versions/**", "/v1/jobs/*/cancel"}) {
        EXPECT_THAT(told.output, HasSubstr(shown));
    }
}

// Given an address in a network, up --lan answers there and codes name it; loopback is the default.
TEST_F(ApiProgram, up_serves_the_network_only_if_it_is_asked_to) {
    const std::string alone = up();
    EXPECT_THAT(alone, HasSubstr("//127.0.0.1:"));
    EXPECT_THAT(program->output(), HasSubstr("not from a phone: jobforge up --lan"));
    stop();
    const auto address = cli::network_address();
    if (!address) {
        const Finished refused = run({JOBFORGE_PROGRAM, "up", "--lan"}, environment());
        EXPECT_EQ(refused.exit_code, 2);
        EXPECT_THAT(refused.error_output, HasSubstr("no IPv4 address"));
        return;
    }
    const std::string url = up({"--lan", "--http-port", "0"});
    EXPECT_THAT(url, HasSubstr("//" + *address + ":"));
    EXPECT_THAT(program->output(), AllOf(HasSubstr("QR codes  " + url + "/p/PASSPORT"),
                                         HasSubstr("use a network that you trust")));
    EXPECT_THAT(shell("curl -sS -i $url/v1/health/live", url).output, HasSubstr("HTTP/1.1 200"));
    stop();
    auto prod = environment();
    prod["BPC_ENV"] = "test";
    const Finished refused = run({JOBFORGE_PROGRAM, "up", "--lan"}, prod);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.error_output, HasSubstr("--lan is for BPC_ENV=dev"));
}

TEST_F(ApiProgram, every_operation_of_the_description_does_what_its_examples_say) {
    program = std::make_unique<ChildProcess>(
        std::vector<std::string>{JOBFORGE_PROGRAM, "up", "--demo"}, environment());
    ASSERT_TRUE(program->wait_for_output("/docs", std::chrono::minutes(2)))
        << program->output() << program->error_output();
    const Finished checked = shell(
        "jobforge types set send_email max_attempts=3\n"
        "key=$(jobforge keys create examples --role Admin --json | python3 -c "
        "'import json, sys; print(json.load(sys.stdin)[\"key\"])')\n"
        "operator=$(jobforge keys create examples --platform --json | python3 -c "
        "'import json, sys; print(json.load(sys.stdin)[\"key\"])')\n"
        "python3 -B " JOBFORGE_SOURCE_DIR "/tests/openapi/examples.py " JOBFORGE_SOURCE_DIR
        "/src/api/openapi.yaml $url $key $operator",
        url_in(program->output(), "  all paths: (http://[0-9.:]+)/docs"));
    EXPECT_EQ(checked.exit_code, 0) << checked.output << checked.error_output;
    EXPECT_THAT(checked.output, HasSubstr("121 operations, 0 failures"));
    stop();
}

TEST_F(ApiProgram, jobforge_api_serves_beside_a_database_and_ends_in_good_order) {
    ASSERT_EQ(run({JOBFORGE_PROGRAM, "migrate"}, environment()).exit_code, 0);
    ASSERT_EQ(run({JOBFORGE_PROGRAM, "tenants", "create", "acme"}, environment()).exit_code, 0);
    program = std::make_unique<ChildProcess>(std::vector<std::string>{JOBFORGE_PROGRAM, "api"},
                                             environment());
    ASSERT_TRUE(program->wait_for_output("\"api started\"")) << program->error_output();
    const std::string url = url_in(program->error_output(), "\"url\":\"(http://[0-9.:]+)\"");
    const Finished asked = shell(
        "key=$(jobforge keys create me --role Operator --json | python3 -c "
        "'import json, sys; print(json.load(sys.stdin)[\"key\"])')\n"
        "curl -sS -i $url/v1/jobs\n"
        "curl -sS -i -H \"Authorization: Bearer $key\" -H 'X-Correlation-Id: mine' $url/v1/jobs\n"
        "curl -sS -i -H \"Authorization: Bearer $key\" $url/v1/audit/events\n"
        "curl -sS $url/v1/health/ready\n"
        "curl -sS $url/docs | tail -1\n"
        "curl -sS $url/v1/metrics > $JOBFORGE_DATA/metrics\n"
        "promtool check metrics < $JOBFORGE_DATA/metrics\n",
        url);
    EXPECT_EQ(asked.exit_code, 0) << asked.output << asked.error_output;
    for (const char* shown :
         {"HTTP/1.1 401", "HTTP/1.1 200", "HTTP/1.1 403", "X-Correlation-Id: mine",
          R"({"items":[],"next_cursor":null})", R"("migrations":true)", "</html>"}) {
        EXPECT_THAT(asked.output, HasSubstr(shown));
    }
    program->send_signal(SIGHUP);  // no TLS: nothing to read, and nothing ends
    ASSERT_TRUE(program->wait_for_output("the certificate was read again"));
    stop();
    EXPECT_THAT(program->error_output(), HasSubstr("api stopped"));
    EXPECT_THAT(program->error_output(), Not(HasSubstr("jf_dev_")));
}

// The worker's log keeper signs and keeps heads; the API beside it trusts the same key.
TEST_F(ApiProgram, an_audit_trail_is_verified_with_what_this_node_keeps) {
    const std::string url = up();
    Finished made = shell(
        "jobforge keys create me --role Auditor --json | python3 -c "
        "'import json, sys; print(json.load(sys.stdin)[\"key\"])'",
        url);
    ASSERT_EQ(made.exit_code, 0) << made.error_output;
    const std::string key = made.output.substr(0, made.output.find('\n'));
    std::string answer;
    EXPECT_TRUE(wait_until(
        [&] {
            answer =
                shell("curl -sS -H 'Authorization: Bearer " + key + "' $url/v1/audit/verify", url)
                    .output;
            return answer.find(R"("verdict":"whole")") != std::string::npos;
        },
        std::chrono::seconds(40)))
        << answer;
    EXPECT_THAT(answer, AllOf(HasSubstr(R"("source":"this deployment")"),
                              HasSubstr(R"("heads_kept_outside":[{"source":"this node")")));
    stop();
}

TEST_F(ApiProgram, attempts_of_a_job_that_does_not_say_are_those_of_the_environment) {
    ASSERT_EQ(run({JOBFORGE_PROGRAM, "migrate"}, environment()).exit_code, 0);
    ASSERT_EQ(run({JOBFORGE_PROGRAM, "tenants", "create", "acme"}, environment()).exit_code, 0);
    auto variables = environment();
    variables["BPC_JOBS_MAX_ATTEMPTS_DEFAULT"] = "3";
    const std::string url = api(variables);
    const Finished asked =
        shell(kMakeKey +
                  "post() { curl -sS -H \"Authorization: Bearer $key\" -H 'Content-Type: "
                  "application/json' "
                  "-d \"$1\" $url/v1/jobs; echo; }\n"
                  "post '{\"type\": \"test.echo\", \"payload\": {}}'\n"
                  "post '{\"type\": \"test.echo\", \"payload\": {}, \"max_attempts\": 7}'\n",
              url);
    EXPECT_EQ(asked.exit_code, 0) << asked.output << asked.error_output;
    auto rows = database.connect().exec(
        {"test_attempts",
         "select string_agg(max_attempts::text, ' ' order by created_at) from "
         "jobforge.all_jobs"});
    ASSERT_TRUE(rows.ok()) << rows.error().describe();
    EXPECT_EQ(rows->opt_text(0, 0), "3 7") << asked.output;
    stop();
}

// Keys are in the database, and their pepper is not: an API with another one knows none of them.
TEST_F(ApiProgram, an_api_with_another_pepper_than_that_of_the_keys_says_so) {
    ASSERT_EQ(run({JOBFORGE_PROGRAM, "migrate"}, environment()).exit_code, 0);
    ASSERT_EQ(run({JOBFORGE_PROGRAM, "tenants", "create", "acme"}, environment()).exit_code, 0);
    const std::string create =
        kMakeKey + "curl -sS -i -H \"Authorization: Bearer $key\" $url/v1/jobs\n";
    std::string url = api(environment());
    const Finished known = shell(create, url);
    EXPECT_THAT(known.output, HasSubstr("HTTP/1.1 200")) << known.error_output;
    EXPECT_THAT(program->error_output(), Not(HasSubstr("another pepper")));
    stop();
    url = api(environment());  // the same pepper, and a key is there
    EXPECT_THAT(program->error_output(), Not(HasSubstr("another pepper")));
    stop();
    auto other = environment();
    other["BPC_API_KEY_PEPPER_BASE64"] = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
    url = api(other);
    EXPECT_THAT(program->error_output(),
                AllOf(HasSubstr("they were made with another pepper"),
                      HasSubstr("Set BPC_API_KEY_PEPPER_BASE64, or JOBFORGE_DATA"),
                      Not(HasSubstr("MDEyMzQ1"))));
    EXPECT_THAT(shell(create, url).output, HasSubstr("HTTP/1.1 401"));
    stop();
}

TEST_F(ApiProgram, is_ready_without_a_broker_unless_it_is_required) {
    ASSERT_EQ(run({JOBFORGE_PROGRAM, "migrate"}, environment()).exit_code, 0);
    auto variables = environment();
    variables["BPC_QUEUE_ENABLED"] = "true";
    variables["BPC_QUEUE_URL"] = "amqp://guest:guest@127.0.0.1:1/";  // nobody listens
    for (const char* required : {"false", "true"}) {
        variables["BPC_HEALTH_REQUIRE_QUEUE"] = required;
        program = std::make_unique<ChildProcess>(std::vector<std::string>{JOBFORGE_PROGRAM, "api"},
                                                 variables);
        ASSERT_TRUE(program->wait_for_output("\"api started\"")) << program->error_output();
        const std::string url = url_in(program->error_output(), "\"url\":\"(http://[0-9.:]+)\"");
        const Finished asked = shell("curl -sS -i $url/v1/health/ready", url);
        if (std::string(required) == "true") {
            EXPECT_THAT(asked.output, HasSubstr("HTTP/1.1 503"));
            EXPECT_THAT(asked.output, HasSubstr(R"("queue":false)"));
        } else {
            EXPECT_THAT(asked.output, HasSubstr("HTTP/1.1 200"));
            EXPECT_THAT(asked.output, Not(HasSubstr("queue")));
        }
        stop();
    }
}

TEST_F(ApiProgram, a_wrong_configuration_is_told_before_anything_listens) {
    auto wrong = environment();
    wrong["BPC_ENV"] = "prod";
    const Finished refused = run({JOBFORGE_PROGRAM, "api"}, wrong);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.error_output, HasSubstr("BPC_API_KEY_PEPPER_BASE64"));
    wrong = environment();
    wrong["BPC_HTTP_PORT"] = "70000";
    EXPECT_EQ(run({JOBFORGE_PROGRAM, "api"}, wrong).exit_code, 2);
}

}  // namespace
}  // namespace jobforge::test
