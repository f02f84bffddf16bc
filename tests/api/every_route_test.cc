// What must hold for every route of the table, so that a new one cannot forget it: permissions of
// each role, and ids of another tenant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "api/routes.h"
#include "api_world.h"
#include "services/access/permissions.h"

namespace jobforge::test {
namespace {

using api::Route;

std::vector<const Route*> routes() {
    return api::Router(api::all_routes()).routes();
}

// The pattern with these values for its names; "" where a value is missing.
std::string path_of(const Route& route, const std::map<std::string, std::string>& values) {
    std::string path(route.pattern);
    for (std::size_t open = path.find('{'); open != std::string::npos; open = path.find('{')) {
        const std::size_t close = path.find('}', open);
        const auto value = values.find(path.substr(open + 1, close - open - 1));
        EXPECT_NE(value, values.end()) << route.pattern << ": give the test a value for it";
        if (value == values.end()) {
            return {};
        }
        path.replace(open, close - open + 1, value->second);
    }
    return path;
}

class EveryRoute : public ApiWorld {
protected:
    // Things of the other tenant, one of each kind, made by its own key.
    std::map<std::string, std::string> things_of_the_other() {
        std::map<std::string, std::string> ids{{"type", "test.echo"}, {"fact_type", "Battery"}};
        const auto make = [&](const char* path, const std::string& body, const char* member) {
            const Reply made = ask("POST", path, {.key = other_admin_, .body = body});
            EXPECT_LT(made.status, 300) << path << " " << made.body;
            ids[member] = made.member(member);
            return ids[member];
        };
        make("/v1/jobs", R"({"type":"test.echo"})", "job_id");
        make("/v1/documents?kind=BOM&name=bom.json", R"({"components":[]})", "document_version_id");
        make("/v1/snapshots", R"({"label":"theirs"})", "snapshot_id");
        make("/v1/rule-packages",
             R"({"package":"p","dsl_source":"field a.b: Int = 1;\n","tests_source":""})",
             "rule_package_version_id");
        const std::string product =
            make("/v1/battery-products", R"({"sku":"S","name":"N"})", "battery_product_id");
        make("/v1/passports", fmt::format(R"({{"battery_product_id":"{}"}})", product),
             "passport_id");
        make("/v1/webhook-endpoints", R"({"url":"https://example.com/hook"})",
             "webhook_endpoint_id");
        make("/v1/intakes", R"({"denomination":"1 cent","year":1909})", "intake_id");
        ids["source"] = make("/v1/sources", R"({"name":"market","adapter":"manual"})", "source_id");
        make("/v1/access-policies", R"({"effect":"deny","path_pattern":"/v1/nothing"})",
             "policy_id");
        const Reply subscribed =
            ask("POST", "/v1/webhook-subscriptions",
                {.key = other_admin_,
                 .body = fmt::format(R"({{"webhook_endpoint_id":"{}","event_types":["*"]}})",
                                     ids["webhook_endpoint_id"])});
        EXPECT_EQ(subscribed.status, 201) << subscribed.body;
        ids["webhook_subscription_id"] =
            one("select webhook_subscription_id from jobforge.webhook_subscriptions");
        ids["connector"] = "connector.http.request";
        EXPECT_EQ(ask("PUT", "/v1/connector-configs/connector.http.request",
                      {.key = other_admin_, .body = R"({"config":{"timeout_ms":5000}})"})
                      .status,
                  200);
        run("insert into jobforge.artifacts (tenant_id, sha256, content) values ('" +
            other_tenant_.to_string() + "', sha256('theirs'), 'theirs')");
        ids["artifact_ref"] = one("select encode(sha256('theirs'), 'hex')");
        ids["tenant_id"] = other_tenant_.to_string();
        ids["key_id"] = key_id(other_admin_);
        ids["fact_key"] = "battery:S";
        // Made by workers, in time; an id that nobody has is refused in the same words.
        ids["passport_version_id"] = "0190aaaa-0000-7000-8000-000000000001";
        ids["webhook_delivery_id"] = "0190aaaa-0000-7000-8000-000000000002";
        return ids;
    }

