// The API's description as a page: no script, nothing from elsewhere. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jobforge::api {

struct DocumentedOperation {
    std::string method;  // GET
    std::string path;
    std::string tag;
    std::string summary;
    std::string description;
    std::string example;  // of the body, JSON; empty: none
};

// The operations of an OpenAPI document in the layout of openapi.yaml (two blanks a level, one line
// a value): what the page and the test that compares it with the routes need, not a YAML reader.
[[nodiscard]] std::vector<DocumentedOperation> documented_operations(std::string_view yaml);

[[nodiscard]] std::string docs_page(std::string_view yaml);

}  // namespace jobforge::api
