// A schema as it is checked: what json_schema.h's words become. Internal to it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "services/connectors/json_schema.h"
#include "values/pattern.h"

namespace jobforge {

enum class SchemaType { null, boolean, integer, number, string, array, object };
inline constexpr std::size_t kMostSchemaTypes = 7;
[[nodiscard]] std::string_view to_string(SchemaType type) noexcept;

enum class SchemaFormat { uuid, uri };

struct JsonSchema::Node {
    std::vector<SchemaType> types;  // empty: any
    std::optional<Json::Array> one_of;
    std::optional<Json> constant;
    std::optional<std::string> minimum, maximum;  // number texts
    std::optional<std::int64_t> min_length, max_length, min_items, max_items;
    std::optional<Pattern> pattern;
    std::string pattern_text;
    std::optional<SchemaFormat> format;
    std::shared_ptr<const Node> items;
    std::vector<std::string> required;
    std::map<std::string, std::shared_ptr<const Node>, std::less<>> properties;
    std::shared_ptr<const Node> additional;  // of members that are not in properties; null: any
    bool closed = false;                     // additionalProperties: false
};

// The schema's tree. VALIDATION_ERROR as JsonSchema::parse.
[[nodiscard]] Result<std::shared_ptr<const JsonSchema::Node>> parse_schema_node(
    const Json& schema, const std::string& pointer);

}  // namespace jobforge
