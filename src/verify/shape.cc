#include "verify/shape.h"

#include "base/json/json_members.h"

namespace jobforge::verify {
namespace {

using Kind = Type::Kind;
using Shaped = std::optional<Value>;

constexpr std::int64_t kLargestInteger = (std::int64_t{1} << 53) - 1;

Shaped shape_integer(const Json& json) {
    const auto number = json.as_int64();
    if (!number || *number > kLargestInteger || *number < -kLargestInteger) {
        return {};
    }
    return Value(*number);
}

// An integer or a text of at most `scale` digits behind the point: never rounded.
std::optional<Decimal> exact_decimal(const Json& json, int scale) {
    const std::string* text = json.as_string();
    if (text == nullptr && !shape_integer(json)) {
        return {};
    }
    const auto written = Decimal::parse(text != nullptr ? *text : *json.number_text());
    if (!written.ok() || written->scale() > scale) {
        return {};
    }
    const auto scaled = written->rescale(scale);
    if (!scaled.ok()) {
        return {};
    }
    return *scaled;
}

// A member that is there and not null.
const Json* given(const Json& json, std::string_view member) {
    const Json* found = json.find(member);
    return found == nullptr || found->is_null() ? nullptr : found;
}

// By name ("unit") or by UN/CEFACT code ("unitCode"); where both are given they name one unit.
const Unit* unit_of(const Json& json) {
    const Json* name = given(json, "unit");
    const Json* code = given(json, "unitCode");
    const Unit* by_name =
        name != nullptr && name->is_string() ? find_unit(*name->as_string()) : nullptr;
    const Unit* by_code =
        code != nullptr && code->is_string() ? find_unit_by_code(*code->as_string()) : nullptr;
    if (name != nullptr && code != nullptr) {
        return by_name == by_code ? by_name : nullptr;
    }
    return name != nullptr ? by_name : by_code;
}

// Without a number, without a unit, or with the code of another kind of thing: no quantity of this
// dimension. Counts as missing where that is allowed.
bool is_half_a_quantity(const Json& json, const Type& type) {
    if (type.kind != Kind::quantity || !json.is_object()) {
        return false;
    }
    if (given(json, "value") == nullptr) {
        return true;
    }
    const Json* code = given(json, "unitCode");
    if (given(json, "unit") != nullptr || code == nullptr) {
        return given(json, "unit") == nullptr;
    }
    const Unit* unit = code->is_string() ? find_unit_by_code(*code->as_string()) : nullptr;
    return code->is_string() && (unit == nullptr || !same_dimension(*unit, *type.unit));
}

Shaped shape_quantity(const Json& json, const Type& type) {
    const Json* amount = json.find("value");
    if (amount == nullptr) {
        return {};
    }
    const auto number = exact_decimal(*amount, kQuantityScale);
    const Unit* unit = unit_of(json);
    if (!number || unit == nullptr || !same_dimension(*unit, *type.unit)) {
        return {};
    }
    const auto converted = convert(Quantity{*number, unit}, *type.unit);
    if (!converted.ok()) {
        return {};
    }
    return Value(*converted);
}

Shaped shape_scalar(const Json& json, const Type& type) {
    switch (type.kind) {
        case Kind::boolean:
            return json.as_bool() ? Shaped(Value(*json.as_bool())) : Shaped();
        case Kind::integer:
            return shape_integer(json);
        case Kind::text:
            return json.is_string() ? Shaped(Value(*json.as_string())) : Shaped();
        case Kind::date: {
            const auto day = json.is_string() ? Date::parse(*json.as_string()) : std::nullopt;
            return day ? Shaped(Value(*day)) : Shaped();
        }
        case Kind::decimal: {
            const auto number = exact_decimal(json, type.scale);
            return number ? Shaped(Value(*number)) : Shaped();
        }
        case Kind::quantity:
            return shape_quantity(json, type);
        default:
            return {};
    }
}

Shaped shape_list(const Json& json, const Type& type) {
    if (!json.is_array()) {
        return {};
    }
    Value::Items items;
    for (const Json& item : *json.as_array()) {
        Shaped value = shape(item, *type.inner);
        if (!value) {
            return {};
        }
        items.push_back(std::move(*value));
    }
    return Value(std::move(items));
}

Shaped shape_map(const Json& json, const Type& type) {
    if (!json.is_object()) {
        return {};
    }
    Value::Entries entries;
    for (const auto& [key, item] : *json.as_object()) {
        Shaped value = shape(item, *type.inner);
        if (!value) {
            return {};
        }
        entries.push_back({key, std::move(*value)});
    }
    return Value(std::move(entries));
}

Shaped shape_record(const Json& json, const Type& type) {
    if (!json.is_object()) {
        return {};
    }
    const Json absent;
    const JsonMembers members(json, type.members.size());
    Value::Entries entries;
    for (const Type::Member& member : type.members) {
        const Json* given = members.find(member.name);
        Shaped value = shape(given == nullptr ? absent : *given, *member.type);
        if (!value) {
            return {};
        }
        entries.push_back({member.name, std::move(*value)});
    }
    return Value(std::move(entries));
}

}  // namespace

std::optional<Value> shape(const Json& json, const Type& type) {
    switch (type.kind) {
        case Kind::optional:
            return json.is_null() || is_half_a_quantity(json, *type.inner)
                       ? Shaped(Value())
                       : shape(json, *type.inner);
        case Kind::list:
            return shape_list(json, type);
        case Kind::map:
            return shape_map(json, type);
        case Kind::record:
            return shape_record(json, type);
        default:
            return shape_scalar(json, type);
    }
}

std::optional<Value> read_exact(const Json& json, const Type& type) {
    Shaped value = shape(json, type);
    if (!value || value->json() != json) {
        return {};
    }
    return value;
}

}  // namespace jobforge::verify
