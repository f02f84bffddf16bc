// No tenant reaches another's documents, passports or webhooks, and no client a handler's step:
// every function of the pipeline is tried, and a function that is added without a probe fails here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "pipeline_world.h"
#include "price_world.h"

namespace jobforge::test {
namespace {

// A call with {0} = tenant B's id of what `of` names. `answer`: what anybody else gets for it.
struct Probe {
    std::string call;
    std::string of;      // a table, or "" for a call without an id
    std::string answer;  // an error code, or "no rows"
};

const std::vector<Probe> kTenantProbes = {
    {"upload_document('BOM', 'n', 'x', p_document_id => '{0}')", "documents", "NOT_FOUND"},
    {"get_document_version('{0}')", "document_versions", "NOT_FOUND"},
    {"list_document_versions()", "", "no rows"},
    {"get_document_content('{0}')", "document_versions", "NOT_FOUND"},
    {"list_facts()", "", "no rows"},
    {"list_facts('{0}')", "document_versions", "no rows"},
    {"create_snapshot('s')", "", "creates"},
    {"add_snapshot_facts('{0}')", "data_snapshots", "NOT_FOUND"},
    {"add_snapshot_facts(jobforge.create_snapshot('mine'), array['{0}']::uuid[])", "facts",
     "NOT_FOUND"},
    {"add_snapshot_facts(jobforge.create_snapshot('mine'), '{{}}', array['{0}']::uuid[])",
     "document_versions", "NOT_FOUND"},
    {"remove_snapshot_fact('{0}', 'Battery', 'battery:1')", "data_snapshots", "NOT_FOUND"},
    {"reopen_snapshot('{0}')", "data_snapshots", "NOT_FOUND"},
    {"build_snapshot('{0}')", "data_snapshots", "NOT_FOUND"},
    {"seal_snapshot('{0}')", "data_snapshots", "NOT_FOUND"},
    {"get_snapshot('{0}')", "data_snapshots", "NOT_FOUND"},
    {"list_snapshots()", "", "no rows"},
    {"snapshot_facts('{0}')", "data_snapshots", "NOT_FOUND"},
    {"upload_rules('battery', 'd', 't')", "", "creates"},
    {"request_rule_tests('{0}')", "rule_package_versions", "NOT_FOUND"},
    {"publish_rules('{0}')", "rule_package_versions", "NOT_FOUND"},
    {"deprecate_rules('{0}')", "rule_package_versions", "NOT_FOUND"},
    {"retire_rules('{0}')", "rule_package_versions", "NOT_FOUND"},
    {"get_rules('{0}')", "rule_package_versions", "NOT_FOUND"},
    {"list_rules()", "", "no rows"},
    {"rule_fields_of('{0}')", "rule_package_versions", "NOT_FOUND"},
    {"create_product('sku-of-a', 'n')", "", "creates"},
    {"list_products()", "", "no rows"},
    {"create_passport('{0}')", "battery_products", "NOT_FOUND"},
    {"list_passports('{0}')", "battery_products", "no rows"},
    {"request_compile('{0}', gen_random_uuid(), gen_random_uuid(), 'k')", "passports", "NOT_FOUND"},
    {"activate_passport_version('{0}')", "passport_versions", "NOT_FOUND"},
    {"revoke_passport_version('{0}', 'r')", "passport_versions", "NOT_FOUND"},
    {"get_passport_version('{0}')", "passport_versions", "NOT_FOUND"},
    {"list_passport_versions('{0}')", "passports", "no rows"},
    {"passport_artifacts('{0}')", "passport_versions", "NOT_FOUND"},
    {"list_signing_keys()", "", "no rows"},
    {"add_webhook_endpoint('https://a.example/', 'x')", "", "creates"},
    {"set_webhook_endpoint_status('{0}', 'DISABLED')", "webhook_endpoints", "NOT_FOUND"},
    {"subscribe_webhook('{0}', array['*'])", "webhook_endpoints", "NOT_FOUND"},
    {"list_webhook_endpoints()", "", "no rows"},
    {"list_webhook_deliveries()", "", "no rows"},
    {"redeliver_webhook('{0}')", "webhook_deliveries", "NOT_FOUND"},
    {"redeliver_failed('{0}')", "webhook_endpoints", "NOT_FOUND"},
    {"redeliver_failed()", "", "creates"},
    {"set_webhook_endpoint('{0}', '{{}}')", "webhook_endpoints", "NOT_FOUND"},
    {"list_webhook_subscriptions('{0}')", "webhook_endpoints", "no rows"},
    {"set_webhook_subscriptions('{0}', array['*'])", "webhook_endpoints", "NOT_FOUND"},
    {"unsubscribe_webhook('{0}', array['*'])", "webhook_endpoints", "NOT_FOUND"},
    {"remove_webhook_subscription('{0}')", "webhook_subscriptions", "NOT_FOUND"},
    {"remove_webhook_endpoint('{0}')", "webhook_endpoints", "NOT_FOUND"},
    {"rotate_webhook_secret('{0}', 'x')", "webhook_endpoints", "NOT_FOUND"},
    {"list_events()", "", "no rows"},
    {"audit_events()", "", "no rows"},
    {"audit_log()", "", "no rows"},
    {"audit_heads()", "", "no rows"},
    {"audit_waiting()", "", "no rows"},
    {"last_log_head()", "", "no rows"},
    {"audit_heads_page()", "", "no rows"},
    {"audit_extent()", "", "0"},
};

// Sources and prices. {0} is a source's, intake's ... id of tenant B; a governor is named by its
// key.
const std::vector<Probe> kPriceProbes = {
    {"save_source('{{\"name\": \"of-a\", \"adapter\": \"manual\"}}')", "", "creates"},
    {"set_source_rules('{0}', '{{}}')", "sources", "NOT_FOUND"},
    {"set_source_rules('source-1', '{{}}')", "", "NOT_FOUND"},
    {"set_source_enabled('{0}', false)", "sources", "NOT_FOUND"},
    {"pause_source('{0}')", "sources", "NOT_FOUND"},
    {"resume_source('{0}')", "sources", "NOT_FOUND"},
    {"list_sources()", "", "no rows"},
    {"get_source('{0}')", "sources", "NOT_FOUND"},
    {"add_intake('{{\"year\": 1909}}')", "", "creates"},
    {"get_intake('{0}')", "intakes", "NOT_FOUND"},
    {"list_intakes()", "", "no rows"},
    {"enqueue_collections('{0}')", "intakes", "NOT_FOUND"},
    {"enqueue_collections(jobforge.add_intake('{{\"year\": 1909}}'), array['{0}'])", "sources",
     "NOT_FOUND"},
    {"add_manual_prices('{0}', 'x', '[]')", "intakes", "NOT_FOUND"},
    {"list_collections('{0}')", "intakes", "no rows"},
    {"list_price_points('{0}')", "intakes", "no rows"},
    {"get_valuation('{0}')", "intakes", "NOT_FOUND"},
    {"set_connector_config('connector.http.request', '{{}}')", "", "creates"},
    {"get_connector_config('connector.http.request')", "", "{}"},
    {"list_connector_configs()", "", "no rows"},
    {"remove_connector_config('connector.report.generate')", "", "NOT_FOUND"},
    {"list_governors()", "", "no rows"},
    {"governor_configure('source', '{0}', '{{\"burst\": 9}}')", "sources", "creates"},
    {"governor_pause('source', '{0}')", "sources", "creates"},
    {"governor_resume('source', '{0}')", "sources", "creates"},
};

// Keys and policies; {0} is the key or policy of tenant B.
const std::vector<Probe> kAccessProbes = {
    {"create_api_key('aaaaaaaaaaaaaaaa', sha256('x'), 'n', array['Admin'])", "", "creates"},
    {"rotate_api_key('{0}', 'aaaaaaaaaaaaaaaa', sha256('x'))", "api_keys", "NOT_FOUND"},
    {"revoke_api_key('{0}')", "api_keys", "NOT_FOUND"},
    {"get_api_key('{0}')", "api_keys", "NOT_FOUND"},
    {"list_api_keys()", "", "no rows"},
    {"list_api_keys(p_before => '{0}')", "api_keys", "NOT_FOUND"},
    {"add_access_policy('deny', '/**')", "", "creates"},
    {"add_access_policy('deny', '/**', p_key_id => '{0}')", "api_keys", "NOT_FOUND"},
    {"remove_access_policy('{0}')", "access_policies", "NOT_FOUND"},
    {"list_access_policies()", "", "no rows"},
};

const std::vector<Probe> kHandlerProbes = {
    {"document_to_parse('{0}')", "document_versions", "NOT_FOUND"},
    {"store_facts('{0}', '{{}}', '{{}}', '{{}}', '{{}}')", "document_versions", "NOT_FOUND"},
    {"reject_document('{0}', '{{\"code\":\"X\",\"message\":\"m\"}}')", "document_versions",
     "NOT_FOUND"},
    {"mark_snapshot_ready('{0}')", "data_snapshots", "NOT_FOUND"},
    {"rules_to_test('{0}')", "rule_package_versions", "NOT_FOUND"},
    {"store_test_run(gen_random_uuid(), '{0}', 0, 500, 500, 0, null)", "rule_package_versions",
     "NOT_FOUND"},
    {"compile_inputs('{0}', gen_random_uuid(), gen_random_uuid())", "passports", "NOT_FOUND"},
    {"store_compiled(gen_random_uuid(), '{0}', gen_random_uuid(), gen_random_uuid(), 'p', 'p', "
     "sha256('r'), 'r', 'b', now(), 'k')",
     "passports", "NOT_FOUND"},
    {"passport_to_sign('{0}')", "passport_versions", "NOT_FOUND"},
    {"store_signature('{0}', 'x', 'k', 'x', 'x')", "passport_versions", "NOT_FOUND"},
    {"passport_for_qr('{0}')", "passport_versions", "NOT_FOUND"},
    {"store_qr('{0}', 'q', 'q')", "passport_versions", "NOT_FOUND"},
    {"delivery_to_send('{0}')", "webhook_deliveries", "NOT_FOUND"},
    {"delivery_is_routine('{0}', gen_random_uuid())", "webhook_deliveries", "f"},
    {"note_delivery('{0}', 'DELIVERED', 200, null, null, null)", "webhook_deliveries", "NOT_FOUND"},
    {"extend_event_log()", "", "own log"},
    {"grow_event_log()", "", "own log, empty"},
    {"store_log_head(1, sha256('r'), '{{}}', 'c', 'k')", "", "VALIDATION_ERROR"},
    {"tenants_with_open_events()", "", "ids only"},
    {"collection_inputs('{0}', gen_random_uuid())", "intakes", "NOT_FOUND"},
    {"collection_inputs(gen_random_uuid(), '{0}')", "sources", "NOT_FOUND"},
    {"save_collection_progress('{0}', gen_random_uuid(), '{{}}')", "intakes", "NOT_FOUND"},
    {"store_price_points('{0}', gen_random_uuid(), '[]')", "intakes", "NOT_FOUND"},
    {"store_valuation('{0}', '{{}}')", "intakes", "NOT_FOUND"},
    {"governor_enter('source', '{0}')", "sources", "own governor"},
    {"governor_report('source', '{0}', 1, false, 1000)", "sources", "own governor"},
    {"note_head_accepted(null, null, 0, sha256(''), 'r')", "", "creates"},
};

const std::vector<std::string> kTables = {"documents",
                                          "document_versions",
                                          "facts",
                                          "fact_sources",
                                          "data_snapshots",
                                          "snapshot_items",
                                          "battery_products",
                                          "passports",
                                          "rule_packages",
                                          "rule_fields",
                                          "rule_package_versions",
                                          "rule_tests_runs",
                                          "passport_versions",
                                          "signing_keys",
                                          "webhook_endpoints",
                                          "webhook_subscriptions",
                                          "webhook_deliveries",
                                          "events",
                                          "event_log",
                                          "log_heads",
                                          "events_to_log",
                                          "governors",
                                          "sources",
                                          "source_rules",
                                          "intakes",
                                          "price_points",
                                          "valuations",
                                          "collections",
                                          "connector_configs",
                                          "webhook_replaced_secrets",
                                          "api_keys",
                                          "access_policies",
                                          "access_versions"};

std::vector<Probe> tenant_probes() {
    std::vector<Probe> all = kTenantProbes;
    all.insert(all.end(), kPriceProbes.begin(), kPriceProbes.end());
    all.insert(all.end(), kAccessProbes.begin(), kAccessProbes.end());
    return all;
}

std::string name_of(const std::string& call) {
    return call.substr(0, call.find('('));
}

class PipelineIsolation : public testing::Test {
protected:
    void SetUp() override {
        sql.use_tenant(kTenantB);
        PipelineWorld world(sql);
        world.delivery("FAILED");
        world.version("ACTIVE");
        PriceWorld(sql).everything();
        sql.run(
            "select jobforge.set_connector_config('connector.http.request', '{\"timeout_ms\": "
            "7}'); select jobforge.rotate_webhook_secret(webhook_endpoint_id, 'x') from "
            "jobforge.list_webhook_endpoints(); select jobforge.create_api_key('bbbbbbbbbbbbbbbb', "
            "sha256('b'), 'of b', array['Admin']); select jobforge.add_access_policy('deny', "
            "'/v1/**', p_key_id => 'bbbbbbbbbbbbbbbb')");
        sql.run(
            "select jobforge.extend_event_log(3); select jobforge.store_log_head(3, "
            "sha256('r'), '{}', 'c', 'k')");
        sql.use_tenant(kTenantA);
        before = rows_of_b();
    }
    // Every row of B in the pipeline's tables.
    std::string rows_of_b() {
        std::string all;
        for (const auto& table : kTables) {
            const auto mark = sql.one(fmt::format(
                "select count(*) || ' ' || md5(string_agg(t::text, '|' order by t::text)) from "
                "jobforge.{} t where tenant_id = '{}'",
                table, kTenantB));
            EXPECT_FALSE(mark.starts_with("0") || mark == "NULL") << table << " has no row of B";
            all += mark;
        }
        return all;
    }
    std::string fill(const Probe& probe) {
        const std::string key = probe.of.empty()                ? ""
                                : probe.of == "data_snapshots"  ? "snapshot_id"
                                : probe.of == "api_keys"        ? "key_id"
                                : probe.of == "access_policies" ? "policy_id"
                                : probe.of == "webhook_deliveries"
                                    ? "webhook_delivery_id"
                                    : probe.of.substr(0, probe.of.size() - 1) + "_id";
        const auto id = probe.of.empty()
                            ? ""
                            : sql.one(fmt::format("select {} from jobforge.{} where tenant_id = "
                                                  "'{}' limit 1",
                                                  key, probe.of, kTenantB));
        EXPECT_NE(id, "(none)") << probe.of;
        return "select * from jobforge." + fmt::format(fmt::runtime(probe.call), id);
    }
    void expect_blind(Session& who, const Probe& probe, const std::string& label) {
        const auto statement = fill(probe);
        const auto code = who.error(statement);
        if (probe.answer == "no rows") {
            EXPECT_EQ(code, "ok") << label << ": " << statement << ": " << who.message();
            EXPECT_TRUE(who.rows(statement).empty()) << label << ": " << statement;
        } else if (probe.answer == "{}" || probe.answer == "f" || probe.answer == "0") {
            EXPECT_EQ(who.one(statement), probe.answer) << label << ": " << statement;
        } else if (probe.answer == "own log") {
            EXPECT_EQ(who.rows(statement).at(0)[2], "{}") << label;
        } else if (probe.answer == "own log, empty") {
            EXPECT_EQ(who.rows(statement).at(0), (TextRow{"0", "0"})) << label;
        } else if (probe.answer == "creates" || probe.answer == "ids only" ||
                   probe.answer == "own governor") {
            EXPECT_EQ(code, "ok") << label << ": " << statement << ": " << who.message();
        } else {
            EXPECT_EQ(code, probe.answer) << label << ": " << statement << ": " << who.message();
        }
    }

