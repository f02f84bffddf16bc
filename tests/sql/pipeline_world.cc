#include "pipeline_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace jobforge::test {

std::string PipelineWorld::call(const std::string& expression) {
    return sql_.one("select " + expression);
}

std::string PipelineWorld::document(std::string_view status) {
    const std::string id = call(fmt::format(
        "document_version_id from jobforge.upload_document('BOM', 'bom.json', '{{\"n\":{}}}')",
        ++next_));
    if (status == "VALIDATED") {
        call(
            fmt::format("jobforge.store_facts('{}', array['Battery'], array['battery:{}'], "
                        "array['{{\"n\":{}}}']::bytea[], array['/components/0'])",
                        id, next_, next_));
    } else if (status == "REJECTED") {
        call(
            fmt::format("jobforge.reject_document('{}', "
                        "'{{\"code\":\"DOCUMENT_REJECTED\",\"message\":\"no\"}}')",
                        id));
    }
    return id;
}

std::string PipelineWorld::fact_of(const std::string& document_version) {
    return call(fmt::format("fact_id from jobforge.list_facts('{}')", document_version));
}

std::string PipelineWorld::snapshot(std::string_view status) {
    const std::string id = call("jobforge.create_snapshot('s')");
    call(fmt::format(
        "jobforge.add_snapshot_facts('{}', p_document_version_ids => array['{}']::uuid[])", id,
        document()));
    if (status != "BUILDING") {
        call(fmt::format("jobforge.mark_snapshot_ready('{}')", id));
    }
    if (status == "SEALED") {
        call(fmt::format("jobforge.seal_snapshot('{}')", id));
    }
    return id;
}

std::string PipelineWorld::run_tests(const std::string& rules, int passed, int failed) {
    return call(fmt::format("jobforge.store_test_run(gen_random_uuid(), '{}', 0, {}, {}, {}, null)",
                            rules, passed + failed, passed, failed));
}

std::string PipelineWorld::rules(std::string_view status) {
    const std::string id = call(fmt::format(
        "rule_package_version_id from jobforge.upload_rules('battery', 'rules {}', 'tests', "
        "'[{{\"path\":\"a.b\",\"type\":\"Text\",\"access\":\"PUBLIC\"}}]')",
        ++next_));
    if (status == "DRAFT") {
        return id;
    }
    run_tests(id, 500, 0);
    if (status == "PUBLISHED" || status == "DEPRECATED") {
        call(fmt::format("jobforge.publish_rules('{}')", id));
    }
    if (status == "DEPRECATED") {
        call(fmt::format("jobforge.deprecate_rules('{}')", id));
    }
    if (status == "RETIRED") {
        call(fmt::format("jobforge.retire_rules('{}')", id));
    }
    return id;
}

std::string PipelineWorld::product() {
    return call(fmt::format("jobforge.create_product('sku-{}', 'A battery')", ++next_));
}

std::string PipelineWorld::passport() {
    return call(fmt::format("jobforge.create_passport('{}')", product()));
}

std::string PipelineWorld::sign_call(const std::string& version, std::string_view key,
                                     std::string_view signature, std::string_view key_seed) {
    return fmt::format(
        "select jobforge.store_signature('{}', decode(repeat('{}', 64), 'hex'), '{}', "
        "sha256('{}'), "
        "'{{\"signed\":1}}')",
        version, signature, key, key_seed);
}

std::string PipelineWorld::qr_call(const std::string& version, std::string_view text) {
    return fmt::format("select jobforge.store_qr('{}', '{}', '\\x89')", version, text);
}

std::string PipelineWorld::version(std::string_view status, std::string passport,
                                   std::string_view payload) {
    if (passport.empty()) {
        passport = this->passport();
    }
    const std::string id = call("gen_random_uuid()");
    call(
        fmt::format("jobforge.store_compiled('{}', '{}', '{}', '{}', '{}', '{{}}', sha256('root'), "
                    "'{{\"n\":{}}}', 'build', clock_timestamp(), 'dev-key-1')",
                    id, passport, snapshot(), rules(), payload, ++next_));
    if (status == "COMPILING") {
        return id;
    }
    sql_.run(sign_call(id));
    sql_.run(qr_call(id));
    if (status == "ACTIVE" || status == "SUPERSEDED") {
        call(fmt::format("jobforge.activate_passport_version('{}')", id));
    }
    if (status == "SUPERSEDED") {
        version("ACTIVE", passport);
    }
    if (status == "REVOKED") {
        call(fmt::format("jobforge.revoke_passport_version('{}', 'recalled')", id));
    }
    return id;
}

std::string PipelineWorld::version_with_acceptance() {
    const std::string id =
        version("SIGNED", "", R"({"compliance":[{"evidence":"e","id":"A","status":"FAIL"}]})");
    call(
        fmt::format("jobforge.activate_passport_version('{}', 'ann', "
                    "'[{{\"id\":\"A\",\"reason\":\"r\"}}]')",
                    id));
    return id;
}

std::string PipelineWorld::endpoint(const std::string& events) {
    const std::string id =
        call("jobforge.add_webhook_endpoint('https://example.com/hook', '\\x01')");
    sql_.run(fmt::format("select * from jobforge.subscribe_webhook('{}', array[{}])", id, events));
    return id;
}

std::string PipelineWorld::delivery(std::string_view status) {
    const std::string target = endpoint("'DOCUMENT_UPLOADED'");
    document("UPLOADED");
    const std::string id = call(
        fmt::format("webhook_delivery_id from jobforge.list_webhook_deliveries('{}')", target));
    if (status != "PENDING") {
        call(
            fmt::format("jobforge.note_delivery('{}', '{}', 200, '{{}}', 'ok', null)", id, status));
    }
    return id;
}

std::string PipelineWorld::status(const std::string& table, const std::string& id) {
    return call(fmt::format("status from jobforge.{} where '{}' in ({})", table, id,
                            table == "document_versions"       ? "document_version_id"
                            : table == "data_snapshots"        ? "snapshot_id"
                            : table == "rule_package_versions" ? "rule_package_version_id"
                            : table == "passport_versions"     ? "passport_version_id"
                                                               : "webhook_delivery_id"));
}

}  // namespace jobforge::test
