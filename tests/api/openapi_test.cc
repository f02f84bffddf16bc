// The description says what the routes are, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "api/pages/embedded_api.h"
#include "api/router.h"
#include "api/routes.h"

namespace jobforge::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct DocumentedOperation {
    std::string method;  // get
    std::string path;
    std::string tag;
    std::string summary;
    std::string description;
};

// The line's value if it stands at this level under this key.
std::optional<std::string> value_at(std::string_view line, std::size_t blanks,
                                    std::string_view key) {
    if (line.find_first_not_of(' ') != blanks || !line.substr(blanks).starts_with(key)) {
        return std::nullopt;
    }
    return std::string(line.substr(blanks + key.size()));
}

void read_line(std::string_view line, std::string& path, std::vector<DocumentedOperation>& out) {
    constexpr std::string_view kMethods[] = {"get:", "post:", "put:", "patch:", "delete:"};
    if (const auto value = value_at(line, 2, "/")) {
        path = "/" + value->substr(0, value->size() - 1);
        return;
    }
    for (const std::string_view method : kMethods) {
        if (const auto rest = value_at(line, 4, method); rest && rest->empty()) {
            out.push_back({std::string(method.substr(0, method.size() - 1)), path, {}, {}, {}});
        }
    }
    if (out.empty()) {
        return;
    }
    if (const auto tag = value_at(line, 6, "tags: ")) {
        out.back().tag = *tag;
    } else if (const auto summary = value_at(line, 6, "summary: ")) {
        out.back().summary = *summary;
    } else if (const auto description = value_at(line, 6, "description: ")) {
        out.back().description = *description;
    }
}

// The operations in the layout of openapi.yaml (two blanks a level, one line a value).
std::vector<DocumentedOperation> documented_operations(std::string_view yaml) {
    std::vector<DocumentedOperation> operations;
    std::string path;
    bool in_paths = false;
    while (!yaml.empty()) {
        const std::size_t end = std::min(yaml.find('\n'), yaml.size());
        const std::string_view line = yaml.substr(0, end);
        yaml.remove_prefix(std::min(end + 1, yaml.size()));
        if (!line.empty() && line.front() != ' ') {
            in_paths = line == "paths:";
        } else if (in_paths) {
            read_line(line, path, operations);
        }
    }
    return operations;
}

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return static_cast<char>(c - ('a' - 'A')); });
    return text;
}

std::string needs_of(const Route& route) {
    return route.permission ? fmt::format("Needs `{}`.", services::to_string(*route.permission))
                            : std::string("Needs no key.");
}

TEST(OpenApi, describes_exactly_the_routes_with_their_permissions) {
    std::set<std::string> routes;
    for (const Route* route : Router(all_routes()).routes()) {
        routes.insert(fmt::format("{} {}: {}", route->method, route->pattern, needs_of(*route)));
    }
    std::set<std::string> described;
    for (const DocumentedOperation& operation : documented_operations(openapi_yaml())) {
        described.insert(fmt::format("{} {}: {}", upper(operation.method), operation.path,
                                     operation.description));
        EXPECT_FALSE(operation.summary.empty()) << operation.path;
        EXPECT_FALSE(operation.tag.empty()) << operation.path;
    }
    EXPECT_EQ(described, routes);
}

TEST(OpenApi, the_page_shows_every_operation_and_loads_nothing) {
    const std::string page(api_page());
    for (const DocumentedOperation& operation : documented_operations(openapi_yaml())) {
        EXPECT_THAT(page,
                    HasSubstr(fmt::format("<b class={0}>{1}</b><code>{2}</code>", operation.method,
                                          upper(operation.method), operation.path)));
    }
    EXPECT_THAT(page, HasSubstr("<a href=\"#type-NewJob\">NewJob</a>"));
    EXPECT_THAT(page, HasSubstr("id=\"type-NewJob\""));
    for (const char* foreign : {"<script", "<link", "<img", " src=", "href=\"http", "@import"}) {
        EXPECT_THAT(page, Not(HasSubstr(foreign)));
    }
}

}  // namespace
}  // namespace jobforge::api
