// jobforge rules upload|publish|deprecate|retire|show|list, and `rules test` of a stored version
#include <limits>

#include <fmt/format.h>

#include "cli/commands/use_case.h"
#include "cli/offline/rules_commands.h"
#include "cli/usage.h"
#include "cli/view/output.h"
#include "cli/view/rows_view.h"
#include "services/passport/rule_packages.h"

namespace jobforge::cli {

namespace {

struct StoreOptions {
    std::string file;
    std::string tests_file;
    std::string id;
    bool source = false;
    std::optional<std::string> package;
    std::optional<std::string> status;
    PageOptions page;
};

Status upload(const Context& context, engine::TenantCalls& calls, const services::NewRules& rules) {
    auto uploaded = services::upload_rules(calls, rules);
    if (!uploaded.ok()) {
        return std::move(uploaded).error();
    }
    print_id(context, "rule_package_version_id", uploaded->rule_package_version_id,
             Json::object({{"rule_package_id", uploaded->rule_package_id.to_string()},
                           {"package", rules.package},
                           {"version", uploaded->version},
                           {"deduplicated", uploaded->deduplicated}}));
    remark(context, fmt::format("version {} of {}{}", uploaded->version, rules.package,
                                uploaded->deduplicated ? ", these sources were there already"
                                                       : ", a DRAFT: test it, then publish it"));
    return ok_status();
}

int run_upload(const Context& context, const StoreOptions& options) {
    // Checked here too, because only here the file's name is known: every error with its line.
    const auto checked = load_package(context, options.file, options.tests_file);
    if (checked == nullptr) {
        return kFailed;
    }
    services::NewRules rules;
    rules.package = options.package.value_or("");
    rules.dsl_source = checked->sources.at(0).text();
    rules.tests_source = checked->sources.size() > 1 ? checked->sources.at(1).text() : "";
    rules.actor_id = kActor;
    return with_calls(context,
                      [&](engine::TenantCalls& calls) { return upload(context, calls, rules); });
}

using Change = Status (*)(engine::TenantCalls&, const Uuid&, const std::string& actor_id);

template <Change ChangeRules>
int run_change(const Context& context, const StoreOptions& options) {
    return with_id(context, kRulesId, options.id,
                   [&context](engine::TenantCalls& calls, const Uuid& id) -> Status {
                       if (auto done = ChangeRules(calls, id, kActor); !done.ok()) {
                           return done;
                       }
                       auto row = services::get_rules(calls, id);
                       if (!row.ok()) {
                           return std::move(row).error();
                       }
                       const std::string status = text_member(*row, "status");
                       print_line(context.json
                                      ? Json::object({{"rule_package_version_id", id.to_string()},
                                                      {"status", status}})
                                            .dump()
                                      : fmt::format("{} {}", id.to_string(), status));
                       return ok_status();
                   });
}

Status show(const Context& context, const StoreOptions& options, Result<Json> row) {
    if (!row.ok()) {
        return std::move(row).error();
    }
    if (context.json) {
        return show_row(context, std::move(row));
    }
    if (options.source) {
        print(text_member(*row, "dsl_source"));
        return ok_status();
    }
    Json::Object members;
    for (const Json::Member& member : *row->as_object()) {
        if (!member.first.ends_with("_source")) {
            members.push_back(member);
        }
    }
    return show_row(context, Json(std::move(members)));
}

int run_show(const Context& context, const StoreOptions& options) {
    return with_id(context, kRulesId, options.id, [&](engine::TenantCalls& calls, const Uuid& id) {
        return show(context, options, services::get_rules(calls, id));
    });
}

int run_list(const Context& context, const StoreOptions& options) {
    const auto before = optional_id_argument(kRulesId, options.page.before);
    if (!before.ok()) {
        return context.fail(before.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) {
        services::RulesFilter filter;
        filter.limit = options.page.limit;
        filter.before = *before;
        filter.package = options.package;
        filter.status = options.status;
        return show_rows(context, services::list_rules(calls, filter),
                         {"rule_package_version_id", "package", "version", "status", "run_status",
                          "run_passed_count", "run_failed_count", "created_at"});
    });
}

// What the run found; RULE_TESTS_FAILED if that is not enough to publish.
Status report_run(const Context& context, engine::TenantCalls& calls, const Uuid& version,
                  const JobDetails& job) {
    auto row = services::get_rules(calls, version);
    if (!row.ok()) {
        return std::move(row).error();
    }
    const bool latest = text_member(*row, "run_id") == job.job_id.to_string();
    const std::string status = text_member(job.result, "status");
    const std::string counts =
        latest ? fmt::format(": {} of {} cases passed", cell_of(*row, "run_passed_count"),
                             cell_of(*row, "run_total_cases"))
               : "";
    remark(context, fmt::format("{}{}", status, counts));
    if (status == "PASSED") {
        return ok_status();
    }
    const Json* failure = latest ? row->find("run_first_failure") : nullptr;
    Error error =
        Error::of(ErrorCode::RULE_TESTS_FAILED,
                  failure == nullptr || failure->is_null()
                      ? "the tests of the rules did not pass" + counts
                      : fmt::format("test {} failed in line {}: {}", cell_of(*failure, "test_name"),
                                    cell_of(*failure, "line"), cell_of(*failure, "error")));
    error.hint =
        "Publishing needs every test to pass, and at least 500 cases. See: jobforge rules "
        "show " +
        version.to_string();
    return error;
}

Status request_run(const Context& context, engine::TenantCalls& calls, const StoredTest& test) {
    const auto job = services::request_rule_tests(calls, test.version,
                                                  static_cast<std::int64_t>(test.seed), kActor);
    if (!job.ok()) {
        return job.error();
    }
    print_id(context, "job_id", *job);
    if (!test.wait.wait) {
        return ok_status();
    }
    auto client = context.client();
    if (!client.ok()) {
        return std::move(client).error();
    }
    Patience patience(test.wait);
    const auto ended = wait_for_job(*client, *job, patience);
    return ended.ok() ? report_run(context, calls, test.version, *ended) : Status(ended.error());
}

std::shared_ptr<StoreOptions> fresh() {
    return std::make_shared<StoreOptions>();
}

Command add_one(Command rules, Context& context, const std::shared_ptr<StoreOptions>& options,
                const std::string& name, const std::string& help,
                int (*run)(const Context&, const StoreOptions&)) {
    Command command = add_verb(rules, context, options, name, help, run);
    command.option("ID", options->id, "Rule package version id").required();
    return command;
}

}  // namespace

int run_stored_test(const Context& context, const StoredTest& test) {
    if (test.seed > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return context.fail(usage_error("--seed of a stored version is at most 2^63-1"));
    }
    return with_calls(
        context, [&](engine::TenantCalls& calls) { return request_run(context, calls, test); });
}

void add_rules_store(Command rules, Context& context) {
    auto uploaded = fresh();
    Command upload =
        add_verb(rules, context, uploaded, "upload",
                 "Check a package and store it as a DRAFT; prints its id", &run_upload);
    upload.option("FILE", uploaded->file, "Rules (- is standard input)").required();
    upload.option("--package", uploaded->package, "The package's name").required();
    upload.option("--tests", uploaded->tests_file, "Its tests; publishing needs them");
    add_one(rules, context, fresh(), "publish", "VALIDATED to PUBLISHED: passports may use it",
            &run_change<&services::publish_rules>);
    add_one(rules, context, fresh(), "deprecate", "PUBLISHED to DEPRECATED: no new passports",
            &run_change<&services::deprecate_rules>);
    add_one(rules, context, fresh(), "retire",
            "To RETIRED, for ever; PUBLISHED is deprecated first",
            &run_change<&services::retire_rules>);
    auto shown = fresh();
    Command show = add_one(rules, context, shown, "show",
                           "A stored version and its latest test run", &run_show);
    show.flag("--source", shown->source, "The rules themselves instead");
    auto listed = fresh();
    Command list =
        add_verb(rules, context, listed, "list", "Stored versions, newest first", &run_list);
    list.option("--package", listed->package, "Only this package");
    list.option("--status", listed->status, "DRAFT, VALIDATED, PUBLISHED, DEPRECATED or RETIRED");
    add_page_options(list, listed->page);
}

}  // namespace jobforge::cli
