// What is written once stays as it is: every statement that could change it, by every role that has
// rights on tables, the owner and a superuser included.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pipeline_world.h"
#include "price_world.h"

namespace jobforge::test {
namespace {

struct Frozen {
    std::string table;
    std::string key;   // a column of the key, to move the row
    std::string data;  // a SET list that changes what must not change
};

// Columns that must not change, table by table. The superuser of a test sees every row, so an
// UPDATE without WHERE meets real ones.
const std::vector<Frozen> kFrozen = {
    {"documents", "document_id", "name = 'other'"},
    {"document_versions", "document_version_id", "content = 'x', content_sha256 = sha256('x')"},
    {"document_versions", "document_id", "media_type = 'text/csv'"},
    {"document_versions", "document_version_id", "rejection = '{}', status = 'REJECTED'"},
    {"facts", "fact_id", "payload = '{}'"},
    {"facts", "fact_id", "payload_canonical = 'x', payload_hash = sha256('x')"},
    {"fact_sources", "fact_id", "place = 'elsewhere'"},
    {"snapshot_items", "snapshot_id", "payload_hash = sha256('x')"},
    {"battery_products", "battery_product_id", "name = 'other'"},
    {"passports", "passport_id", "created_by = 'me'"},
    {"rule_packages", "rule_package_id", "name = 'other'"},
    {"rule_package_versions", "rule_package_version_id",
     "dsl_source = 'x', dsl_sha256 = sha256('x')"},
    {"rule_package_versions", "rule_package_version_id",
     "tests_source = 'x', tests_sha256 = sha256('x')"},
    {"rule_package_versions", "rule_package_id", "version = 99"},
    {"rule_fields", "path", "access = 'SECRET'"},
    {"rule_tests_runs", "run_id", "failed_count = 0"},
    {"signing_keys", "key_id", "public_key = sha256('other')"},
    {"passport_versions", "passport_version_id",
     "payload_canonical = 'x', payload_hash = sha256('x')"},
    {"passport_versions", "passport_version_id",
     "proof_canonical = 'x', proof_sha256 = sha256('x')"},
    {"passport_versions", "passport_version_id", "proof_root_hash = sha256('x')"},
    {"passport_versions", "passport_version_id",
     "receipt_canonical = 'x', receipt_hash = sha256('x')"},
    {"passport_versions", "passport_version_id", "receipt_signed = 'x'"},
    {"passport_versions", "passport_version_id", "signature = decode(repeat('00', 64), 'hex')"},
    {"passport_versions", "passport_version_id", "signing_key_public = sha256('other')"},
    {"passport_versions", "passport_version_id", "qr_payload = 'x', qr_png = 'x'"},
    {"passport_versions", "passport_version_id", "qr_png = 'x'"},
    {"passport_versions", "passport_id", "issued_at = now()"},
    {"passport_versions", "snapshot_id", "signed_at = now()"},
    {"passport_acceptances", "passport_version_id", "reason = 'other'"},
    {"passport_acceptances", "finding_id", "accepted_by = 'somebody else'"},
    {"webhook_deliveries", "webhook_delivery_id", "event_id = gen_random_uuid()"},
    {"webhook_endpoints", "webhook_endpoint_id", "created_at = now()"},
    {"webhook_subscriptions", "webhook_subscription_id", "event_type = 'X'"},
    {"events", "event_id", "event_hash = sha256('x')"},
    {"events", "aggregate_id", "actor_id = 'somebody else'"},
    {"event_log", "event_id", "event_hash = sha256('x')"},
    {"log_heads", "key_id", "root_hash = sha256('x')"},
    {"intakes", "intake_id", "year = 1"},
    {"price_points", "price_point_id", "price_cents = 1"},
    {"price_points", "dedupe_key", "match_strength = 0.4"},
    {"price_points", "price_point_id", "price_type = 'ask', match_strength = 0.9"},
    {"price_points", "source_id", "match_strength = 0.9, created_at = now()"},
    {"api_keys", "key_id", "roles = '{Admin}'"},
    {"api_keys", "first_key_id", "secret_mac = sha256('other')"},
    {"api_keys", "key_id", "status = 'ACTIVE', version = 3"},
    {"api_keys", "name", "expires_at = now() + interval '9 days', version = 2"},
    {"api_keys", "key_id", "expires_at = null, version = 2"},
    {"access_policies", "policy_id", "effect = 'allow'"},
    {"api_requests", "idempotency_key", "body = 'other'"},
};

// Tables whose rows may leave: items of a building snapshot, subscriptions, old deliveries, prices.
bool may_lose_rows(const std::string& table) {
    return table == "snapshot_items" || table == "access_policies" || table == "api_requests" ||
           table == "price_points" || table.starts_with("webhook_");
}

class Immutable : public testing::Test {
protected:
    void SetUp() override {
        world.endpoint();
        version = world.version("ACTIVE");
        world.version_with_acceptance();
        PriceWorld(sql).everything();
        sql.run(
            "select jobforge.extend_event_log(); select jobforge.store_log_head(1, sha256('r'), "
            "'{}', 'checkpoint', 'k'); select jobforge.create_api_key('aaaaaaaaaaaaaaaa', "
            "sha256('x'), 'n', array['Auditor'], now() + interval '1 day'); "
            "select jobforge.add_access_policy('deny', '/**'); "
            "select jobforge.store_api_response('aaaaaaaaaaaaaaaa', 'k', sha256('x'), 200, '{}', "
            "'body')");
        before = fingerprint();
    }

