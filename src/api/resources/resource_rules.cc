// /v1/rule-packages: versions, DRAFT -> VALIDATED -> PUBLISHED -> DEPRECATED -> RETIRED.
#include "api/answers.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "services/passport/rule_packages.h"

namespace jobforge::api {

namespace {

using services::Permission;

Result<http::Response> upload(RequestContext& context) {
    BodyFields body(context.body);
    services::NewRules rules;
    rules.package = body.text("package");
    rules.dsl_source = body.text("dsl_source");
    rules.tests_source = body.opt_text("tests_source").value_or("");
    rules.rule_package_version_id = body.opt_uuid("rule_package_version_id");
    rules.actor_id = context.actor();
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    const auto uploaded = services::upload_rules(*context.calls, rules);
    if (!uploaded.ok()) {
        return uploaded.error();
    }
    const std::string version = uploaded->rule_package_version_id.to_string();
    const std::string text =
        Json::object({{"rule_package_id", uploaded->rule_package_id.to_string()},
                      {"rule_package_version_id", version},
                      {"version", uploaded->version},
                      {"deduplicated", uploaded->deduplicated}})
            .dump();
    return uploaded->deduplicated ? json_response(text)
                                  : created_response("/v1/rule-package-versions/" + version, text);
}

Result<http::Response> list(RequestContext& context) {
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    services::RulesFilter filter;
    filter.limit = page.rows_to_ask();
    filter.before = page.before_id(query);
    filter.package = query.opt_text("package");
    filter.status = query.opt_text("status");
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    return answer_page(services::list_rules(*context.calls, filter), page,
                       "rule_package_version_id");
}

Result<http::Response> get(RequestContext& context) {
    const auto id = context.id("rule_package_version_id");
    return id.ok() ? answer_object(services::get_rules(*context.calls, *id))
                   : Result<http::Response>(id.error());
}

Result<http::Response> run_tests(RequestContext& context) {
    const auto id = context.id("rule_package_version_id");
    BodyFields body(context.body);
    const std::int64_t seed = body.opt_integer("seed").value_or(0);
    const Status read = body.finish();
    if (!id.ok() || !read.ok()) {
        return id.ok() ? read.error() : id.error();
    }
    const auto job = services::request_rule_tests(*context.calls, *id, seed, context.actor());
    if (!job.ok()) {
        return job.error();
    }
    context.enqueued.push_back(*job);
    return json_response(Json::object({{"job_id", job->to_string()}}).dump(), 202);
}

using Change = Status (*)(engine::TenantCalls&, const Uuid&, const std::string&);

Result<http::Response> change(RequestContext& context, Change step) {
    const auto id = context.id("rule_package_version_id");
    return id.ok() ? answer_done(step(*context.calls, *id, context.actor()))
                   : Result<http::Response>(id.error());
}

Result<http::Response> publish(RequestContext& context) {
    return change(context, &services::publish_rules);
}

Result<http::Response> deprecate(RequestContext& context) {
    return change(context, &services::deprecate_rules);
}

Result<http::Response> retire(RequestContext& context) {
    return change(context, &services::retire_rules);
}

}  // namespace

std::span<const Route> rule_routes() {
    static constexpr Route kRoutes[] = {
        {"POST", "/v1/rule-packages", Permission::rules_write, Work::change, &upload, kJobBody},
        {"GET", "/v1/rule-package-versions", Permission::rules_read, Work::read, &list},
        {"GET", "/v1/rule-package-versions/{rule_package_version_id}", Permission::rules_read,
         Work::read, &get},
        {"POST", "/v1/rule-package-versions/{rule_package_version_id}/tests:run",
         Permission::rules_test, Work::change, &run_tests, kSmallBody},
        {"POST", "/v1/rule-package-versions/{rule_package_version_id}/publish",
         Permission::rules_publish, Work::change, &publish, kSmallBody},
        {"POST", "/v1/rule-package-versions/{rule_package_version_id}/deprecate",
         Permission::rules_publish, Work::change, &deprecate, kSmallBody},
        {"POST", "/v1/rule-package-versions/{rule_package_version_id}/retire",
         Permission::rules_publish, Work::change, &retire, kSmallBody},
    };
    return kRoutes;
}

}  // namespace jobforge::api
