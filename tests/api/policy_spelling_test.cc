// Hole 8 of the attack on tenants: denials were passed by an id in capitals, and by a source's id
// where the policy had its name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "api/routes.h"
#include "api_world.h"

namespace jobforge::test {
namespace {

using ::testing::HasSubstr;

std::string in_capitals(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

std::string without_dashes(std::string text) {
    std::erase(text, '-');
    return text;
}

class PolicySpelling : public ApiWorld {
protected:
    PolicySpelling() : operator_(make_key(tenant_, {"Operator"})) {}

    Reply as_operator(std::string_view method, const std::string& path, std::string body = {}) {
        return ask(method, path, {.key = operator_, .body = std::move(body)});
    }
    void add(const std::string& effect, const std::string& path, int priority = 0) {
        const Reply added = post("/v1/access-policies",
                                 fmt::format(R"({{"effect":"{}","path_pattern":"{}","priority":{},
                                     "role":"Operator"}})",
                                             effect, path, priority));
        ASSERT_EQ(added.status, 201) << added.body;
    }
    std::string make_job() { return post("/v1/jobs", R"({"type":"test.echo"})").member("job_id"); }
    std::string make_source(const std::string& name) {
        return post("/v1/sources", fmt::format(R"({{"name":"{}","adapter":"manual"}})", name))
            .member("source_id");
    }
    bool enabled(const std::string& source) {
        return get("/v1/sources/" + source).member("enabled") == "true";
    }

    const std::string operator_;
};

TEST_F(PolicySpelling, a_denied_id_is_denied_or_not_found_in_every_spelling) {
    const std::string job = make_job();
    add("deny", "/v1/jobs/" + job + "/**");
    EXPECT_EQ(as_operator("POST", "/v1/jobs/" + job + "/cancel").status, 403);
    for (const std::string& other : {in_capitals(job), "%7B" + job + "%7D", without_dashes(job),
                                     job + "%20", "urn:uuid:" + job}) {
        const std::string path = "/v1/jobs/" + other;
        EXPECT_EQ(as_operator("GET", path).status, 404) << path;
        EXPECT_EQ(as_operator("POST", path + "/cancel").status, 404) << path;
    }
    EXPECT_EQ(as_operator("GET", "/v1/jobs/" + job + "/").status, 404);
    EXPECT_EQ(as_operator("GET", "/v1//jobs/" + job).status, 404);
    EXPECT_EQ(as_operator("GET", "/V1/jobs/" + job).status, 404);
    EXPECT_EQ(as_operator("GET", "/v1/%6Aobs/" + job).status, 403) << "decoded, and so the same";
    EXPECT_EQ(get("/v1/jobs/" + job).member("status"), "QUEUED");
}

TEST_F(PolicySpelling, the_refusal_of_a_spelling_says_which_one_is_right_and_asks_nobody) {
    const std::string job = make_job();
    const Reply refused = get("/v1/jobs/" + in_capitals(job));
    EXPECT_EQ(refused.status, 404);
    EXPECT_EQ(refused.member("error.code"), "NOT_FOUND");
    EXPECT_THAT(refused.member("error.details.hint"), HasSubstr("lower case"));
    EXPECT_EQ(events_of_key(admin_), "") << "answered before anybody decided about it";
    EXPECT_EQ(ask("GET", "/v1/jobs/" + in_capitals(job), {}).status, 401) << "no key comes first";
}

// The router's own table, so that a new route with an id cannot forget it.
TEST_F(PolicySpelling, no_route_takes_an_id_in_another_spelling) {
    const std::string upper = "0190AAAA-0000-7000-8000-000000000001";
    int asked = 0;
    for (const api::Route* route : api::Router(api::all_routes()).routes()) {
        std::string path(route->pattern);
        bool has_id = false;
        for (auto open = path.find('{'); open != std::string::npos; open = path.find('{')) {
            const std::size_t close = path.find('}', open);
            const std::string name = path.substr(open + 1, close - open - 1);
            const bool is_id = name.ends_with("_id") || name == "source";
            has_id = has_id || is_id;
            path.replace(open, close - open + 1,
                         name == "key_id" ? "AB3D5F7HA2C4E6GQ"
                         : is_id          ? upper
                                          : "x");
        }
        if (!has_id || !route->permission) {
            continue;
        }
        const Reply reply = ask(route->method, path, {.key = admin_});
        EXPECT_EQ(reply.status, 404) << route->method << " " << path << " " << reply.body;
        EXPECT_THAT(reply.member("error.details.hint"), HasSubstr("lower case")) << path;
        ++asked;
    }
    EXPECT_GT(asked, 40);
}