    // Every row of every table that this test is about.
    std::string fingerprint() {
        std::string all;
        for (const auto& frozen : kFrozen) {
            all += sql.one(fmt::format(
                "select coalesce(md5(string_agg(t::text, '|' order by t::text)), 'no rows in {0}') "
                "from jobforge.{0} t",
                frozen.table));
        }
        EXPECT_EQ(all.find("no rows"), std::string::npos) << all;
        return all;
    }

    EngineDatabase database;
    Session sql = database.session();
    PipelineWorld world{sql};
    std::string version;
    std::string before;
};

TEST_F(Immutable, a_superuser_cannot_update_move_delete_or_truncate) {
    for (const auto& frozen : kFrozen) {
        for (const auto& set :
             {frozen.data, fmt::format("tenant_id = '{}'", kTenantB),
              frozen.key + " = " +
                  (sql.one(fmt::format("select pg_typeof({}) from jobforge.{} limit 1", frozen.key,
                                       frozen.table)) == "uuid"
                       ? "gen_random_uuid()"
                       : "'other'")}) {
            EXPECT_EQ(sql.error(fmt::format("update jobforge.{} set {}", frozen.table, set)),
                      "INVALID_TRANSITION")
                << frozen.table << " set " << set << ": " << sql.message();
        }
        EXPECT_EQ(sql.error(fmt::format("truncate jobforge.{} cascade", frozen.table)),
                  "INVALID_TRANSITION")
            << frozen.table;
        if (!may_lose_rows(frozen.table)) {
            EXPECT_EQ(sql.error(fmt::format("delete from jobforge.{}", frozen.table)),
                      "INVALID_TRANSITION")
                << frozen.table;
        }
    }
    EXPECT_EQ(fingerprint(), before);
}

TEST_F(Immutable, insert_on_conflict_is_no_way_around) {
    for (const auto& frozen : kFrozen) {
        EXPECT_EQ(sql.error(fmt::format("insert into jobforge.{0} select * from jobforge.{0} "
                                        "on conflict on constraint {0}_pkey do update set {1}",
                                        frozen.table, frozen.data)),
                  "INVALID_TRANSITION")
            << frozen.table << ": " << sql.message();
    }
    EXPECT_EQ(fingerprint(), before);
}

TEST_F(Immutable, the_owner_and_the_definers_change_nothing_either) {
    for (const char* role : {"jobforge_owner", "jobforge_definer", "jobforge_engine"}) {
        for (const auto& frozen : kFrozen) {
            for (const auto& statement :
                 {fmt::format("update jobforge.{} set {}", frozen.table, frozen.data),
                  fmt::format("update jobforge.{} set tenant_id = tenant_id", frozen.table),
                  fmt::format("delete from jobforge.{}", frozen.table),
                  fmt::format("truncate jobforge.{} cascade", frozen.table)}) {
                if (may_lose_rows(frozen.table) && statement.starts_with("delete")) {
                    continue;
                }
                sql.run(fmt::format("begin; set local role {}", role));
                (void)sql.error(statement);  // refused, or forced row security left it no row
                sql.run("rollback");
                // As committed work: what a statement that answered ok has done.
                sql.run(fmt::format("set role {}", role));
                (void)sql.error(statement);
                sql.run("reset role");
            }
        }
        EXPECT_EQ(fingerprint(), before) << role;
    }
}

TEST_F(Immutable, also_a_statement_that_meets_no_row_is_refused_where_rows_are_never_changed) {
    for (const char* table :
         {"documents", "facts", "fact_sources", "events", "event_log", "log_heads", "rule_fields",
          "rule_tests_runs", "passports", "intakes"}) {
        EXPECT_EQ(sql.error(fmt::format("update jobforge.{} set tenant_id = tenant_id where false",
                                        table)),
                  "INVALID_TRANSITION");
        EXPECT_EQ(sql.error(fmt::format("delete from jobforge.{} where false", table)),
                  "INVALID_TRANSITION");
        sql.run("set role jobforge_owner");
        EXPECT_EQ(sql.error(fmt::format("delete from jobforge.{}", table)), "INVALID_TRANSITION");
        sql.run("reset role");
    }
}

TEST_F(Immutable, a_legal_step_carries_no_other_change_along) {
    const auto expect_refused = [&](const std::string& table, const std::string& key,
                                    const std::string& id, const std::string& step,
                                    const std::vector<std::string>& smuggled) {
        for (const auto& set : smuggled) {
            EXPECT_EQ(sql.error(fmt::format("update jobforge.{} set {}, {} where {} = '{}'", table,
                                            step, set, key, id)),
                      "INVALID_TRANSITION")
                << step << " with " << set << ": " << sql.message();
        }
        // The step alone is legal, so it was the rest that was refused.
        EXPECT_EQ(sql.error(fmt::format("update jobforge.{} set {} where {} = '{}'", table, step,
                                        key, id)),
                  "ok")
            << sql.message();
    };
    const std::string versions = "passport_versions";
    expect_refused(versions, "passport_version_id", world.version("COMPILING"),
                   "status = 'SIGNED', signature = decode(repeat('ab', 64), 'hex'), "
                   "signing_key_public = sha256('k'), receipt_signed = 'r', signed_at = now()",
                   {"qr_payload = 'q', qr_png = 'q'", "signing_key_id = 'other'",
                    "proof_root_hash = sha256('x')", "compiler_build_id = 'other'",
                    "payload_canonical = 'x', payload_hash = sha256('x')"});
    expect_refused(versions, "passport_version_id", world.version("SIGNED"),
                   "status = 'ACTIVE', activated_at = now()",
                   {"receipt_signed = 'x'", "signature = decode(repeat('cd', 64), 'hex')",
                    "signing_key_public = sha256('x')", "signed_at = now()",
                    "qr_payload = 'x', qr_png = 'x'", "qr_png = 'x'", "superseded_at = now()",
                    "proof_canonical = 'x', proof_sha256 = sha256('x')",
                    "receipt_canonical = 'x', receipt_hash = sha256('x')", "version_number = 9",
                    "issued_at = now()", "created_at = now()"});
    expect_refused(versions, "passport_version_id", world.version("ACTIVE"),
                   "status = 'REVOKED', revoked_at = now(), revocation_reason = 'r'",
                   {"activated_at = now()", "superseded_at = now()", "receipt_signed = 'x'"});
    expect_refused(
        "document_versions", "document_version_id", world.document("UPLOADED"),
        "status = 'VALIDATED', settled_at = now()",
        {"content = 'x', content_sha256 = sha256('x'), size_bytes = 1", "media_type = 'text/csv'",
         "version = 9", "uploaded_at = now()", "uploaded_by = 'me'"});
    expect_refused(
        "data_snapshots", "snapshot_id", world.snapshot("READY"),
        "status = 'SEALED', sealed_at = now(), snapshot_canonical = 'x', snapshot_hash = "
        "sha256('x')",
        {"label = 'other'", "created_by = 'me'", "created_at = now()"});
    expect_refused("rule_package_versions", "rule_package_version_id", world.rules("VALIDATED"),
                   "status = 'PUBLISHED', published_at = now()",
                   {"dsl_source = 'x', dsl_sha256 = sha256('x')",
                    "tests_source = 'x', tests_sha256 = sha256('x')", "version = 99",
                    "validated_at = now()", "deprecated_at = now()"});
    expect_refused("webhook_deliveries", "webhook_delivery_id", world.delivery("PENDING"),
                   "status = 'DELIVERED', delivered_at = now()",
                   {"event_id = gen_random_uuid()", "created_at = now()",
                    "webhook_endpoint_id = gen_random_uuid()"});
}

TEST_F(Immutable, the_items_of_a_snapshot_change_only_while_it_is_building) {
    const auto fact = world.fact_of(world.document());
    const auto add = [&](const std::string& snapshot) {
        return sql.error(fmt::format(
            "insert into jobforge.snapshot_items select tenant_id, '{}', fact_type, fact_key, "
            "fact_id, payload_hash from jobforge.facts where fact_id = '{}'",
            snapshot, fact));
    };
    const auto remove = [&](const std::string& snapshot) {
        return sql.error(
            fmt::format("delete from jobforge.snapshot_items where snapshot_id = '{}'", snapshot));
    };
    for (const auto& [status, code] :
         {std::pair{"BUILDING", "ok"}, std::pair{"READY", "INVALID_TRANSITION"},
          std::pair{"SEALED", "SNAPSHOT_SEALED"}}) {
        const auto snapshot = world.snapshot(status);
        EXPECT_EQ(add(snapshot), code) << status;
        EXPECT_EQ(remove(snapshot), code) << status;
    }
    // An item is never moved, not even from one building snapshot to another.
    const auto from = world.snapshot("BUILDING");
    EXPECT_EQ(sql.error(fmt::format("update jobforge.snapshot_items set snapshot_id = '{}' where "
                                    "snapshot_id = '{}'",
                                    world.snapshot("SEALED"), from)),
              "INVALID_TRANSITION");
}

TEST_F(Immutable, an_item_that_races_with_the_seal_waits_and_is_refused) {
    const auto snapshot = world.snapshot("READY");
    const auto fact = world.fact_of(world.document());
    Session sealer = database.session();
    sealer.run(fmt::format("begin; select jobforge.seal_snapshot('{}')", snapshot));
    sql.run("set lock_timeout = '50ms'");
    const auto add = fmt::format(
        "insert into jobforge.snapshot_items select tenant_id, '{}', fact_type, fact_key, fact_id, "
        "payload_hash from jobforge.facts where fact_id = '{}'",
        snapshot, fact);
    EXPECT_EQ(sql.error(add), "55P03");  // waits for the seal: does not slip in behind its back
    sealer.run("commit");
    sql.run("reset lock_timeout");
    EXPECT_EQ(sql.error(add), "SNAPSHOT_SEALED");
}

TEST_F(Immutable, fields_come_with_their_rules_and_never_later) {
    EXPECT_EQ(
        sql.error(fmt::format("insert into jobforge.rule_fields values ('{}', '{}', 'z', 'Text', "
                              "'PUBLIC', 9)",
                              kTenantA, world.rules("PUBLISHED"))),
        "INVALID_TRANSITION");
}

TEST_F(Immutable, a_signing_key_can_be_retired_once_and_nothing_else) {
    EXPECT_EQ(sql.error("update jobforge.signing_keys set retired_at = '2030-01-01'"), "ok");
    EXPECT_EQ(sql.error("update jobforge.signing_keys set retired_at = '2031-01-01'"),
              "INVALID_TRANSITION");
    EXPECT_EQ(sql.error("update jobforge.signing_keys set retired_at = null"),
              "INVALID_TRANSITION");
}

TEST_F(Immutable, the_bytes_are_what_their_hashes_say) {
    const auto compiled = world.version("COMPILING");
    for (const char* set :
         {"payload_canonical = 'x'", "proof_canonical = 'x'", "receipt_canonical = 'x'"}) {
        // With a legal step, so that nothing else is wrong with it.
        EXPECT_EQ(sql.error(fmt::format(
                      "update jobforge.passport_versions set status = 'SIGNED', signature = "
                      "decode(repeat('ab', 64), 'hex'), signing_key_public = sha256('k'), "
                      "receipt_signed = 'r', signed_at = now(), {} where passport_version_id = "
                      "'{}'",
                      set, compiled)),
                  "INVALID_TRANSITION")
            << set;
    }
    // At birth the hashes are compared.
    for (const char* columns : {"'x', payload_hash, proof_canonical, proof_sha256, "
                                "receipt_canonical, receipt_hash",
                                "payload_canonical, payload_hash, 'x', proof_sha256, "
                                "receipt_canonical, receipt_hash",
                                "payload_canonical, payload_hash, proof_canonical, proof_sha256, "
                                "'x', receipt_hash"}) {
        EXPECT_EQ(sql.error(fmt::format(
                      "insert into jobforge.passport_versions (tenant_id, passport_version_id, "
                      "passport_id, version_number, snapshot_id, rule_package_version_id, "
                      "payload_canonical, payload_hash, proof_canonical, proof_sha256, "
                      "receipt_canonical, receipt_hash, proof_root_hash, compiler_build_id, "
                      "issued_at, signing_key_id) select tenant_id, gen_random_uuid(), "
                      "passport_id, 99, snapshot_id, rule_package_version_id, {}, "
                      "proof_root_hash, compiler_build_id, now(), signing_key_id "
                      "from jobforge.passport_versions where passport_version_id = '{}'",
                      columns, compiled)),
                  "23514")
            << columns;
    }
    EXPECT_EQ(sql.error(fmt::format("update jobforge.document_versions set status = 'VALIDATED', "
                                    "settled_at = now(), content = 'x', size_bytes = size_bytes "
                                    "where document_version_id = '{}'",
                                    world.document("UPLOADED"))),
              "23514");
}

}  // namespace
}  // namespace jobforge::test
