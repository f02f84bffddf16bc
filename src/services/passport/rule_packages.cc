#include "services/passport/rule_packages.h"

#include "rules/check/package.h"

namespace jobforge::services {

namespace {

using engine::Repeat;

constexpr pg::Statement kUpload{
    "upload_rules",
    "select rule_package_id, rule_package_version_id, version, deduplicated from "
    "jobforge.upload_rules($1, $2, $3, $4, $5, $6)"};
constexpr pg::Statement kRequestTests{
    "request_rule_tests", "select jobforge.request_rule_tests($1, $2, p_actor_id => $3)"};
constexpr pg::Statement kPublish{"publish_rules", "select jobforge.publish_rules($1, $2)::text"};
constexpr pg::Statement kDeprecate{"deprecate_rules",
                                   "select jobforge.deprecate_rules($1, $2)::text"};
constexpr pg::Statement kRetire{"retire_rules", "select jobforge.retire_rules($1, $2)::text"};
constexpr pg::Statement kGet{"get_rules",
                             "select pg_catalog.row_to_json(r) from jobforge.get_rules($1) r"};
constexpr pg::Statement kList{
    "list_rules",
    "select pg_catalog.row_to_json(r) from jobforge.list_rules(p_package => $1, p_status => $2, "
    "p_limit => $3, p_before => $4) r"};

Result<std::shared_ptr<const rules::CheckedPackage>> checked_package(
    const std::string& dsl_source, const std::string& tests_source) {
    std::optional<rules::SourceText> tests;
    if (!tests_source.empty()) {
        tests.emplace("tests", tests_source);
    }
    auto checked = rules::check_package(rules::SourceText("rules", dsl_source), std::move(tests));
    if (!checked.ok()) {
        return rules::to_error(checked.diagnostics, checked.sources);
    }
    return std::move(checked.package);
}

// [{"path","type","access"}...] in evaluation order.
Result<Json> checked_fields(const NewRules& rules) {
    const auto package = checked_package(rules.dsl_source, rules.tests_source);
    if (!package.ok()) {
        return package.error();
    }
    Json fields = Json::array();
    for (const auto& field : (*package)->fields) {
        fields.push_back(Json::object({{"path", field.path.text},
                                       {"type", field.type.notation()},
                                       {"access", std::string(rules::access_name(field.access))}}));
    }
    return fields;
}

Status change(engine::TenantCalls& calls, const pg::Statement& statement, const Uuid& version,
              const std::string& actor_id) {
    pg::Params params;
    params.uuid(version).opt_text(unless_empty(actor_id));
    // What is done already is done: repeating adds no second event.
    auto row = calls.run_one(statement, std::move(params), Repeat::always);
    return row.ok() ? ok_status() : Status(std::move(row).error());
}

}  // namespace

Result<UploadedRules> upload_rules(engine::TenantCalls& calls, const NewRules& rules) {
    const auto fields = checked_fields(rules);
    if (!fields.ok()) {
        return fields.error();
    }
    pg::Params params;
    params.text(rules.package)
        .text(rules.dsl_source)
        .text(rules.tests_source)
        .jsonb(fields->dump())
        .opt_uuid(rules.rule_package_version_id)
        .opt_text(unless_empty(rules.actor_id));
    // The same sources again are the same version: repeating is harmless.
    const auto row = calls.run_one(kUpload, std::move(params), Repeat::always);
    if (!row.ok()) {
        return row.error();
    }
    return UploadedRules{row->uuid(0, 0), row->uuid(0, 1), static_cast<int>(row->integer(0, 2)),
                         row->boolean(0, 3)};
}

Result<Uuid> request_rule_tests(engine::TenantCalls& calls, const Uuid& version, std::int64_t seed,
                                const std::string& actor_id) {
    pg::Params params;
    params.uuid(version).int8(seed).opt_text(unless_empty(actor_id));
    const auto row = calls.run_one(kRequestTests, std::move(params), Repeat::always);
    return row.ok() ? Result<Uuid>(row->uuid(0, 0)) : Result<Uuid>(row.error());
}

// What was uploaded to an earlier release may fail a check that came later.
Status publish_rules(engine::TenantCalls& calls, const Uuid& version, const std::string& actor_id) {
    const auto stored = get_rules(calls, version);
    if (!stored.ok()) {
        return stored.error();
    }
    if (*stored->find("status") == Json("VALIDATED")) {
        const auto package = checked_package(*stored->find("dsl_source")->as_string(),
                                             *stored->find("tests_source")->as_string());
        if (!package.ok()) {
            return package.error();
        }
    }
    return change(calls, kPublish, version, actor_id);
}

Status deprecate_rules(engine::TenantCalls& calls, const Uuid& version,
                       const std::string& actor_id) {
    return change(calls, kDeprecate, version, actor_id);
}

Status retire_rules(engine::TenantCalls& calls, const Uuid& version, const std::string& actor_id) {
    return change(calls, kRetire, version, actor_id);
}

Result<Json> get_rules(engine::TenantCalls& calls, const Uuid& version) {
    pg::Params params;
    params.uuid(version);
    return calls.json_row(kGet, std::move(params));
}

Result<std::vector<Json>> list_rules(engine::TenantCalls& calls, const RulesFilter& filter) {
    pg::Params params;
    params.opt_text(filter.package)
        .opt_text(filter.status)
        .int4(filter.limit)
        .opt_uuid(filter.before);
    return calls.json_rows(kList, std::move(params));
}

}  // namespace jobforge::services
