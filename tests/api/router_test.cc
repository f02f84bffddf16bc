// Which route a request means: a pure table.
#include "api/router.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace jobforge::api {
namespace {

using services::Permission;

constexpr Route kJobs[] = {
    {"GET", "/v1/jobs", Permission::jobs_read},
    {"GET", "/v1/jobs/{job_id}", Permission::jobs_read},
    {"DELETE", "/v1/jobs/{job_id}", Permission::jobs_manage},
    {"GET", "/v1/jobs/{job_id}/attempts", Permission::jobs_read},
};
// Behind the ones with names, to show that the order does not matter.
constexpr Route kMore[] = {
    {"GET", "/v1/jobs/stats", Permission::jobs_read},
    {"POST", "/v1/rules/{id}/tests:run", Permission::rules_test},
};

class RouterTest : public ::testing::Test {
protected:
    static constexpr std::array<std::span<const Route>, 2> kTables{kJobs, kMore};
    Router router_{kTables};

    std::string pattern(std::string_view method, std::string_view path) {
        const RouteMatch match = router_.match(method, path);
        return match.route == nullptr ? "(none) " + match.allow : std::string(match.route->pattern);
    }
};

TEST_F(RouterTest, names_take_one_segment_and_hand_it_over) {
    const RouteMatch match = router_.match("GET", "/v1/jobs/42/attempts");
    ASSERT_NE(match.route, nullptr);
    EXPECT_EQ(match.route->pattern, "/v1/jobs/{job_id}/attempts");
    EXPECT_EQ(match.parameters, (PathParameters{{"job_id", "42"}}));
}

TEST_F(RouterTest, a_word_is_preferred_to_a_name_whatever_the_order) {
    EXPECT_EQ(pattern("GET", "/v1/jobs/stats"), "/v1/jobs/stats");
    EXPECT_EQ(pattern("GET", "/v1/jobs/stat"), "/v1/jobs/{job_id}");
    // Another method of the same shape is still found behind the word.
    EXPECT_EQ(pattern("DELETE", "/v1/jobs/stats"), "/v1/jobs/{job_id}");
}

TEST_F(RouterTest, head_is_get_and_a_colon_is_an_ordinary_character) {
    EXPECT_EQ(pattern("HEAD", "/v1/jobs"), "/v1/jobs");
    EXPECT_EQ(pattern("POST", "/v1/rules/7/tests:run"), "/v1/rules/{id}/tests:run");
}

TEST_F(RouterTest, other_methods_are_told_what_is_allowed) {
    EXPECT_EQ(pattern("POST", "/v1/jobs/7"), "(none) DELETE, GET, HEAD");
    EXPECT_EQ(pattern("GET", "/v1/rules/7/tests:run"), "(none) POST");
    EXPECT_EQ(pattern("get", "/v1/jobs"), "(none) GET, HEAD");
}

TEST_F(RouterTest, nothing_else_matches) {
    for (const char* path : {"/", "", "/v1", "/v1/", "/v1/jobs/", "/v1//jobs", "/v1/jobs/1/",
                             "/v1/jobs/1/2", "/V1/jobs", "/v1/jobs/1/attempts/2", "v2"}) {
        EXPECT_EQ(pattern("GET", path), "(none) ") << path;
    }
}

TEST_F(RouterTest, two_routes_of_one_shape_are_refused_at_the_start) {
    constexpr Route kTwice[] = {{"GET", "/v1/{a}/x", {}}, {"GET", "/v1/{b}/x", {}}};
    const std::array<std::span<const Route>, 1> tables{kTwice};
    EXPECT_THROW(Router{tables}, std::logic_error);
}

}  // namespace
}  // namespace jobforge::api
