#include "services/connectors/json_schema.h"

#include <algorithm>

#include <fmt/format.h>
#include <jobforge/uuid.h>

#include "services/connectors/json_schema_node.h"
#include "values/number_order.h"

namespace jobforge {

namespace {

using Node = JsonSchema::Node;
using Problem = JsonSchema::Problem;
using Found = std::optional<Problem>;

constexpr std::size_t kLongestUri = 8192;

bool same_value(const Json& a, const Json& b);

bool same_arrays(const Json::Array& a, const Json::Array& b) {
    return std::ranges::equal(a, b, same_value);
}

bool same_objects(const Json::Object& a, const Json& b) {
    return a.size() == b.as_object()->size() &&
           std::ranges::all_of(a, [&b](const Json::Member& member) {
               const Json* other = b.find(member.first);
               return other != nullptr && same_value(member.second, *other);
           });
}

// As operator==, but numbers by value.
bool same_value(const Json& a, const Json& b) {
    if (a.kind() != b.kind()) {
        return false;
    }
    switch (a.kind()) {
        case Json::Kind::number:
            return compare_numbers(*a.number_text(), *b.number_text()) == 0;
        case Json::Kind::array:
            return same_arrays(*a.as_array(), *b.as_array());
        case Json::Kind::object:
            return same_objects(*a.as_object(), b);
        default:
            return a == b;
    }
}

bool is_of_type(const Json& value, SchemaType type) {
    switch (type) {
        case SchemaType::null:
            return value.is_null();
        case SchemaType::boolean:
            return value.is_bool();
        case SchemaType::integer:
            return value.is_number() && is_whole_number(*value.number_text());
        case SchemaType::number:
            return value.is_number();
        case SchemaType::string:
            return value.is_string();
        case SchemaType::array:
            return value.is_array();
        case SchemaType::object:
            return value.is_object();
    }
    return false;
}

std::int64_t code_points(std::string_view text) {
    return std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

bool is_uri(std::string_view text) {
    const bool known = text.starts_with("http://") || text.starts_with("https://");
    return known && text.size() <= kLongestUri && !text.ends_with("://") &&
           std::ranges::none_of(
               text, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; });
}

Found check_kind(const Node& node, const Json& value, const std::string& at) {
    const bool fits = node.types.empty() || std::ranges::any_of(node.types, [&](SchemaType type) {
                          return is_of_type(value, type);
                      });
    if (fits) {
        return std::nullopt;
    }
    std::string names;
    for (const SchemaType type : node.types) {
        names += fmt::format("{}{}", names.empty() ? "" : " or ", to_string(type));
    }
    return Problem{at, "must be of type " + names};
}

Found check_values(const Node& node, const Json& value, const std::string& at) {
    if (node.constant && !same_value(value, *node.constant)) {
        return Problem{at, "must be " + node.constant->dump()};
    }
    if (!node.one_of || std::ranges::any_of(*node.one_of, [&value](const Json& allowed) {
            return same_value(value, allowed);
        })) {
        return std::nullopt;
    }
    std::string choices;
    for (const Json& allowed : *node.one_of) {
        choices += fmt::format("{}{}", choices.empty() ? "" : ", ", allowed.dump());
    }
    return Problem{at, "must be one of " + choices};
}

Found check_number(const Node& node, std::string_view number, const std::string& at) {
    if (node.minimum && compare_numbers(number, *node.minimum) < 0) {
        return Problem{at, "must be at least " + *node.minimum};
    }
    if (node.maximum && compare_numbers(number, *node.maximum) > 0) {
        return Problem{at, "must be at most " + *node.maximum};
    }
    return std::nullopt;
}

Found check_count(std::int64_t count, const std::optional<std::int64_t>& least,
                  const std::optional<std::int64_t>& most, std::string_view unit,
                  const std::string& at) {
    if (least && count < *least) {
        return Problem{at, fmt::format("must have at least {} {}", *least, unit)};
    }
    if (most && count > *most) {
        return Problem{at, fmt::format("must have at most {} {}", *most, unit)};
    }
    return std::nullopt;
}

Found check_string(const Node& node, const std::string& text, const std::string& at) {
    if (auto found =
            check_count(code_points(text), node.min_length, node.max_length, "characters", at)) {
        return found;
    }
    if (node.pattern && !node.pattern->matches(text)) {
        return Problem{at, "must match " + node.pattern_text};
    }
    if (node.format == SchemaFormat::uuid && !Uuid::parse(text).ok()) {
        return Problem{at, "must be a UUID"};
    }
    if (node.format == SchemaFormat::uri && !is_uri(text)) {
        return Problem{at, "must be an http or https URL"};
    }
    return std::nullopt;
}

Found check_node(const Node& node, const Json& value, const std::string& at);

Found check_array(const Node& node, const Json::Array& items, const std::string& at) {
    if (auto found = check_count(static_cast<std::int64_t>(items.size()), node.min_items,
                                 node.max_items, "items", at)) {
        return found;
    }
    for (std::size_t i = 0; node.items && i < items.size(); ++i) {
        if (auto found = check_node(*node.items, items[i], fmt::format("{}/{}", at, i))) {
            return found;
        }
    }
    return std::nullopt;
}

Found check_member(const Node& node, const Json::Member& member, const std::string& at) {
    const std::string place = pointer_to(at, member.first);
    if (const auto known = node.properties.find(member.first); known != node.properties.end()) {
        return check_node(*known->second, member.second, place);
    }
    if (node.closed) {
        return Problem{place, "is not a known member"};
    }
    return node.additional ? check_node(*node.additional, member.second, place) : std::nullopt;
}

Found check_object(const Node& node, const Json& object, const std::string& at) {
    for (const std::string& name : node.required) {
        if (object.find(name) == nullptr) {
            return Problem{pointer_to(at, name), "is required"};
        }
    }
    for (const Json::Member& member : *object.as_object()) {
        if (auto found = check_member(node, member, at)) {
            return found;
        }
    }
    return std::nullopt;
}

Found check_node(const Node& node, const Json& value, const std::string& at) {
    if (auto found = check_kind(node, value, at)) {
        return found;
    }
    if (auto found = check_values(node, value, at)) {
        return found;
    }
    switch (value.kind()) {
        case Json::Kind::number:
            return check_number(node, *value.number_text(), at);
        case Json::Kind::string:
            return check_string(node, *value.as_string(), at);
        case Json::Kind::array:
            return check_array(node, *value.as_array(), at);
        case Json::Kind::object:
            return check_object(node, value, at);
        default:
            return std::nullopt;
    }
}

}  // namespace

std::string pointer_to(const std::string& pointer, std::string_view key) {
    std::string out = pointer + "/";
    for (const char c : key) {
        if (c == '~') {
            out += "~0";
        } else if (c == '/') {
            out += "~1";
        } else {
            out += c;
        }
    }
    return out;
}

Result<JsonSchema> JsonSchema::parse(const Json& schema) {
    auto root = parse_schema_node(schema, "");
    if (!root.ok()) {
        return std::move(root).error();
    }
    return JsonSchema(*std::move(root));
}

std::string JsonSchema::Problem::text() const {
    return fmt::format("{} {}", pointer.empty() ? "the payload" : pointer, message);
}

std::optional<JsonSchema::Problem> JsonSchema::check(const Json& value) const {
    return check_node(*root_, value, "");
}

Status JsonSchema::check_payload(const Json& payload) const {
    const auto problem = check(payload);
    if (!problem) {
        return ok_status();
    }
    Error error = Error::of(ErrorCode::JOB_PAYLOAD_INVALID, problem->text());
    error.details = Json::object({{"at", problem->pointer}}).dump();
    return error;
}

}  // namespace jobforge
