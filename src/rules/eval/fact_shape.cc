#include "rules/eval/fact_shape.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/json/json_members.h"

namespace jobforge::rules {
namespace {

constexpr std::int64_t kLargestInt = (std::int64_t{1} << 53) - 1;
constexpr std::size_t kLongestQuote = 60;

// Where we are in the document, linked from the leaf to the root: costs nothing until it is needed.
struct Place {
    const Place* parent = nullptr;
    std::string_view name;             // of a member
    std::optional<std::size_t> index;  // of an element
};

void append_pointer(std::string& out, const Place& place) {
    if (place.parent == nullptr) {
        return;
    }
    append_pointer(out, *place.parent);
    out += '/';
    if (place.index) {
        out += std::to_string(*place.index);
        return;
    }
    for (const char c : place.name) {  // RFC 6901
        if (c == '~') {
            out += "~0";
        } else if (c == '/') {
            out += "~1";
        } else {
            out += c;
        }
    }
}

std::string found_json(const Json* json) {
    if (json == nullptr) {
        return "nothing";
    }
    switch (json->kind()) {
        case Json::Kind::array:
            return fmt::format("a list of {}", json->as_array()->size());
        case Json::Kind::object:
            return fmt::format("an object with {} members", json->as_object()->size());
        default:
            break;
    }
    std::string text = json->dump();
    if (text.size() > kLongestQuote) {
        std::size_t end = kLongestQuote;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
            --end;
        }
        text = text.substr(0, end) + "...";
    }
    return text;
}

// Builds the value, or remembers the first place that does not fit and gives up.
class Shaper final {
public:
    explicit Shaper(const Fact& fact) : fact_(fact) {}

    [[nodiscard]] Result<Value> shape(const Type& type) {
        if (auto value = any(&fact_.payload, type, Place{})) {
            return std::move(*value);
        }
        return std::move(error_);
    }

private:
    using Shaped = std::optional<Value>;

    Shaped any(const Json* json, const Type& type, const Place& place) {
        if (type.is(Type::Kind::optional)) {
            if (json == nullptr || json->is_null() ||
                (type.element().is(Type::Kind::quantity) &&
                 is_incomplete(*json, *type.element().unit()))) {
                return Value();
            }
            return any(json, type.element(), place);
        }
        if (json == nullptr) {
            return fail(json, type, place);
        }
        switch (type.kind()) {
            case Type::Kind::list:
                return list(*json, type, place);
            case Type::Kind::map:
                return map(*json, type, place);
            case Type::Kind::record:
                return record(*json, type, place);
            default: {
                if (type.is(Type::Kind::text) && was_number(place)) {
                    return fail(type, place, "the number " + *json->as_string());
                }
                Shaped value = scalar(*json, type);
                return value ? value : fail(json, type, place);
            }
        }
    }

    // 7 is a number in every form of the fact; 7.5 is a string there, but not in the document.
    [[nodiscard]] bool was_number(const Place& place) const {
        if (fact_.numbers.empty()) {
            return false;
        }
        std::string pointer;
        append_pointer(pointer, place);
        return std::ranges::binary_search(fact_.numbers, pointer);
    }

    static Shaped scalar(const Json& json, const Type& type) {
        switch (type.kind()) {
            case Type::Kind::boolean:
                if (const auto flag = json.as_bool()) {
                    return Value(*flag);
                }
                return {};
            case Type::Kind::integer:
                return integer(json);
            case Type::Kind::text:
                if (const auto* text = json.as_string()) {
                    return Value(*text);
                }
                return {};
            case Type::Kind::date:
                return date(json);
            case Type::Kind::decimal:
                return decimal(json, type.scale());
            case Type::Kind::quantity:
                return quantity(json, *type.unit());
            default:
                return {};
        }
    }

    static Shaped integer(const Json& json) {
        const auto number = json.as_int64();
        if (!number || *number > kLargestInt || *number < -kLargestInt) {
            return {};
        }
        return Value(*number);
    }

    static Shaped date(const Json& json) {
        const std::string* text = json.as_string();
        if (text == nullptr) {
            return {};
        }
        const auto date = Date::parse(*text);
        return date ? Shaped(Value(*date)) : Shaped();
    }

    static Shaped decimal(const Json& json, int scale) {
        const std::string* text = json.as_string();
        const auto number = json.number_text();
        if (text == nullptr && !integer(json)) {
            return {};
        }
        const auto written = Decimal::parse(text != nullptr ? std::string_view(*text) : *number);
        if (!written.ok() || written->scale() > scale) {
            return {};
        }
        const auto exact = written->rescale(scale);
        return exact.ok() ? Shaped(Value(*exact)) : Shaped();
    }

    static bool is_given(const Json* json) { return json != nullptr && !json->is_null(); }

    // A number without a unit, or a unit without a number, says nothing, and nor does a code for
    // something else: where a quantity may be missing, it is missing.
    static bool is_incomplete(const Json& json, const Unit& wanted) {
        if (!json.is_object()) {
            return false;
        }
        const Json* code = json.find("unitCode");
        if (!is_given(json.find("value"))) {
            return true;
        }
        if (is_given(json.find("unit"))) {
            return false;
        }
        if (!is_given(code) || !code->is_string()) {
            return !is_given(code);
        }
        const Unit* coded = find_unit_by_code(*code->as_string());
        return coded == nullptr || !same_dimension(*coded, wanted);
    }

