// Files of jobs, large results, and what a job that does not say gets: /v1/artifacts, /v1/jobs.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "api_world.h"

namespace jobforge::test {
namespace {

class ArtifactsApi : public ApiWorld {
protected:
    // Its name.
    std::string keep(const Uuid& tenant, const std::string& content, const std::string& type) {
        run(
            fmt::format("insert into jobforge.artifacts (tenant_id, sha256, content, media_type) "
                        "values ('{0}', sha256('{1}'), '{1}', E'{2}')",
                        tenant.to_string(), content, type));
        return one(fmt::format("select encode(sha256('{}'), 'hex')", content));
    }
};

TEST_F(ArtifactsApi, has_the_bytes_with_their_type_under_the_name_of_their_hash) {
    const std::string name = keep(tenant_, "<h1>report</h1>", "text/html; charset=utf-8");
    const Reply found = get("/v1/artifacts/" + name);
    ASSERT_EQ(found.status, 200) << found.body;
    EXPECT_EQ(found.body, "<h1>report</h1>");
    EXPECT_EQ(found.response.content_type, "text/html; charset=utf-8");
    EXPECT_EQ(found.header("etag"), '"' + name + '"');
    EXPECT_EQ(found.header("content-disposition"), "attachment");
    const Reply known = ask("GET", "/v1/artifacts/" + name,
                            {.key = admin_, .headers = {{"if-none-match", '"' + name + '"'}}});
    EXPECT_EQ(known.status, 304);
    EXPECT_EQ(known.body, "");
}

TEST_F(ArtifactsApi, of_another_tenant_and_names_in_another_spelling_are_not_found) {
    const std::string theirs = keep(other_tenant_, "theirs", "text/plain");
    EXPECT_EQ(get("/v1/artifacts/" + theirs).status, 404);
    std::string ours = keep(tenant_, "ours", "text/plain");
    EXPECT_EQ(get("/v1/artifacts/" + ours).status, 200);
    std::string capitals = ours;
    for (char& c : capitals) {
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    for (const std::string& bad : {capitals, ours + "0", ours.substr(1), std::string("x")}) {
        EXPECT_EQ(get("/v1/artifacts/" + bad).status, 404) << bad;
    }
}

TEST_F(ArtifactsApi, a_type_that_cannot_stand_in_a_header_is_not_sent) {
    const Reply found = get("/v1/artifacts/" + keep(tenant_, "x", "text/plain\\r\\nX-Evil: 1"));
    EXPECT_EQ(found.status, 200);
    EXPECT_EQ(found.response.content_type, "application/octet-stream");
}

TEST_F(ArtifactsApi, a_large_result_names_its_artifact) {
    run("select jobforge.enable_test_types(true)");
    const std::string job = post("/v1/jobs", R"({"type":"test.echo"})").member("job_id");
    const Reply held =
        post("/v1/jobs/claim", R"({"worker_id":"w","types":["test.echo"],"limit":1})");
    const std::string token =
        held.json().find("items")->as_array()->front().find("lease_token")->dump();
    const std::string result = R"({"long":")" + std::string(300'000, 'x') + R"("})";
    const Reply settled =
        post("/v1/jobs/" + job + "/complete",
             fmt::format(R"({{"worker_id":"w","lease_token":{},"result":{}}})", token, result));
    ASSERT_LT(settled.status, 300) << settled.body;
    const std::string name = get("/v1/jobs/" + job + "/result").member("artifact_ref");
    const Reply bytes = get("/v1/artifacts/" + name);
    ASSERT_EQ(bytes.status, 200) << name;
    EXPECT_EQ(bytes.response.content_type, "application/json");
    EXPECT_EQ(bytes.json().find("long")->as_string()->size(), 300'000U);
    const std::string small = post("/v1/jobs", R"({"type":"test.echo"})").member("job_id");
    EXPECT_EQ(get("/v1/jobs/" + small + "/result").member("artifact_ref"), "");
}

TEST_F(ArtifactsApi, a_job_that_does_not_say_has_the_nodes_number_of_attempts) {
    run("select jobforge.enable_test_types(true)");
    options().tools.max_attempts = 2;
    const auto attempts = [&](const std::string& body) {
        const std::string id = post("/v1/jobs", body).member("job_id");
        return get("/v1/jobs/" + id).member("max_attempts");
    };
    EXPECT_EQ(attempts(R"({"type":"test.echo"})"), "2");
    EXPECT_EQ(attempts(R"({"type":"test.echo","max_attempts":9})"), "9");
    EXPECT_EQ(post("/v1/jobs/batch", R"({"jobs":[{"type":"test.echo","payload":{"n":1}}]})").status,
              201);
    EXPECT_EQ(one("select max_attempts from jobforge.jobs where payload = '{\"n\": 1}'"), "2");
    stop_service();
    options().tools.max_attempts = std::nullopt;
    EXPECT_EQ(attempts(R"({"type":"test.echo"})"), "5");
}

}  // namespace
}  // namespace jobforge::test
