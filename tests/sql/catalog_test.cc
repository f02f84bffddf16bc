// What the catalog must say, whatever the functions do: forced row security, pinned definer
// functions, no way around.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sql_session.h"

namespace jobforge::test {
namespace {

using testing::IsEmpty;

constexpr char kGlobalTables[] =
    "('job_types', 'workers', 'migrations', 'function_sources', 'wake_requests', "
    "'tenant_defaults', 'platform_keys', 'platform_reads', 'key_pepper')";

class Catalog : public testing::Test {
protected:
    std::string list(const std::string& query) {
        return sql.one("select coalesce(string_agg(x, ', ' order by x), '') from (" + query +
                       ") q(x)");
    }
    EngineDatabase database;
    Session sql = database.session();
};

TEST_F(Catalog, every_tenant_table_has_row_security_enabled_and_forced) {
    EXPECT_EQ(
        list(fmt::format("select relname from pg_class where relnamespace = "
                         "'jobforge'::regnamespace and relkind in ('r', 'p') "
                         "and relname not in {} and not (relrowsecurity and relforcerowsecurity)",
                         kGlobalTables)),
        "");
    EXPECT_EQ(
        list(fmt::format(
            "select relname from pg_class where relnamespace = 'jobforge'::regnamespace and "
            "relkind = 'r' "
            "and relname in {} and relname in (select table_name from information_schema.columns "
            "where table_schema = 'jobforge' and column_name = 'tenant_id')",
            kGlobalTables)),
        "");
}

TEST_F(Catalog, every_policy_is_one_of_the_two_we_know) {
    EXPECT_EQ(
        list("select distinct policyname || ' ' || permissive || ' ' || cmd || ' to ' || "
             "array_to_string(roles, '+') || "
             "' using ' || qual || ' check ' || with_check from pg_policies where schemaname = "
             "'jobforge'"),
        "engine_all PERMISSIVE ALL to jobforge_engine using true check true, "
        "tenant_own PERMISSIVE ALL to jobforge_definer+jobforge_gateway+jobforge_tenant using "
        "(tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)) check "
        "(tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))");
    EXPECT_EQ(list("select relname from pg_class c where relnamespace = 'jobforge'::regnamespace "
                   "and relrowsecurity and "
                   "(select count(*) from pg_policy p where p.polrelid = c.oid) <> 2"),
              "");
}

TEST_F(Catalog, tenant_id_leads_every_key_of_a_tenant_table) {
    // tenant_logins: a login has one tenant, and role names are public to the server anyway.
    // api_keys: a request names a key before its tenant is known; ids are 80 random bits.
    EXPECT_EQ(list(fmt::format("select i.indexrelid::regclass::text from pg_index i join pg_class "
                               "c on c.oid = i.indrelid "
                               "where c.relnamespace = 'jobforge'::regnamespace and i.indisunique "
                               "and c.relname not in {} and "
                               "(select attname from pg_attribute a where a.attrelid = c.oid and "
                               "a.attnum = i.indkey[0]) <> 'tenant_id'",
                               kGlobalTables)),
              "jobforge.api_keys_id_has_one_tenant, jobforge.tenant_logins_login_has_one_tenant");
}

TEST_F(Catalog, constraints_have_names_that_say_something) {
    EXPECT_EQ(list("select conname from pg_constraint where connamespace = "
                   "'jobforge'::regnamespace and conname ~ '_check[0-9]*$'"),
              "");
}

TEST_F(Catalog, nobody_bypasses_row_security_and_no_application_role_owns_or_logs_in) {
    EXPECT_EQ(list("select rolname from pg_roles where rolname like 'jobforge\\_%' and "
                   "(rolbypassrls or rolsuper or rolcanlogin "
                   "or rolcreaterole or rolcreatedb)"),
              "");
    EXPECT_EQ(list("select distinct pg_get_userbyid(relowner) from pg_class where relnamespace = "
                   "'jobforge'::regnamespace and relkind in ('r', 'S', 'v')"),
              "jobforge_owner");
    EXPECT_EQ(list("select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'jobforge'"),
              "jobforge_owner");
    // No application role may become a definer or the owner.
    EXPECT_EQ(list("select r.rolname || ' in ' || m.rolname from pg_auth_members a join pg_roles r "
                   "on r.oid = a.member "
                   "join pg_roles m on m.oid = a.roleid where m.rolname in ('jobforge_engine', "
                   "'jobforge_definer') "
                   "and r.rolname like 'jobforge\\_%'"),
              "");
}

TEST_F(Catalog, definer_functions_are_pinned_closed_to_the_public_and_owned_by_a_definer_role) {
    EXPECT_EQ(list("select proname from pg_proc where pronamespace = 'jobforge'::regnamespace and "
                   "prosecdef and not exists "
                   "(select from unnest(proconfig) c where c = 'search_path=pg_catalog, pg_temp')"),
              "");
    // schema_version reads a global table; the owner's rights are bound by forced row security
    // anyway.
    EXPECT_EQ(list("select proname || ' as ' || pg_get_userbyid(proowner) from pg_proc where "
                   "pronamespace = 'jobforge'::regnamespace "
                   "and prosecdef and pg_get_userbyid(proowner) not in ('jobforge_definer', "
                   "'jobforge_engine')"),
              "schema_version as jobforge_owner");
    EXPECT_EQ(
        list("select proname from pg_proc p where pronamespace = 'jobforge'::regnamespace and "
             "has_function_privilege('public', p.oid, 'execute')"),
        "");
}

TEST_F(Catalog, views_run_with_the_rights_of_their_reader) {
    EXPECT_EQ(list("select relname from pg_class where relnamespace = 'jobforge'::regnamespace and "
                   "relkind in ('v', 'm') "
                   "and not coalesce('security_invoker=true' = any(reloptions), false)"),
              "");
}

TEST_F(Catalog, rights_on_tables_are_exactly_these) {
    // Readers read their own rows; nobody but the definers writes, and nobody truncates.
    EXPECT_EQ(list("select distinct grantee || ' ' || string_agg(distinct privilege_type, '+' "
                   "order by privilege_type) from "
                   "information_schema.role_table_grants where table_schema = 'jobforge' and "
                   "grantee <> 'jobforge_owner' group by grantee"),
              "jobforge_definer DELETE+INSERT+SELECT+UPDATE, jobforge_engine "
              "DELETE+INSERT+SELECT+UPDATE, "
              "jobforge_gateway SELECT");
}

TEST_F(Catalog, who_may_call_what) {
    const auto callable = [&](const std::string& role) {
        return list(
            fmt::format("select proname from pg_proc p where pronamespace = "
                        "'jobforge'::regnamespace and prosecdef and "
                        "has_function_privilege('{}', p.oid, 'execute')",
                        role));
    };
    EXPECT_EQ(
        callable("jobforge_tenant"),
        "activate_passport_version, add_access_policy, add_intake, add_manual_prices, "
        "add_snapshot_facts, "
        "add_webhook_endpoint, audit_events, audit_extent, audit_heads, audit_heads_page, "
        "audit_log, audit_waiting, build_snapshot, "
        "cancel_job, cancel_jobs, create_api_key, create_passport, create_product, "
        "create_snapshot, current_tenant, deprecate_rules, enqueue_collections, "
        "enqueue_job, enqueue_jobs, explain_job, generate_report, get_api_key, "
        "get_artifact, get_connector_config, get_document_content, "
        "get_document_version, get_intake, get_job, get_job_type, "
        "get_passport_version, get_rules, get_snapshot, get_source, get_valuation, "
        "governor_configure, governor_pause, governor_resume, job_stats, last_log_head, "
        "list_access_policies, list_api_keys, list_attempts, list_collections, "
        "list_connector_configs, list_document_versions, list_events, list_facts, "
        "list_governors, list_intakes, list_job_types, list_jobs, "
        "list_passport_versions, list_passports, list_price_points, list_products, "
        "list_rules, list_signing_keys, list_snapshots, list_sources, "
        "list_webhook_deliveries, list_webhook_endpoints, list_webhook_subscriptions, "
        "passport_artifacts, "
        "pause_source, pepper_fingerprint, publish_rules, redeliver_failed, redeliver_webhook, "
        "remove_access_policy, remove_connector_config, remove_snapshot_fact, "
        "remove_webhook_endpoint, remove_webhook_subscription, reopen_snapshot, "
        "report_job_analytics, report_tenant_usage, report_usage_summary, "
        "request_compile, request_rule_tests, reschedule_job, resume_source, "
        "retire_rules, retry_jobs, revoke_api_key, revoke_passport_version, "
        "rotate_api_key, rotate_webhook_secret, rule_fields_of, save_source, "
        "schema_version, seal_snapshot, set_connector_config, set_source_enabled, "
        "set_source_rules, set_webhook_endpoint, set_webhook_endpoint_status, "
        "set_webhook_subscriptions, "
        "snapshot_facts, subscribe_webhook, unsubscribe_webhook, upload_document, "
        "upload_rules");
    // The door of the HTTP API: whoever may open it may act for any tenant, as a gateway may.
    EXPECT_EQ(
        list("select proname from pg_proc p where pronamespace = 'jobforge'::regnamespace "
             "and has_function_privilege('jobforge_gateway', p.oid, 'execute') and not "
             "has_function_privilege('jobforge_tenant', p.oid, 'execute') and not "
             "has_function_privilege('jobforge_observer', p.oid, 'execute')"),
        "begin_api_request, enter_platform_request, enter_request, find_api_key, job_changes, "
        "note_access_denied, note_pepper, platform_add_tenant, platform_change_tenant, "
        "platform_change_type, platform_read, platform_refused, platform_remove_tenant, "
        "platform_tenant, platform_tenants, platform_type, platform_types, "
        "public_passport, store_api_response, tenant_claim_jobs, tenant_complete_job, "
        "tenant_end_unreadable_jobs, tenant_fail_job, tenant_heartbeat_jobs, "
        "tenant_snooze_job");
    EXPECT_EQ(callable("jobforge_observer"),
              "current_tenant, doctor_logins, doctor_types, doctor_workers, get_job_type, "
              "list_job_types, "
              "list_workers, metric_counters, metric_oldest, metric_running, schema_version");
    for (const char* forbidden :
         {"create_tenant", "delete_tenant", "set_tenant", "bind_login", "set_job_type",
          "create_platform_key", "list_platform_keys", "revoke_platform_key"}) {
        for (const char* role :
             {"jobforge_tenant", "jobforge_gateway", "jobforge_worker", "jobforge_observer"}) {
            EXPECT_THAT(callable(role), testing::Not(testing::HasSubstr(forbidden))) << role;
        }
    }
}

// A suspended tenant may look, and end its keys. What else may change something asks acting_tenant,
// by itself or by one of the two that do; what a platform key changes asks for that key.
TEST_F(Catalog, every_function_that_changes_a_tenants_rows_asks_whether_it_is_active) {
    EXPECT_EQ(
        list("select proname from pg_proc p where pronamespace = 'jobforge'::regnamespace and "
             "provolatile = 'v' and (has_function_privilege('jobforge_tenant', oid, 'execute') or "
             "has_function_privilege('jobforge_gateway', oid, 'execute')) and prosrc !~ "
             "'jobforge[.](acting_tenant|enqueue_context|tenant_worker|require_platform_key)[(]'"),
        // The books of requests, refusals and the pepper; raise_error changes nothing.
        "begin_api_request, enter_platform_request, enter_request, note_access_denied, "
        "note_pepper, raise_error, revoke_api_key, "
        "store_api_response");
}

TEST_F(Catalog, the_error_codes_of_sql_and_of_the_program_are_the_same) {
    for (const char* name : {"CONFIG_MISSING", "LEASE_LOST", "SOURCE_DISABLED"}) {
        EXPECT_EQ(sql.one(fmt::format("select jobforge.error_sqlstate('{}')", name)),
                  sqlstate_of(*error_code_from_string(name)));
    }
#define JOBFORGE_ERROR(name, sqlstate, http, retryable) \
    EXPECT_EQ(sql.one("select jobforge.error_sqlstate('" #name "')"), sqlstate);
#include <jobforge/error_codes.def>
#undef JOBFORGE_ERROR
}

}  // namespace
}  // namespace jobforge::test
