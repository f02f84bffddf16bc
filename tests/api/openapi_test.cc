// The description says what the routes are, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <fmt/format.h>

#include "api/docs_page.h"
#include "api/embedded_api.h"
#include "api/router.h"
#include "api/routes.h"

namespace jobforge::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string needs_of(const Route& route) {
    return route.permission ? fmt::format("Needs `{}`.", workloads::to_string(*route.permission))
                            : std::string("Needs no key.");
}

TEST(OpenApi, describes_exactly_the_routes_with_their_permissions) {
    std::set<std::string> routes;
    for (const Route* route : Router(all_routes()).routes()) {
        routes.insert(fmt::format("{} {}: {}", route->method, route->pattern, needs_of(*route)));
    }
    std::set<std::string> described;
    for (const DocumentedOperation& operation : documented_operations(openapi_yaml())) {
        described.insert(
            fmt::format("{} {}: {}", operation.method, operation.path, operation.description));
        EXPECT_FALSE(operation.summary.empty()) << operation.path;
        EXPECT_FALSE(operation.tag.empty()) << operation.path;
    }
    EXPECT_EQ(described, routes);
}

TEST(OpenApi, the_page_shows_every_operation_and_loads_nothing) {
    const std::string page = docs_page(openapi_yaml());
    for (const DocumentedOperation& operation : documented_operations(openapi_yaml())) {
        EXPECT_THAT(page, HasSubstr("<code>" + operation.path + "</code>"));
    }
    EXPECT_THAT(page, Not(HasSubstr("<script")));
    EXPECT_THAT(page, Not(HasSubstr("https://")));
}

TEST(OpenApi, what_a_description_says_is_text_and_not_markup) {
    const std::string page = docs_page(
        "paths:\n  /x<b>:\n    get:\n      tags: [T]\n      summary: \"a: <i>&\"\n"
        "      description: Needs `p`.\ncomponents:\n  /y:\n    get:\n");
    EXPECT_THAT(page, HasSubstr("<code>/x&lt;b&gt;</code><br>a: &lt;i&gt;&amp;."));
    EXPECT_THAT(page, HasSubstr("Needs p."));
    EXPECT_THAT(page, Not(HasSubstr("/y")));
}

}  // namespace
}  // namespace jobforge::api
