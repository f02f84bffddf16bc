// The passport pipeline as an operator drives it: only the program, a database and a worker.
#include "pipeline_world.h"
#include "tcp_server.h"

namespace jobforge::cli {
namespace {

using test::Finished;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class PipelineCommands : public PipelineWorld {};

TEST_F(PipelineCommands, the_whole_story_of_the_battery_passport_from_upload_to_replay) {
    start_worker();
    const std::string document =
        id({"docs", "upload", example("documents/ev.json"), "--kind", "BATTERY_DATA", "--wait"});
    EXPECT_EQ(text(answer({"docs", "show", document}), "status"), "VALIDATED");
    EXPECT_EQ(go({"docs", "content", document}).output, read(example("documents/ev.json")));
    const std::string snapshot = id({"snapshots", "create"});
    EXPECT_EQ(done({"snapshots", "add", snapshot, "--document", document}), "1 fact added");
    id({"snapshots", "build", snapshot, "--wait"});
    const std::string hash = done({"snapshots", "seal", snapshot});
    EXPECT_EQ(text(answer({"snapshots", "show", snapshot}), "snapshot_hash"), hash);

    const std::string rules = id({"rules", "upload", example("battery-eu.rules"), "--package",
                                  "battery-eu", "--tests", example("battery-eu.tests")});
    id({"rules", "test", rules, "--wait", "--timeout", "110"});
    EXPECT_EQ(done({"rules", "publish", rules}), rules + " PUBLISHED");

    id({"products", "create", "--sku", "09524000001016", "--name", "Nordlicht Traction 55"});
    const std::string passport = id({"passports", "create", "--product", "09524000001016"});
    const std::string version =
        id({"passports", "compile", passport, "--snapshot", snapshot, "--rules", rules,
            "--issued-at", "2027-02-18T09:30:00Z", "--wait"});
    const Json signed_version = answer({"passports", "show", version});
    EXPECT_EQ(text(signed_version, "status"), "SIGNED");
    EXPECT_EQ(text(signed_version, "signing_key_id"), "dev-key-1");
    EXPECT_THAT(text(signed_version, "qr_payload"), StartsWith("BPC1|"));

    EXPECT_EQ(done({"passports", "activate", version}), version + " ACTIVE");
    EXPECT_THAT(done({"passports", "replay", version}), StartsWith("OK"));
    done({"passports", "qr", version, "--out", path("qr.png")});
    EXPECT_THAT(read(path("qr.png")), StartsWith("\x89PNG"));
}

TEST_F(PipelineCommands, an_exported_bundle_verifies_without_the_database) {
    start_worker();
    const std::string version = compiled(prepare());
    done({"passports", "export-bundle", version, "--out", path("bundle.json")});
    const auto keys = rows({"passports", "keys"});
    ASSERT_EQ(keys.size(), 1U);
    const std::string key = text(keys.front(), "public_key");
    const Finished verified =
        run_program({"passport", "verify", path("bundle.json"), "--key", key}, {});
    EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.error_output;
}

TEST_F(PipelineCommands, retired_rules_replay_what_they_made_and_make_nothing_new) {
    start_worker();
    const Ready ready = prepare();
    const std::string version = compiled(ready);
    EXPECT_EQ(done({"rules", "deprecate", ready.rules}), ready.rules + " DEPRECATED");
    EXPECT_EQ(done({"rules", "retire", ready.rules}), ready.rules + " RETIRED");
    EXPECT_THAT(done({"passports", "replay", version}), StartsWith("OK"));
    refused({"passports", "compile", ready.passport, "--snapshot", ready.snapshot, "--rules",
             ready.rules},
            "RULE_PKG_NOT_PUBLISHED");
    EXPECT_EQ(go({"rules", "show", ready.rules, "--source"}).output, kRules);
}

TEST_F(PipelineCommands, replay_names_the_difference_when_a_stored_byte_was_changed) {
    start_worker();
    const std::string version = compiled(prepare());
    auto connection = database_.connect();
    ASSERT_TRUE(connection
                    .script("test_tamper",
                            "set session_replication_role = replica;"
                            "update jobforge.passport_versions set payload_canonical = "
                            "convert_to(replace(convert_from(payload_canonical, 'UTF8'), 'SKU-1', "
                            "'SKU-2'), 'UTF8'), payload_hash = sha256(convert_to(replace("
                            "convert_from(payload_canonical, 'UTF8'), 'SKU-1', 'SKU-2'), 'UTF8'))")
                    .ok());
    refused({"passports", "replay", version}, "REPLAY_MISMATCH", "payload");
}

TEST_F(PipelineCommands, activating_a_second_version_supersedes_the_first_and_revoking_is_final) {
    start_worker();
    const Ready ready = prepare();
    const std::string first = compiled(ready);
    const std::string second = compiled(ready);
    EXPECT_EQ(done({"passports", "activate", first}), first + " ACTIVE");
    EXPECT_EQ(done({"passports", "activate", second}), second + " ACTIVE, supersedes " + first);
    EXPECT_EQ(text(answer({"passports", "show", first}), "status"), "SUPERSEDED");
    EXPECT_EQ(done({"passports", "revoke", second, "--reason", "recall"}), second + " REVOKED");
    refused({"passports", "revoke", second, "--reason", "another"}, "INVALID_PASSPORT_STATUS");
    refused({"passports", "activate", second}, "INVALID_PASSPORT_STATUS");
    EXPECT_EQ(rows({"passports", "versions", ready.passport}).size(), 2U);
    EXPECT_THAT(done({"passports", "list"}), HasSubstr(ready.passport));
}

TEST_F(PipelineCommands, a_version_that_fails_its_own_checks_needs_a_reason_for_each) {
    start_worker();
    const std::string version = compiled(prepare(
        "field checks.two: Bool = emitCompliance(\"MASS\", \"FAIL\", \"the mass is given\")\n"
        "  || emitCompliance(\"CODE=1\", \"FAIL\", \"a code is given\")\n"
        "  || emitCompliance(\"ODD\", \"WARN\", \"odd\");\n"));
    refused({"passports", "activate", version}, "COMPLIANCE_FAILED",
            "MASS (FAIL: the mass is given); CODE=1 (FAIL: a code is given)");
    refused({"passports", "activate", version, "--accept", "MASS=weighed later"},
            "COMPLIANCE_FAILED", "CODE=1");
    misused({"passports", "activate", version, "--accept", "MASS"}, "ID=REASON");
    EXPECT_THAT(done({"passports", "show", version}),
                AllOf(HasSubstr("findings                 2 FAIL, 1 WARN"),
                      HasSubstr("WARN    ODD     -         odd")));
    // An id that has an equals sign itself is for the API.
    refused({"passports", "activate", version, "--accept", "MASS=later", "--accept", "CODE=1=soon"},
            "VALIDATION_ERROR", "no failing entry 'CODE'");
}

TEST_F(PipelineCommands, accepted_findings_are_shown_with_who_and_why) {
    start_worker();
    const std::string version = compiled(prepare(
        "field checks.one: Bool = emitCompliance(\"MASS\", \"FAIL\", \"the mass is given\");\n"));
    EXPECT_EQ(done({"passports", "activate", version, "--accept", "MASS=weighed later"}),
              version + " ACTIVE");
    EXPECT_THAT(done({"passports", "show", version}),
                HasSubstr("FAIL    MASS  weighed later by cli  the mass is given"));
    const Json findings = *answer({"passports", "show", version}).find("findings");
    EXPECT_EQ(findings.find("counts")->find("FAIL")->as_int64(), 1);
    EXPECT_THAT(done({"audit", "list", "--type", "PASSPORT_FINDING_ACCEPTED"}), HasSubstr(version));
}

TEST_F(PipelineCommands, a_document_that_cannot_be_read_is_rejected_with_reason_and_place) {
    start_worker();
    const std::string bad = write("bad.json", R"({"components":[{"name":"no sku"}]})");
    const Finished finished = go({"docs", "upload", bad, "--kind", "BOM", "--wait"});
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_THAT(finished.error_output,
                AllOf(HasSubstr("jobforge: DOCUMENT_REJECTED: "), HasSubstr("needs a \"sku\"")));
    const Json row = answer({"docs", "show", trimmed(finished.output)});
    EXPECT_EQ(text(row, "status"), "REJECTED");
    EXPECT_THAT(text(row, "rejection"), HasSubstr("/components/0"));
    EXPECT_EQ(rows({"docs", "list", "--status", "REJECTED"}).size(), 1U);
}

TEST_F(PipelineCommands, the_same_bytes_again_are_the_same_version_and_a_change_is_the_next) {
    const std::string file = write("bom.json", R"({"components":[]})");
    const Json first = answer({"docs", "upload", file, "--kind", "BOM"});
    const std::string document = text(first, "document_id");
    const Json again = answer({"docs", "upload", file, "--kind", "BOM", "--document", document});
    EXPECT_EQ(text(again, "deduplicated"), "true");
    EXPECT_EQ(text(again, "document_version_id"), text(first, "document_version_id"));
    write("bom.json", R"({"components":[{"sku":"A"}]})");
    const Json next = answer({"docs", "upload", file, "--kind", "BOM", "--document", document});
    EXPECT_EQ(text(next, "version"), "2");
    EXPECT_EQ(text(answer({"docs", "show", text(next, "document_version_id")}), "media_type"),
              "application/json");
}

TEST_F(PipelineCommands, a_failed_test_run_is_exit_code_1_and_names_the_test) {
    start_worker();
    std::string tests = kTests;
    tests.replace(tests.find("70000.000000"), 12, "70001.000000");
    const std::string rules = id({"rules", "upload", write("p.rules", kRules), "--package", "bad",
                                  "--tests", write("p.tests", tests)});
    const Finished finished = go({"rules", "test", rules, "--wait"});
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_THAT(finished.error_output,
                AllOf(HasSubstr("jobforge: RULE_TESTS_FAILED: "), HasSubstr("small_pack")));
    refused({"rules", "publish", rules}, "RULE_TESTS_FAILED");
}

TEST_F(PipelineCommands, a_job_that_fails_behind_a_compile_is_its_error) {
    start_worker();
    const Ready ready = prepare();
    const Finished finished =
        go({"passports", "compile", ready.passport, "--snapshot", ready.snapshot, "--rules",
            ready.rules, "--key-id", "nobodys-key", "--wait"});
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_THAT(finished.error_output,
                AllOf(HasSubstr("jobforge: SIGNING_KEY_MISSING: "), HasSubstr("nobodys-key")));
}

TEST_F(PipelineCommands, waiting_without_a_worker_ends_in_time_and_says_why) {
    const Finished finished = go({"docs", "upload", write("bom.json", R"({"components":[]})"),
                                  "--kind", "BOM", "--wait", "--timeout", "1"});
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_THAT(finished.error_output, AllOf(HasSubstr("TIMEOUT"), HasSubstr("worker")));
}

TEST_F(PipelineCommands, rules_with_errors_are_not_stored_and_every_error_is_told) {
    const std::string file = write("bad.rules", "field a.b: Text = 1;\nfield c.d: Int = \"x\";\n");
    const Finished finished = go({"rules", "upload", file, "--package", "bad"});
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_THAT(finished.error_output, AllOf(HasSubstr("bad.rules:1:"), HasSubstr("bad.rules:2:")));
    EXPECT_EQ(one("select count(*) from jobforge.rule_package_versions"), "0");
}

TEST_F(PipelineCommands, what_is_in_the_wrong_state_is_refused_with_exit_code_1) {
    const std::string snapshot = id({"snapshots", "create"});
    refused({"snapshots", "seal", snapshot}, "SNAPSHOT_NOT_READY");
    refused({"snapshots", "remove", snapshot, "Battery", "battery:A"}, "NOT_FOUND");
    const std::string rules = id({"rules", "upload", write("p.rules", kRules), "--package", "p",
                                  "--tests", write("p.tests", kTests)});
    refused({"rules", "publish", rules}, "RULE_TESTS_FAILED");
    refused({"rules", "deprecate", rules}, "INVALID_TRANSITION");
    id({"products", "create", "--sku", "S", "--name", "N"});
    refused({"products", "create", "--sku", "S", "--name", "other"}, "VALIDATION_ERROR");
    const std::string passport = id({"passports", "create", "--product", "S"});
    refused({"passports", "compile", passport, "--snapshot", snapshot, "--rules", rules},
            "SNAPSHOT_NOT_SEALED");
}

TEST_F(PipelineCommands, unknown_things_and_ids_that_are_none_are_told_apart) {
    const std::string nobody = "01890a5d-ac96-774b-bcce-b302099a8057";
    const std::vector<std::vector<std::string>> commands{
        {"docs", "show"},        {"docs", "content"},       {"snapshots", "show"},
        {"snapshots", "seal"},   {"snapshots", "build"},    {"rules", "show"},
        {"rules", "publish"},    {"passports", "show"},     {"passports", "activate"},
        {"passports", "replay"}, {"webhooks", "redeliver"}, {"webhooks", "disable"}};
    for (std::vector<std::string> command : commands) {
        command.push_back(nobody);
        refused(command, "NOT_FOUND");
        command.back() = "not-an-id";
        misused(command, "An id looks like");
    }
    refused({"passports", "create", "--product", "no-such-sku"}, "NOT_FOUND", "products create");
    refused({"docs", "upload", path("missing.json"), "--kind", "BOM"}, "VALIDATION_ERROR");
    refused({"docs", "upload", write("x.json", "{}"), "--kind", "NONSENSE"}, "VALIDATION_ERROR");
    EXPECT_EQ(go({"docs", "upload", path("x.json")}).exit_code, 2);
    EXPECT_EQ(go({"snapshots", "add", nobody}).exit_code, 2);
}

TEST_F(PipelineCommands, a_webhook_is_delivered_and_a_failed_one_is_sent_again) {
    const auto receiver = test::TcpServer::answering("HTTP/1.1 204 No Content\r\n\r\n");
    const Json endpoint = answer({"webhooks", "add", receiver->url("/hook")});
    EXPECT_THAT(text(endpoint, "secret"), StartsWith("whsec_"));
    const std::string good = text(endpoint, "webhook_endpoint_id");
    // A private address that is not allowed: refused for good at the first attempt.
    const std::string blocked =
        text(answer({"webhooks", "add", "http://10.0.0.1/"}), "webhook_endpoint_id");
    EXPECT_THAT(done({"webhooks", "list"}), Not(HasSubstr("whsec_")));
    refused({"webhooks", "subscribe", good, "NO_SUCH_EVENT"}, "VALIDATION_ERROR", "FACTS_PARSED");
    done({"webhooks", "subscribe", good, "FACTS_PARSED"});
    done({"webhooks", "subscribe", blocked, "FACTS_PARSED"});
    start_worker();
    id({"docs", "upload", write("bom.json", R"({"components":[]})"), "--kind", "BOM", "--wait"});
    const auto deliveries = [this](const std::string& status) {
        return rows({"webhooks", "deliveries", "--status", status});
    };
    ASSERT_TRUE(test::wait_until([&] { return deliveries("DELIVERED").size() == 1; }));
    ASSERT_TRUE(test::wait_until([&] { return deliveries("FAILED").size() == 1; }));
    EXPECT_EQ(text(deliveries("DELIVERED").front(), "http_status"), "204");
    EXPECT_THAT(receiver->requests().at(0), HasSubstr("webhook-signature: v1,"));
    const std::string failed = text(deliveries("FAILED").front(), "webhook_delivery_id");
    id({"webhooks", "redeliver", failed});
    refused({"webhooks", "redeliver", text(deliveries("DELIVERED").front(), "webhook_delivery_id")},
            "INVALID_TRANSITION");
    ASSERT_TRUE(test::wait_until([&] { return deliveries("FAILED").size() == 1; }));
    EXPECT_EQ(done({"webhooks", "redeliver", "--failed-since", "1h", "--endpoint", good}),
              "0 deliveries are sent again");
    EXPECT_EQ(text(answer({"webhooks", "redeliver", "--failed-since", "1h"}), "redelivered"), "1");
    misused({"webhooks", "redeliver"}, "--failed-since 1d");
    misused({"webhooks", "redeliver", failed, "--failed-since", "1h"});
    misused({"webhooks", "redeliver", "--failed-since", "lately"}, "--failed-since");
    EXPECT_EQ(done({"webhooks", "disable", good}), good + " DISABLED");
    refused({"webhooks", "redeliver", "--failed-since", "1h", "--endpoint", good},
            "INVALID_TRANSITION", "webhooks enable");
    EXPECT_EQ(done({"webhooks", "enable", good}), good + " ACTIVE");
    EXPECT_EQ(done({"webhooks", "redeliver", "--failed-since", "2h", "--failed-until", "1h"}),
              "0 deliveries are sent again");
    EXPECT_EQ(done({"webhooks", "unsubscribe", good, "document.version.validated", "*"}),
              "1 subscription ended");
    refused({"webhooks", "unsubscribe", good, "NO_SUCH_EVENT"}, "VALIDATION_ERROR");
    refused({"webhooks", "remove", good}, "INVALID_TRANSITION", "Disable it");
    const std::string unused =
        text(answer({"webhooks", "add", "https://hooks.example/"}), "webhook_endpoint_id");
    EXPECT_EQ(done({"webhooks", "remove", unused}), unused + " is removed");
    refused({"webhooks", "remove", unused}, "NOT_FOUND");
}

TEST_F(PipelineCommands, a_secret_is_replaced_and_the_old_one_signs_for_as_long_as_asked) {
    const Json endpoint = answer({"webhooks", "add", "https://hooks.example/"});
    const std::string of = text(endpoint, "webhook_endpoint_id");
    const Json rotated = answer({"webhooks", "rotate", of, "--overlap", "2h"});
    EXPECT_THAT(text(rotated, "secret"), StartsWith("whsec_"));
    EXPECT_NE(text(rotated, "secret"), text(endpoint, "secret"));
    EXPECT_THAT(text(rotated, "old_signs_until"), ::testing::EndsWith("Z"));
    EXPECT_EQ(text(rows({"webhooks", "list"}).front(), "valid_secrets"), "2");
    EXPECT_EQ(text(answer({"webhooks", "rotate", of, "--overlap", "0s"}), "old_signs_until"),
              "null");
    EXPECT_EQ(text(rows({"webhooks", "list"}).front(), "valid_secrets"), "1");
    misused({"webhooks", "rotate", of, "--overlap", "soon"}, "--overlap");
    refused({"webhooks", "rotate", of, "--overlap", "90d"}, "VALIDATION_ERROR", "30 days");
    refused({"webhooks", "rotate", "01890a5d-ac96-774b-bcce-b302099a8057"}, "NOT_FOUND");
}

TEST_F(PipelineCommands, a_worker_sends_requests_with_secrets_of_its_environment_and_directory) {
    const auto server = test::TcpServer::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    std::filesystem::create_directory(path("secrets"));
    write("secrets/OF_FILE", "secret-of-a-file\n");
    more_environment_ = {{"JOBFORGE_SECRET_OF_ENVIRONMENT", "secret-of-the-environment"},
                         {"JOBFORGE_SECRETS_DIR", path("secrets")}};
    start_worker();
    for (const std::string name : {"OF_FILE", "OF_ENVIRONMENT"}) {
        const std::string payload =
            Json::object({{"url", server->url()},
                          {"auth", Json::object({{"type", "bearer"}, {"secret_ref", name}})}})
                .dump();
        const std::string job = id({"enqueue", "connector.http.request", payload});
        ASSERT_TRUE(test::wait_until(
            [&] { return text(answer({"jobs", "show", job}), "status") == "SUCCEEDED"; }));
    }
    EXPECT_THAT(server->requests().at(0), HasSubstr("Bearer secret-of-a-file\r\n"));
    EXPECT_THAT(server->requests().at(1), HasSubstr("Bearer secret-of-the-environment\r\n"));
    refused({"enqueue", "connector.http.request", R"({"url":"ftp://a"})"}, "JOB_PAYLOAD_INVALID",
            "/url must be an http or https URL");
    EXPECT_THAT(worker_->error_output(), Not(HasSubstr("secret-of")));
}

}  // namespace
}  // namespace jobforge::cli
