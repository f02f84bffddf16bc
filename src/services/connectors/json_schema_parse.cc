#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "services/connectors/json_schema_node.h"

namespace jobforge {

namespace {

using Node = JsonSchema::Node;
using NodePtr = std::shared_ptr<const Node>;

constexpr std::array<std::string_view, kMostSchemaTypes> kTypeNames = {
    "null", "boolean", "integer", "number", "string", "array", "object"};
constexpr std::array<std::string_view, 6> kAnnotations = {"$schema",     "$id",     "title",
                                                          "description", "default", "examples"};

Error bad_schema(const std::string& pointer, std::string_view wanted) {
    return Error::of(
        ErrorCode::VALIDATION_ERROR,
        fmt::format("schema {}: {}", pointer.empty() ? "(its root)" : pointer, wanted));
}

// Reads one keyword's value into the node; the pointer is the keyword's own place.
using ReadKeyword = Status (*)(Node&, const Json&, const std::string& pointer);

Status add_type(Node& node, const Json& name, const std::string& pointer) {
    const std::string* text = name.as_string();
    const auto* const found =
        text == nullptr ? kTypeNames.end() : std::ranges::find(kTypeNames, *text);
    if (found == kTypeNames.end()) {
        return bad_schema(pointer,
                          "a type is null, boolean, integer, number, string, array or "
                          "object");
    }
    node.types.push_back(static_cast<SchemaType>(found - kTypeNames.begin()));
    return ok_status();
}

Status read_type(Node& node, const Json& value, const std::string& pointer) {
    const Json::Array* several = value.as_array();
    if (several == nullptr) {
        return add_type(node, value, pointer);
    }
    if (several->empty()) {
        return bad_schema(pointer, "no type at all");
    }
    for (const Json& name : *several) {
        if (Status added = add_type(node, name, pointer); !added.ok()) {
            return added;
        }
    }
    return ok_status();
}

Status read_enum(Node& node, const Json& value, const std::string& pointer) {
    const Json::Array* values = value.as_array();
    if (values == nullptr || values->empty()) {
        return bad_schema(pointer, "must be an array of values");
    }
    node.one_of = *values;
    return ok_status();
}

Status read_const(Node& node, const Json& value, const std::string& /*pointer*/) {
    node.constant = value;
    return ok_status();
}

template <std::optional<std::string> Node::* Bound>
Status read_bound(Node& node, const Json& value, const std::string& pointer) {
    const auto text = value.number_text();
    if (!text) {
        return bad_schema(pointer, "must be a number");
    }
    node.*Bound = std::string(*text);
    return ok_status();
}

template <std::optional<std::int64_t> Node::* Count>
Status read_count(Node& node, const Json& value, const std::string& pointer) {
    const auto count = value.as_int64();
    if (!count || *count < 0) {
        return bad_schema(pointer, "must be a whole number from 0");
    }
    node.*Count = count;
    return ok_status();
}

Status read_pattern(Node& node, const Json& value, const std::string& pointer) {
    const std::string* text = value.as_string();
    auto compiled = Pattern::compile(text == nullptr ? "(" : *text);
    if (!compiled.ok()) {
        return bad_schema(pointer, "must be a pattern");
    }
    node.pattern = *std::move(compiled);
    node.pattern_text = *text;
    return ok_status();
}

Status read_format(Node& node, const Json& value, const std::string& pointer) {
    const std::string* name = value.as_string();
    if (name == nullptr || (*name != "uuid" && *name != "uri")) {
        return bad_schema(pointer, "must be \"uuid\" or \"uri\"");
    }
    node.format = *name == "uuid" ? SchemaFormat::uuid : SchemaFormat::uri;
    return ok_status();
}

Status read_items(Node& node, const Json& value, const std::string& pointer) {
    auto items = parse_schema_node(value, pointer);
    if (!items.ok()) {
        return std::move(items).error();
    }
    node.items = *std::move(items);
    return ok_status();
}

Status read_required(Node& node, const Json& value, const std::string& pointer) {
    const Json::Array* names = value.as_array();
    if (names == nullptr ||
        !std::ranges::all_of(*names, [](const Json& name) { return name.is_string(); })) {
        return bad_schema(pointer, "must be an array of names");
    }
    std::ranges::transform(*names, std::back_inserter(node.required),
                           [](const Json& name) { return *name.as_string(); });
    return ok_status();
}

Status read_properties(Node& node, const Json& value, const std::string& pointer) {
    if (!value.is_object()) {
        return bad_schema(pointer, "must be an object of schemas");
    }
    for (const auto& [name, schema] : *value.as_object()) {
        auto property = parse_schema_node(schema, pointer_to(pointer, name));
        if (!property.ok()) {
            return std::move(property).error();
        }
        node.properties.emplace(name, *std::move(property));
    }
    return ok_status();
}

Status read_additional(Node& node, const Json& value, const std::string& pointer) {
    if (const auto allowed = value.as_bool()) {
        node.closed = !*allowed;
        return ok_status();
    }
    auto schema = parse_schema_node(value, pointer);
    if (!schema.ok()) {
        return std::move(schema).error();
    }
    node.additional = *std::move(schema);
    return ok_status();
}

struct Keyword {
    std::string_view name;
    ReadKeyword read;
};
constexpr std::array<Keyword, 15> kKeywords = {{
    {"type", read_type},
    {"enum", read_enum},
    {"const", read_const},
    {"minimum", read_bound<&Node::minimum>},
    {"maximum", read_bound<&Node::maximum>},
    {"minLength", read_count<&Node::min_length>},
    {"maxLength", read_count<&Node::max_length>},
    {"minItems", read_count<&Node::min_items>},
    {"maxItems", read_count<&Node::max_items>},
    {"pattern", read_pattern},
    {"format", read_format},
    {"items", read_items},
    {"required", read_required},
    {"properties", read_properties},
    {"additionalProperties", read_additional},
}};

Status read_keyword(Node& node, const std::string& name, const Json& value,
                    const std::string& pointer) {
    const auto* const keyword = std::ranges::find(kKeywords, name, &Keyword::name);
    if (keyword != kKeywords.end()) {
        return keyword->read(node, value, pointer);
    }
    if (std::ranges::find(kAnnotations, name) != kAnnotations.end()) {
        return ok_status();
    }
    return bad_schema(pointer, "not a keyword that is checked here");
}

}  // namespace

std::string_view to_string(SchemaType type) noexcept {
    return kTypeNames[static_cast<std::size_t>(type)];
}

Result<NodePtr> parse_schema_node(const Json& schema, const std::string& pointer) {
    if (!schema.is_object()) {
        return bad_schema(pointer, "a schema is an object");
    }
    auto node = std::make_shared<Node>();
    for (const auto& [name, value] : *schema.as_object()) {
        if (Status read = read_keyword(*node, name, value, pointer_to(pointer, name)); !read.ok()) {
            return std::move(read).error();
        }
    }
    return NodePtr(std::move(node));
}

}  // namespace jobforge