    // A body that is right in itself, so that nothing but the id can be wrong.
    static std::string body_for(const Route& route) {
        static const std::map<std::string_view, std::string> bodies{
            {"/v1/jobs/{job_id}/complete", R"({"worker_id":"w","lease_token":1})"},
            {"/v1/jobs/{job_id}/fail",
             R"({"worker_id":"w","lease_token":1,"error":{"code":"X","message":"x"}})"},
            {"/v1/jobs/{job_id}/snooze", R"({"worker_id":"w","lease_token":1,"seconds":1})"},
            {"/v1/passports/{passport_id}/compile",
             R"({"snapshot_id":"0190aaaa-0000-7000-8000-000000000003",
                 "rule_package_version_id":"0190aaaa-0000-7000-8000-000000000004"})"},
            {"/v1/passport-versions/{passport_version_id}/revoke", R"({"reason":"x"})"},
            {"/v1/sources/{source}/rules", R"({"exclude_keywords":["x"]})"},
            {"/v1/webhook-endpoints/{webhook_endpoint_id}/subscriptions",
             R"({"event_types":["*"]})"},
            {"/v1/connector-configs/{connector}", R"({"config":{}})"},
        };
        const auto found = bodies.find(route.pattern);
        return found != bodies.end() ? found->second : route.body_limit > 0 ? "{}" : "";
    }
};

// Shared by all tenants: the names of types and connectors are the program's, not a tenant's.
bool is_shared(const Route& route) {
    return route.pattern == "/v1/job-types/{type}" ||
           (route.pattern == "/v1/connector-configs/{connector}" && route.method == "PUT");
}
// The installation's, for platform keys: a tenant's key is refused before anything is looked for.
bool is_of_platform(const Route& route) {
    return route.permission == services::Permission::platform_admin;
}
// For anybody who has read the id from a battery (public_page_test.cc).
bool is_public(const Route& route) {
    return route.pattern == "/p/{passport_id}";
}
// An empty list for a passport that is not ours says no more than "there is none".
bool answers_with_a_list(const Route& route) {
    return route.pattern == "/v1/passports/{passport_id}/versions";
}
// The lease decides before the job is looked for: nobody's job is held by nobody's token.
bool is_fenced(const Route& route) {
    return route.permission == services::Permission::jobs_work;
}

TEST_F(EveryRoute, ids_of_another_tenant_are_not_found_whatever_is_asked) {
    const auto ids = things_of_the_other();
    int asked = 0;
    for (const Route* route : routes()) {
        if (route->pattern.find('{') == std::string_view::npos || is_shared(*route) ||
            is_public(*route)) {
            continue;
        }
        const Reply reply =
            ask(route->method, path_of(*route, ids), {.key = admin_, .body = body_for(*route)});
        const std::string name =
            fmt::format("{} {}: {}", route->method, route->pattern, reply.body);
        if (answers_with_a_list(*route)) {
            EXPECT_EQ(reply.body, R"({"items":[],"next_cursor":null})") << name;
        } else if (is_of_platform(*route)) {
            EXPECT_EQ(reply.member("error.code"), "FORBIDDEN") << name;
        } else if (is_fenced(*route)) {
            EXPECT_EQ(reply.member("error.code"), "LEASE_LOST") << name;
        } else {
            EXPECT_EQ(reply.status, 404) << name;
            EXPECT_EQ(reply.member("error.code"), "NOT_FOUND") << name;
        }
        ++asked;
    }
    EXPECT_GT(asked, 40);
    // Nothing of the other tenant changed, and his own log knows nothing of it.
    EXPECT_EQ(ask("GET", "/v1/jobs/" + ids.at("job_id"), {.key = other_admin_}).member("status"),
              "QUEUED");
    EXPECT_EQ(events_of_key(other_admin_), "");
    EXPECT_THAT(events_of_key(admin_), ::testing::HasSubstr("NOT_FOUND"));
}

TEST_F(EveryRoute, each_role_may_do_what_the_table_of_permissions_says_and_nothing_else) {
    const auto ids = things_of_the_other();
    for (const services::Role role : services::all_roles()) {
        const std::string key = make_key(tenant_, {std::string(services::to_string(role))});
        for (const Route* route : routes()) {
            if (!route->permission) {
                continue;
            }
            const Reply reply =
                ask(route->method, path_of(*route, ids), {.key = key, .body = body_for(*route)});
            const bool may = services::roles_with(*route->permission).has(role);
            EXPECT_EQ(reply.status == 403, !may)
                << services::to_string(role) << " " << route->method << " " << route->pattern
                << ": " << reply.status << " " << reply.body;
            EXPECT_LT(reply.status, 500) << route->pattern << reply.body;
        }
    }
}

// It may look, and end its keys.
TEST_F(EveryRoute, a_suspended_tenant_changes_nothing) {
    const auto ids = things_of_the_other();
    const auto made = [&](const char* path, const char* body) {
        return ask("POST", path, {.key = other_admin_, .body = body}).status;
    };
    run(fmt::format("select jobforge.set_tenant('{}', '{{\"status\": \"SUSPENDED\"}}')",
                    other_tenant_.to_string()));
    for (const auto& [path, body] : std::map<const char*, const char*>{
             {"/v1/jobs", R"({"type":"test.echo"})"},
             {"/v1/jobs/batch", R"({"jobs":[{"type":"test.echo"}]})"},
             {"/v1/jobs/claim", R"({"worker_id":"w","types":["test.echo"]})"},
             {"/v1/documents?kind=BOM&name=bom.json", R"({"components":[]})"},
             {"/v1/sources", R"({"name":"n","adapter":"manual"})"},
             {"/v1/webhook-endpoints", R"({"url":"https://example.com/hook"})"},
             {"/v1/api-keys", R"({"name":"n","roles":["Admin"]})"}}) {
        EXPECT_EQ(made(path, body), 403) << path;
    }
    for (const Route* route : routes()) {
        const bool looks = route->method == "GET" || !route->permission ||
                           route->pattern == "/v1/passport-versions/{passport_version_id}/replay";
        if (!looks && route->pattern != "/v1/api-keys/{key_id}/revoke") {
            const Reply reply = ask(route->method, path_of(*route, ids),
                                    {.key = other_admin_, .body = body_for(*route)});
            // 422: the test has no body that is right.
            EXPECT_TRUE(reply.status == 403 || reply.status == 422)
                << route->method << " " << route->pattern << ": " << reply.status << reply.body;
        }
    }
}

TEST_F(EveryRoute, a_platform_key_may_do_what_is_of_the_platform_and_nothing_else) {
    const auto ids = things_of_the_other();
    const std::string key = make_platform_key();
    int of_platform = 0;
    for (const Route* route : routes()) {
        // Deleting the tenant would be right, and the end of its things.
        if (!route->permission || route->pattern == "/v1/tenants/{tenant_id}") {
            continue;
        }
        const Reply reply =
            ask(route->method, path_of(*route, ids), {.key = key, .body = body_for(*route)});
        EXPECT_EQ(reply.status == 403, !is_of_platform(*route))
            << route->method << " " << route->pattern << ": " << reply.status << " " << reply.body;
        EXPECT_LT(reply.status, 500) << route->pattern << reply.body;
        of_platform += is_of_platform(*route) ? 1 : 0;
    }
    EXPECT_GT(of_platform, 5);
    // Nothing of it stands in a tenant's trail.
    EXPECT_EQ(one("select count(*) from jobforge.events where actor_id like 'platform:%' and "
                  "tenant_id <> '00000000-0000-0000-0000-000000000000'"),
              "0");
}

TEST_F(EveryRoute, without_a_key_only_what_tells_nothing_is_answered) {
    for (const Route* route : routes()) {
        const bool open = !route->permission.has_value();
        if (!open) {
            const Reply reply = ask(route->method,
                                    path_of(*route, {{"type", "x"},
                                                     {"job_id", "x"},
                                                     {"document_version_id", "x"},
                                                     {"snapshot_id", "x"},
                                                     {"fact_type", "x"},
                                                     {"fact_key", "x"},
                                                     {"rule_package_version_id", "x"},
                                                     {"passport_id", "x"},
                                                     {"passport_version_id", "x"},
                                                     {"webhook_endpoint_id", "x"},
                                                     {"webhook_delivery_id", "x"},
                                                     {"source", "x"},
                                                     {"intake_id", "x"},
                                                     {"key_id", "x"},
                                                     {"artifact_ref", "x"},
                                                     {"connector", "x"},
                                                     {"tenant_id", "x"},
                                                     {"webhook_subscription_id", "x"},
                                                     {"policy_id", "x"}}),
                                    {});
            EXPECT_EQ(reply.status, 401) << route->pattern;
        } else {
            const bool asks_nobody =
                route->work == api::Work::none || route->work == api::Work::instant;
            EXPECT_TRUE(is_public(*route) ? route->work == api::Work::open_read : asks_nobody)
                << route->pattern;
        }
    }
}

TEST_F(EveryRoute, what_changes_something_is_no_get_and_what_reads_takes_no_body) {
    for (const Route* route : routes()) {
        const bool changes =
            route->work == api::Work::change || route->work == api::Work::change_once;
        if (route->method == "GET") {
            EXPECT_FALSE(changes) << route->pattern;
            EXPECT_EQ(route->body_limit, 0U) << route->pattern;
        }
        EXPECT_TRUE(route->pattern.starts_with("/v1/") || !route->permission) << route->pattern;
    }
}

}  // namespace
}  // namespace jobforge::test
