// Use cases: rule packages, DRAFT -> VALIDATED -> PUBLISHED -> DEPRECATED -> RETIRED.
// Threads: as TenantCalls.
#pragma once

#include "services/passport/documents.h"

namespace jobforge::services {

struct NewRules {
    std::string package;  // its name
    std::string dsl_source;
    std::string tests_source = {};
    std::optional<Uuid> rule_package_version_id = {};
    std::string actor_id = {};
};

struct UploadedRules {
    Uuid rule_package_id, rule_package_version_id;
    int version = 1;
    bool deduplicated = false;  // a version with these very sources exists
};

// Checks the sources first: RULE_PARSE_ERROR, RULE_TYPE_ERROR, ... with all diagnostics, and
// nothing is stored.
[[nodiscard]] Result<UploadedRules> upload_rules(engine::TenantCalls& calls, const NewRules& rules);
// Enqueues RUN_RULE_TESTS; its job (the earlier one if that seed was run).
[[nodiscard]] Result<Uuid> request_rule_tests(engine::TenantCalls& calls, const Uuid& version,
                                              std::int64_t seed, const std::string& actor_id);
// Checks the sources again: RULE_TYPE_ERROR, ... RULE_TESTS_FAILED unless VALIDATED and the latest
// run PASSED; INVALID_TRANSITION.
[[nodiscard]] Status publish_rules(engine::TenantCalls& calls, const Uuid& version,
                                   const std::string& actor_id);
[[nodiscard]] Status deprecate_rules(engine::TenantCalls& calls, const Uuid& version,
                                     const std::string& actor_id);
[[nodiscard]] Status retire_rules(engine::TenantCalls& calls, const Uuid& version,
                                  const std::string& actor_id);
// With sources and latest run.
[[nodiscard]] Result<Json> get_rules(engine::TenantCalls& calls, const Uuid& version);

struct RulesFilter : Page {
    std::optional<std::string> package = {};
    std::optional<std::string> status = {};
};
[[nodiscard]] Result<std::vector<Json>> list_rules(engine::TenantCalls& calls,
                                                   const RulesFilter& filter);

}  // namespace jobforge::services