    // "unit" has our name, "unitCode" that of UN/CEFACT; if both are there, they must agree.
    static const Unit* given_unit(const Json& json) {
        const auto read = [&json](const char* member, const Unit* (*find)(std::string_view)) {
            const Json* name = json.find(member);
            return name != nullptr && name->is_string() ? find(*name->as_string()) : nullptr;
        };
        const Unit* named = read("unit", find_unit);
        const Unit* coded = read("unitCode", find_unit_by_code);
        const bool both = is_given(json.find("unit")) && is_given(json.find("unitCode"));
        if (both && named != coded) {
            return nullptr;
        }
        return named != nullptr ? named : coded;
    }

    static Shaped quantity(const Json& json, const Unit& unit) {
        const Json* value = json.find("value");
        if (value == nullptr) {
            return {};
        }
        const Unit* given = given_unit(json);
        const Shaped number = decimal(*value, kQuantityScale);
        if (given == nullptr || !number || !same_dimension(*given, unit)) {
            return {};
        }
        const auto converted = convert(Quantity{number->decimal(), given}, unit);
        return converted.ok() ? Shaped(Value(*converted)) : Shaped();
    }

    Shaped list(const Json& json, const Type& type, const Place& place) {
        const Json::Array* array = json.as_array();
        if (array == nullptr) {
            return fail(&json, type, place);
        }
        Value::List elements;
        elements.reserve(array->size());
        for (const Json& item : *array) {
            Shaped element = any(&item, type.element(), Place{&place, {}, elements.size()});
            if (!element) {
                return {};
            }
            elements.push_back(std::move(*element));
        }
        return Value(std::move(elements));
    }

    Shaped map(const Json& json, const Type& type, const Place& place) {
        const Json::Object* object = json.as_object();
        if (object == nullptr) {
            return fail(&json, type, place);
        }
        Value::Members members;
        members.reserve(object->size());
        for (const auto& [name, item] : *object) {
            Shaped value = any(&item, type.element(), Place{&place, name, {}});
            if (!value) {
                return {};
            }
            members.push_back({name, std::move(*value)});
        }
        return Value::of_members(std::move(members));
    }

    Shaped record(const Json& json, const Type& type, const Place& place) {
        if (!json.is_object()) {
            return fail(&json, type, place);
        }
        const JsonMembers given(json, type.members().size());
        Value::Members members;
        members.reserve(type.members().size());
        for (const TypeMember& declared : type.members()) {
            Shaped value =
                any(given.find(declared.name), declared.type, Place{&place, declared.name, {}});
            if (!value) {
                return {};
            }
            members.push_back({declared.name, std::move(*value)});
        }
        return Value::of_members(std::move(members));
    }

    std::nullopt_t fail(const Json* json, const Type& type, const Place& place) {
        return fail(type, place, found_json(json));
    }

    std::nullopt_t fail(const Type& type, const Place& place, const std::string& found) {
        std::string pointer;
        append_pointer(pointer, place);
        const std::string expected = expected_json(type);
        error_ = Error::of(
            ErrorCode::FACT_SHAPE,
            fmt::format("The fact {} \"{}\" (from {}) does not have its declared shape at {}: "
                        "expected {}, found {}.",
                        fact_.fact_type, fact_.fact_key, fact_.document(),
                        pointer.empty() ? "its top" : pointer, expected, found));
        error_.hint = "Correct the document, or the declaration of the fact in the rules.";
        error_.details = Json::object({{"document", fact_.document()},
                                       {"expected", expected},
                                       {"fact_key", fact_.fact_key},
                                       {"fact_type", fact_.fact_type},
                                       {"found", found},
                                       {"pointer", pointer}})
                             .dump();
        return std::nullopt;
    }

    const Fact& fact_;
    Error error_;
};

}  // namespace

Result<Value> shape_fact(const Fact& fact, const Type& type) {
    return Shaper(fact).shape(type);
}

std::string expected_json(const Type& type) {
    switch (type.kind()) {
        case Type::Kind::boolean:
            return "Bool (true or false)";
        case Type::Kind::integer:
            return "Int (a whole number up to 9007199254740991, without quotes)";
        case Type::Kind::text:
            return "Text (in quotes)";
        case Type::Kind::date:
            return "Date (a day like \"2027-02-18\")";
        case Type::Kind::decimal:
            return fmt::format(
                "{} (a whole number, or a decimal in quotes, with at most {} digits behind the "
                "point and 38 in all)",
                type.notation(), type.scale());
        case Type::Kind::quantity:
            return fmt::format(
                "{0} (like {{\"value\": \"1.5\", \"unit\": \"{1}\"}}: at most 6 digits behind the "
                "point, a unit that converts to {1})",
                type.notation(), unit_name(*type.unit()));
        case Type::Kind::optional:
            return expected_json(type.element()) + ", or null";
        case Type::Kind::list:
            return "a list [...]";
        default:
            return "an object {...}";
    }
}

}  // namespace jobforge::rules
