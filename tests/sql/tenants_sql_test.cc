// Tenants: a name belongs to one, and deleting one destroys nothing that an auditor may ask for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sql_session.h"

namespace jobforge::test {
namespace {

class Tenants : public testing::Test {
protected:
    std::string remove(const std::string& tenant, const std::string& name = "null") {
        return sql.error(fmt::format("select jobforge.delete_tenant('{}', {})", tenant, name));
    }
    std::string count(const std::string& table, const std::string& tenant) {
        return sql.one(
            fmt::format("select count(*) from jobforge.{} where tenant_id = '{}'", table, tenant));
    }
    EngineDatabase database;
    Session sql = database.session();
};

TEST_F(Tenants, a_name_is_given_once) {
    EXPECT_EQ(sql.error("select jobforge.create_tenant('tenant a')"), "VALIDATION_ERROR");
    EXPECT_NE(sql.message().find(kTenantA), std::string::npos) << sql.message();
    EXPECT_EQ(sql.error(fmt::format(
                  "select jobforge.set_tenant('{}', '{{\"name\": \"tenant a\"}}')", kTenantB)),
              "VALIDATION_ERROR");
    EXPECT_EQ(sql.error(fmt::format(
                  "select jobforge.set_tenant('{}', '{{\"name\": \"tenant b\"}}')", kTenantB)),
              "ok");
    Session other = database.session();
    other.run("begin; select jobforge.create_tenant('new')");
    sql.run("set lock_timeout = '10ms'");
    EXPECT_EQ(sql.error("select jobforge.create_tenant('new')"), "55P03") << "it waits its turn";
    other.run("commit");
    EXPECT_EQ(sql.error("select jobforge.create_tenant('new')"), "VALIDATION_ERROR");
}

// An operator who leaves the transaction open stops no job, no other change of a tenant and no
// vacuum.
TEST_F(Tenants, an_open_transaction_that_gives_a_name_delays_only_those_that_give_names) {
    sql.run(
        fmt::format("select jobforge.set_tenant('{}', '{{\"concurrency_limit\": 5}}')", kTenantA));
    Session open = database.session();
    open.run("begin; select jobforge.create_tenant('new')");
    sql.run("set lock_timeout = '10s'");  // a wait fails and does not hang
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a')"), "ok");
    EXPECT_EQ(sql.rows("select from jobforge.claim_jobs('w', 1, array['a'])").size(), 1U);
    EXPECT_EQ(
        sql.error("select jobforge.complete_job('w', tenant_id, job_id, 1) from jobforge.jobs"),
        "ok");
    EXPECT_EQ(sql.error(fmt::format(
                  "select jobforge.set_tenant('{}', '{{\"status\": \"SUSPENDED\"}}')", kTenantB)),
              "ok");
    EXPECT_EQ(sql.error("analyze jobforge.tenants"), "ok");
    open.run("commit");
}

// The second caller would not see the name that the first has committed.
TEST_F(Tenants, a_name_is_not_given_at_a_level_that_sees_an_old_moment) {
    for (const char* level : {"repeatable read", "serializable"}) {
        sql.run(fmt::format("begin isolation level {}", level));
        EXPECT_EQ(sql.error("select jobforge.create_tenant('new')"), "VALIDATION_ERROR");
        EXPECT_NE(sql.message().find(level), std::string::npos) << sql.message();
        sql.run("rollback");
    }
}

TEST_F(Tenants, one_without_data_is_deleted_at_once) {
    const std::string tenant = sql.one("select jobforge.create_tenant('by mistake')");
    EXPECT_EQ(remove(tenant), "ok");
    EXPECT_EQ(remove(tenant), "NOT_FOUND");
    EXPECT_EQ(count("turns", tenant), "0");
}

TEST_F(Tenants, data_is_deleted_only_when_the_name_is_repeated_and_the_tenant_suspended) {
    sql.run("select from jobforge.enqueue_job('a')");
    EXPECT_EQ(remove(kTenantA), "VALIDATION_ERROR");
    EXPECT_NE(sql.message().find("jobs: 1"), std::string::npos) << sql.message();
    EXPECT_EQ(remove(kTenantA, "'tenant b'"), "VALIDATION_ERROR");
    EXPECT_EQ(remove(kTenantA, "'tenant a'"), "INVALID_TRANSITION") << "it is active";
    sql.run("select from jobforge.claim_jobs('w', 1, array['a'])");
    sql.run(
        fmt::format("select jobforge.set_tenant('{}', '{{\"status\": \"SUSPENDED\"}}')", kTenantA));
    EXPECT_EQ(remove(kTenantA, "'tenant a'"), "INVALID_TRANSITION") << "a job runs";
    EXPECT_EQ(count("jobs", kTenantA), "1");
    sql.run(
        fmt::format("select jobforge.complete_job('w', '{}', job_id, lease_token) "
                    "from jobforge.jobs",
                    kTenantA));
    EXPECT_EQ(remove(kTenantA, "'tenant a'"), "ok") << sql.message();
    for (const char* table : {"finished_jobs", "counter_deltas", "tenants"}) {
        EXPECT_EQ(count(table, kTenantA), "0") << table;
    }
    EXPECT_EQ(count("tenants", kTenantB), "1");
}

TEST_F(Tenants, one_with_audit_events_or_documents_is_never_deleted) {
    sql.run(
        "select from jobforge.create_product('sku', 'a product');"
        "select from jobforge.set_tenant(jobforge.current_tenant(), '{\"status\": "
        "\"SUSPENDED\"}')");
    EXPECT_EQ(remove(kTenantA, "'tenant a'"), "INVALID_TRANSITION");
    EXPECT_NE(sql.message().find("records that are kept"), std::string::npos) << sql.message();
    EXPECT_EQ(count("battery_products", kTenantA), "1");
}

TEST_F(Tenants, each_table_of_tenants_is_kept_or_deleted_on_purpose) {
    EXPECT_EQ(
        sql.one("select string_agg(relname, ', ') from pg_class c where relnamespace = "
                "'jobforge'::regnamespace and relkind = 'r' and relname <> 'tenants' and exists "
                "(select from pg_attribute a where a.attrelid = c.oid and a.attname = "
                "'tenant_id') and (select count(*) from jobforge.tenant_tables() t, "
                "unnest(t.kept || t.data || t.counts) n(name) where n.name = relname) <> 1"),
        "NULL");
    // What triggers protect from deletion is kept; platform keys are of no tenant.
    EXPECT_EQ(
        sql.one("select string_agg(distinct c.relname, ', ') from pg_trigger g join pg_class c "
                "on c.oid = g.tgrelid join pg_proc p on p.oid = g.tgfoid and p.proname = "
                "'refuse_change' where g.tgtype & 8 = 8 and c.relname <> 'platform_keys' and "
                "not c.relname = any((jobforge.tenant_tables()).kept)"),
        "NULL");
}

// They waited for ever: no worker has a handler.
TEST_F(Tenants, types_that_no_worker_handles_are_not_offered) {
    EXPECT_EQ(sql.one("select string_agg(type, ' ' order by type) from jobforge.list_job_types() "
                      "where not enabled and type not like 'test.%'"),
              "EXPORT_PASSPORT INGEST_DOCUMENT");
}

}  // namespace
}  // namespace jobforge::test