    EngineDatabase database;
    Session sql = database.session();
    std::string before;
};

TEST_F(PipelineIsolation, another_tenant_finds_nothing_of_b_through_any_function) {
    Session gateway = database.login_as("jobforge_gateway");
    gateway.use_tenant(kTenantA);
    Session worker = database.login_as("jobforge_worker");
    worker.use_tenant(kTenantA);
    Session tenant = database.tenant_login(kTenantA);
    tenant.use_tenant(kTenantB);  // cannot widen it
    for (const auto& probe : tenant_probes()) {
        for (auto& [who, label] :
             {std::pair{&gateway, "gateway as A"}, std::pair{&worker, "worker as A"},
              std::pair{&tenant, "login of A saying B"}}) {
            who->run("begin");  // rolled back, so that A never has a row of its own
            expect_blind(*who, probe, label);
            who->run("rollback");
        }
    }
    for (const auto& probe : kHandlerProbes) {
        expect_blind(worker, probe, "worker as A");
    }
    EXPECT_EQ(rows_of_b(), before);
}

TEST_F(PipelineIsolation, a_handlers_steps_are_for_workers_only) {
    Session gateway = database.login_as("jobforge_gateway");
    gateway.use_tenant(kTenantB);
    Session tenant = database.tenant_login(kTenantB);
    Session observer = database.login_as("jobforge_observer");
    Session owner = database.login_as("jobforge_owner");
    for (const auto& probe : kHandlerProbes) {
        const auto statement = fill(probe);
        for (Session* who : {&gateway, &tenant, &observer, &owner}) {
            EXPECT_EQ(who->error(statement), "42501") << statement << ": " << who->message();
        }
    }
    EXPECT_EQ(rows_of_b(), before);
}

TEST_F(PipelineIsolation, without_a_tenant_or_with_an_unknown_one_nothing_is_done) {
    for (const char* role : {"jobforge_gateway", "jobforge_worker"}) {
        Session who = database.login_as(role);
        for (const char* tenant : {"", "cccccccc-0000-4000-8000-000000000003"}) {
            who.use_tenant(tenant);
            const bool unknown = *tenant != '\0';
            for (const auto& probe : tenant_probes()) {
                const auto statement = fill(probe);
                const auto code = who.error(statement);
                // A tenant that does not exist reads like one without rows; it changes nothing.
                const bool reads = unknown && code == probe.answer && code != "ok";
                const bool empty =
                    unknown && code == "ok" &&
                    (probe.answer == "no rows" || probe.answer == "{}" || probe.answer == "0");
                EXPECT_TRUE(code == "FORBIDDEN" || reads || empty)
                    << role << " '" << tenant << "': " << statement << " gave " << code;
                if (probe.answer == "creates") {
                    EXPECT_EQ(code, "FORBIDDEN") << statement;
                }
            }
        }
    }
    Session worker = database.login_as("jobforge_worker");
    worker.use_tenant("");
    for (const auto& probe : kHandlerProbes) {
        const auto code = worker.error(fill(probe));
        EXPECT_EQ(code, probe.answer == "ids only" ? "ok" : "FORBIDDEN") << probe.call;
    }
    EXPECT_EQ(sql.one("select count(*) from jobforge.data_snapshots where tenant_id <> "
                      "'bbbbbbbb-0000-4000-8000-000000000002'"),
              "0");
}

TEST_F(PipelineIsolation, the_public_page_tells_gateways_of_any_tenant_and_nobody_else) {
    const auto version = sql.one(fmt::format(
        "select passport_version_id from jobforge.passport_versions where tenant_id = '{}'",
        kTenantB));
    sql.use_tenant(kTenantB);
    const auto unfinished = PipelineWorld(sql).version("COMPILING");
    sql.use_tenant(kTenantA);
    before = rows_of_b();
    const auto call = [](const std::string& id) {
        return "select status, fields from jobforge.public_passport('" + id + "')";
    };
    Session gateway = database.login_as("jobforge_gateway");
    for (const char* tenant : {kTenantA, ""}) {
        gateway.use_tenant(tenant);
        EXPECT_EQ(gateway.rows(call(version)),
                  (std::vector<std::vector<std::string>>{{"ACTIVE", "[]"}}));
        EXPECT_TRUE(gateway.rows(call(unfinished)).empty());
        EXPECT_TRUE(gateway.rows(call("0190aaaa-0000-7000-8000-000000000001")).empty());
        EXPECT_TRUE(gateway.rows("select * from jobforge.public_passport(null)").empty());
    }
    Session tenant = database.tenant_login(kTenantB);
    Session worker = database.login_as("jobforge_worker");
    Session observer = database.login_as("jobforge_observer");
    for (Session* who : {&tenant, &worker, &observer}) {
        EXPECT_EQ(who->error(call(version)), "42501");
    }
    EXPECT_EQ(rows_of_b(), before);
}

TEST_F(PipelineIsolation, every_function_a_worker_may_call_has_a_probe) {
    // The engine's own functions have theirs in isolation_test.cc, fence_test.cc and claim_test.cc,
    // reports in reports_sql_test.cc.
    std::set<std::string> probed = {
        "ask_for_wake",        "cancel_job",     "cancel_jobs",   "cancel_running_job",
        "cancel_running_jobs", "claim_jobs",     "complete_job",  "complete_jobs",
        "current_tenant",      "doctor_logins",  "doctor_types",  "doctor_workers",
        "end_unreadable_jobs", "shortest_lease", "longest_lease", "enqueue_job",
        "enqueue_jobs",        "explain_job",    "fail_job",      "fail_jobs",
        "find_lanes",          "get_job",        "get_job_type",  "heartbeat_jobs",
        "job_is_leased",       "job_stats",      "lease_state",   "list_attempts",
        "list_job_types",      "list_jobs",      "list_workers",  "metric_counters",
        "metric_oldest",       "metric_running", "read_claimed",  "reclaim_expired",
        "register_worker",     "read_payload",   "release_jobs",  "reschedule_job",
        "retry_jobs",          "schema_version", "snooze_job",    "snooze_jobs",
        "worker_heartbeat"};
    const std::set<std::string> maintenance = {
        "flush_access_denied", "fold_counters",       "prune_api_requests", "prune_finished",
        "prune_governors",     "prune_wake_requests", "prune_workers",      "run_schedules"};
    const std::set<std::string> reports = {"generate_report",     "get_artifact",
                                           "keep_job_artifact",   "report_job_analytics",
                                           "report_tenant_usage", "report_usage_summary"};
    // They take no id and answer nothing of a tenant: whether there are several, and which pepper
    // the keys of this database were made with (tests/sql/pepper_test.cc).
    const std::set<std::string> of_the_database = {"has_several_tenants", "note_pepper",
                                                   "pepper_fingerprint"};
    probed.insert(of_the_database.begin(), of_the_database.end());
    probed.insert(maintenance.begin(), maintenance.end());
    probed.insert(reports.begin(), reports.end());
    for (const auto* probes : {&kTenantProbes, &kPriceProbes, &kAccessProbes, &kHandlerProbes}) {
        for (const auto& probe : *probes) {
            probed.insert(name_of(probe.call));
        }
    }
    for (const auto& row :
         sql.rows("select proname from pg_proc p where pronamespace = 'jobforge'::regnamespace and "
                  "prosecdef and has_function_privilege('jobforge_worker', p.oid, 'execute')")) {
        EXPECT_TRUE(probed.contains(row[0])) << row[0] << " has no probe";
    }
}

}  // namespace
}  // namespace jobforge::test
