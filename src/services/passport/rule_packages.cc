#include "services/passport/rule_packages.h"

#include "rules/check/package.h"
#include "statements/rules.h"

namespace jobforge::services {

namespace {

using engine::Repeat;

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
    const auto row =
        calls.run_one(statements::rules::kUploadRules, std::move(params), Repeat::always);
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
    const auto row =
        calls.run_one(statements::rules::kRequestRuleTests, std::move(params), Repeat::always);
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
    return change(calls, statements::rules::kPublishRules, version, actor_id);
}

Status deprecate_rules(engine::TenantCalls& calls, const Uuid& version,
                       const std::string& actor_id) {
    return change(calls, statements::rules::kDeprecateRules, version, actor_id);
}

Status retire_rules(engine::TenantCalls& calls, const Uuid& version, const std::string& actor_id) {
    return change(calls, statements::rules::kRetireRules, version, actor_id);
}

Result<Json> get_rules(engine::TenantCalls& calls, const Uuid& version) {
    pg::Params params;
    params.uuid(version);
    return calls.json_row(statements::rules::kGetRules, std::move(params));
}

Result<std::vector<Json>> list_rules(engine::TenantCalls& calls, const RulesFilter& filter) {
    pg::Params params;
    params.opt_text(filter.package)
        .opt_text(filter.status)
        .int4(filter.limit)
        .opt_uuid(filter.before);
    return calls.json_rows(statements::rules::kListRules, std::move(params));
}

}  // namespace jobforge::services