TEST_F(PolicySpelling, a_policy_written_in_capitals_denies_the_thing_it_names) {
    const std::string job = make_job();
    add("deny", "/v1/jobs/" + in_capitals(job));
    EXPECT_EQ(as_operator("GET", "/v1/jobs/" + job).status, 403);
}

TEST_F(PolicySpelling, a_source_denied_by_its_name_is_denied_by_its_id) {
    const std::string id = make_source("mint");
    make_source("market");
    add("deny", "/v1/sources/mint/**");
    for (const std::string& name : {std::string("mint"), id, std::string("%6Dint")}) {
        const std::string path = "/v1/sources/" + name;
        EXPECT_EQ(as_operator("GET", path).status, 403) << path;
        EXPECT_EQ(as_operator("POST", path + "/disable").status, 403) << path;
        EXPECT_EQ(as_operator("PUT", path + "/rules", R"({"exclude_keywords":["x"]})").status, 403);
        const Reply refused = as_operator("POST", path + "/pause", "{}");
        EXPECT_EQ(refused.member("error.details.reason"), "policy") << refused.body;
    }
    EXPECT_EQ(as_operator("POST", "/v1/sources/" + in_capitals(id) + "/disable").status, 404);
    EXPECT_TRUE(enabled("mint"));
    EXPECT_EQ(as_operator("POST", "/v1/sources/market/disable").status, 204) << "not the denied";
}

TEST_F(PolicySpelling, a_source_denied_by_its_id_is_denied_by_its_name) {
    const std::string id = make_source("coins of the mint");  // a pattern cannot have such a name
    add("deny", "/v1/sources/" + in_capitals(id) + "/*");
    EXPECT_EQ(as_operator("POST", "/v1/sources/coins%20of%20the%20mint/disable").status, 403);
    EXPECT_EQ(as_operator("POST", "/v1/sources/" + id + "/disable").status, 403);
    EXPECT_TRUE(enabled(id));
    EXPECT_EQ(as_operator("GET", "/v1/sources/coins%20of%20the%20mint").status, 200)
        << "one segment more was denied";
}

TEST_F(PolicySpelling, an_allowance_by_one_spelling_shields_the_other) {
    const std::string id = make_source("mint");
    add("deny", "/v1/sources/**", 10);
    add("allow", "/v1/sources/mint/**", 20);
    EXPECT_EQ(as_operator("GET", "/v1/sources/mint").status, 200);
    EXPECT_EQ(as_operator("GET", "/v1/sources/" + id).status, 200);
    EXPECT_EQ(as_operator("GET", "/v1/sources").status, 403);
}

TEST_F(PolicySpelling, a_denied_source_is_not_changed_through_the_collection) {
    const std::string id = make_source("mint");
    const auto save = [&](const std::string& name) {
        return as_operator(
                   "POST", "/v1/sources",
                   fmt::format(R"({{"name":"{}","adapter":"manual","enabled":false}})", name))
            .status;
    };
    add("deny", "/v1/sources/" + id + "/**");
    EXPECT_EQ(save("mint"), 403);
    EXPECT_TRUE(enabled("mint"));
    EXPECT_EQ(save("market"), 201);
    add("deny", "/v1/sources/reserved");
    EXPECT_EQ(save("reserved"), 403) << "it would be made under a denied path";
}

TEST_F(PolicySpelling, a_source_that_does_not_exist_is_not_found_with_policies_and_without) {
    EXPECT_EQ(as_operator("GET", "/v1/sources/nothing").status, 404);
    add("deny", "/v1/workers");
    EXPECT_EQ(as_operator("GET", "/v1/sources/nothing").status, 404);
}

}  // namespace
}  // namespace jobforge::test
