// RUN_RULE_TESTS: runs a stored package's tests with the job's seed and keeps the outcome. A run
// that FAILED is a result, not an error of the job: it would fail again. The tests may take longer
// than a lease, after which an idle transaction is ended: none is open while they run.
#include <algorithm>

#include "rules/test/test_runner.h"
#include "services/jobs/outgoing_slot.h"
#include "services/jobs/step.h"
#include "services/jobs/tenant_reads.h"
#include "services/passport/passport_handlers.h"
#include "statements/rules.h"

namespace jobforge::services {

namespace {

std::optional<std::string> first_failure(const rules::TestReport& report,
                                         const rules::CheckedPackage& package) {
    const auto failed =
        std::find_if(report.results.begin(), report.results.end(),
                     [](const rules::TestResult& result) { return result.failure.has_value(); });
    if (failed == report.results.end()) {
        return std::nullopt;
    }
    const rules::TestFailure& failure = *failed->failure;
    return Json::object({{"error", failure.message},
                         {"expected", failure.expected},
                         {"facts", failure.facts},
                         {"found", failure.found},
                         {"line", static_cast<std::uint64_t>(package.position(failure.span).line)},
                         {"test_name", failed->name}})
        .dump();
}

Result<pg::Params> run_params(const Job& job, const Uuid& version, std::int64_t seed,
                              const pg::Rows& sources) {
    const auto checked =
        rules::check_package(rules::SourceText("rules", std::string(sources.text(0, 0))),
                             rules::SourceText("tests", std::string(sources.text(0, 1))),
                             // Stored rules: published ones must stay testable, and publishing
                             // checks what flows between access tiers.
                             {.flows = rules::AccessFlows::ignored});
    if (!checked.ok()) {
        return rules::to_error(checked.diagnostics, checked.sources);
    }
    rules::TestOptions options;
    options.seed = static_cast<std::uint64_t>(seed);
    const rules::TestReport report = rules::run_tests(*checked.package, options);
    pg::Params params;
    params.uuid(job.job_id)
        .uuid(version)
        .int8(seed)
        .int4(static_cast<std::int32_t>(report.total_cases()))
        .int4(static_cast<std::int32_t>(report.passed_cases()))
        .int4(static_cast<std::int32_t>(report.failed_cases()))
        .opt_jsonb(first_failure(report, *checked.package));
    return params;
}

Outcome run_rule_tests(JobContext& context, TenantReads& reads) {
    const Job& job = context.job();
    const auto version = uuid_member(job.payload, "rule_package_version_id");
    const auto seed = integer_member(job.payload, "seed");
    if (!version.ok() || !seed.ok()) {
        return Fail{JobError(version.ok() ? seed.error() : version.error())};
    }
    pg::Params params;
    params.uuid(*version);
    const auto sources = reads.read(job.tenant_id, statements::rules::kRulesToTest, params);
    if (!sources.ok()) {
        return outcome_or_snooze(sources.error());
    }
    const auto run = run_params(job, *version, *seed, *sources);
    if (!run.ok()) {
        return outcome_of(run.error());
    }
    Step step(context);
    const auto status = step.call(statements::rules::kStoreTestRun, *run);
    if (!status.ok()) {
        return outcome_of(status.error());
    }
    return Done{Json::object({{"rule_package_version_id", version->to_string()},
                              {"run_id", job.job_id.to_string()},
                              {"status", status->text(0, 0)}})};
}

}  // namespace

Handler run_rule_tests_handler(const SharedTools& tools) {
    auto reads = std::make_shared<TenantReads>(tools->settings.database_url);
    return [reads](JobContext& context) { return run_rule_tests(context, *reads); };
}

}  // namespace jobforge::services
