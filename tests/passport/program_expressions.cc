// Expressions of a wanted type. Everything compound stands in parentheses or is a call, so that the
// text of one may be put into another.
#include <fmt/format.h>

#include "program_generator.h"
#include "rules/eval/rule_value.h"

namespace jobforge::rules {
namespace {

struct UnitRule {
    const char* result;
    const char* left;
    const char* right;
};
constexpr UnitRule kProducts[] = {{"Wh", "V", "Ah"},
                                  {"Wh", "W", "h"},
                                  {"kWh", "kW", "h"},
                                  {"Ah", "A", "h"},
                                  {"W", "V", "A"},
                                  {"V", "A", "ohm"},
                                  {"gCO2e", "gCO2e_per_kWh", "kWh"},
                                  {"kgCO2e", "gCO2e_per_kWh", "MWh"}};
constexpr UnitRule kQuotients[] = {{"gCO2e_per_kWh", "gCO2e", "kWh"},
                                   {"kgCO2e_per_kWh", "kgCO2e", "kWh"},
                                   {"Ah", "Wh", "V"},
                                   {"W", "Wh", "h"},
                                   {"A", "W", "V"},
                                   {"ohm", "V", "A"},
                                   {"h", "Wh", "W"}};
// What std::regex and RE2 understand alike.
constexpr const char* kPatterns[] = {
    "^[A-Z]+-[0-9]{1,3}$", "[0-9]+", "^$", "a|b", "^-?[0-9]", "x.*x", "^[a-z ]*$"};
constexpr const char* kIntegers[] = {"0",
                                     "1",
                                     "-1",
                                     "2",
                                     "7",
                                     "-10",
                                     "1000",
                                     "999999999999",
                                     "9007199254740991",
                                     "-9007199254740991",
                                     "4503599627370496"};
constexpr const char* kTexts[] = {R"("")",
                                  R"("a")",
                                  R"("SKU-1")",
                                  R"("a:1")",
                                  R"("12.5")",
                                  R"("-0.005")",
                                  R"("line\nbreak \"q\" \\")",
                                  "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x94\x8B\"",
                                  R"("99999999999999999999999999999999999999")",
                                  R"("0.12345678901234567895")",
                                  R"("09521234010012")",
                                  R"("a text that is longer than sixteen bytes")"};
constexpr const char* kDates[] = {"2027-02-18", "2024-02-29", "0001-01-01", "9999-12-31",
                                  "1970-01-01"};
constexpr const char* kModes[] = {"half_even", "half_up", "down", "up"};
constexpr const char* kWholes[] = {"0",
                                   "1",
                                   "-1",
                                   "3",
                                   "12",
                                   "-250",
                                   "1000000000000",
                                   "12345678901234567890",
                                   "9999999999999999999999999"};

std::string unit_of(const Type& type) {
    return std::string(unit_name(*type.unit()));
}

}  // namespace

std::string ProgramGenerator::literal(const Type& type) {
    switch (type.kind()) {
        case Type::Kind::boolean:
            return chance(2) ? "true" : "false";
        case Type::Kind::integer:
            return pick(kIntegers);
        case Type::Kind::text:
            return pick(kTexts);
        case Type::Kind::date:
            return fmt::format("date(\"{}\")", pick(kDates));
        case Type::Kind::quantity:
            return fmt::format("qty({}{}, {})", random_.between(-1000, 1000),
                               chance(2) ? "" : fmt::format(".{}", random_.below(1000000)),
                               unit_of(type));
        default:
            break;
    }
    std::string whole = pick(kWholes);
    if (type.scale() == 0) return fmt::format("toDec(0, {})", random_.between(-99999, 99999));
    if (whole.size() + static_cast<std::size_t>(type.scale()) > 38) whole = "5";
    std::string fraction;
    const bool half = chance(4);
    for (int i = 0; i < type.scale(); ++i) {
        fraction += static_cast<char>('0' + (half ? (i == 0 ? 5 : 0) : random_.below(10)));
    }
    return whole + "." + fraction;
}

std::string ProgramGenerator::named(const Type& type, const Scope& scope) {
    std::vector<std::string> fitting;
    for (const Name& name : scope) {
        if (name.type == type) fitting.push_back(name.text);
        if (!name.type.is(Type::Kind::record)) continue;
        for (const TypeMember& member : name.type.members()) {
            if (member.type == type) fitting.push_back(name.text + "." + member.name);
        }
    }
    return fitting.empty() ? "" : fitting[random_.below(fitting.size())];
}

std::string ProgramGenerator::expression(const Type& type, const Scope& scope, int depth) {
    if (depth <= 0 || chance(5)) {
        if (std::string name = named(type, scope); !name.empty()) return name;
    }
    if (type.is(Type::Kind::record)) return record(type, scope, depth);
    if (type.is(Type::Kind::optional)) return optional(type, scope, depth);
    if (type.is(Type::Kind::list)) return list(type, scope, depth);
    if (depth <= 0) return literal(type);
    if (chance(4)) return structure(type, scope, depth - 1);
    switch (type.kind()) {
        case Type::Kind::boolean:
            return boolean(scope, depth - 1);
        case Type::Kind::integer:
            return integer(scope, depth - 1);
        case Type::Kind::decimal:
            return decimal(type.scale(), scope, depth - 1);
        case Type::Kind::quantity:
            return quantity(type, scope, depth - 1);
        case Type::Kind::text:
            return text(scope, depth - 1);
        default:
            return date(scope, depth - 1);
    }
}

// What every type has: blocks, choices, optionals, folds, declassify.
std::string ProgramGenerator::structure(const Type& type, const Scope& scope, int depth) {
    const auto sub = [&](const Type& wanted) { return expression(wanted, scope, depth); };
    switch (random_.below(8)) {
        case 0: {
            const Type bound = chance(3) ? fact_types_[0].type : any_type();
            Scope inner = scope;
            inner.push_back({fresh(), bound});
            return fmt::format("(let {} = {}; {})", inner.back().text, sub(bound),
                               expression(type, inner, depth));
        }
        case 1:
            return fmt::format("(assert({}, \"A{}\", \"asserted\"); {})", boolean(scope, depth - 1),
                               random_.below(3), sub(type));
        case 2:
            return fmt::format("unwrapOr({}, {})", sub(Type::optional(type)), sub(type));
        case 3:
            return fmt::format("requireSome({}, \"R{}\", \"missing\")", sub(Type::optional(type)),
                               random_.below(3));
        case 4: {
            const Type element = scalar_type();
            Scope inner = scope;
            const std::string accumulated = fresh();
            const std::string item = fresh();
            inner.push_back({accumulated, type});
            inner.push_back({item, element});
            return fmt::format("fold({}, {}, ({}, {}) -> {})", sub(Type::list(element)), sub(type),
                               accumulated, item, expression(type, inner, depth));
        }
        case 5:
            return fmt::format("declassify(\"reason {}\", {})", random_.below(3), sub(type));
        default:
            return fmt::format("(if {} then {} else {})", sub(Type::boolean()), sub(type),
                               sub(type));
    }
}

std::string ProgramGenerator::comparison(const Scope& scope, int depth) {
    constexpr const char* kOrders[] = {"<", "<=", ">", ">=", "==", "!="};
    if (chance(3)) {
        const Type type = any_type();
        return fmt::format("({} {} {})", expression(type, scope, depth),
                           chance(2) ? "==" : "!=", expression(type, scope, depth));
    }
    Type left = scalar_type();
    while (!left.is_orderable()) left = scalar_type();
    Type right = left;
    if (left.is(Type::Kind::decimal)) right = Type::decimal(chance(2) ? 2 : 0);
    if (left.is(Type::Kind::quantity) && unit_of(left) == "kWh") {
        right = Type::quantity(find_unit("Wh"));
    }
    return fmt::format("({} {} {})", expression(left, scope, depth), pick(kOrders),
                       expression(right, scope, depth));
}

std::string ProgramGenerator::boolean(const Scope& scope, int depth) {
    const auto sub = [&](const Type& wanted) { return expression(wanted, scope, depth); };
    switch (random_.below(14)) {
        case 0:
            return fmt::format("({} && {})", sub(Type::boolean()), sub(Type::boolean()));
        case 1:
            return fmt::format("({} || {})", sub(Type::boolean()), sub(Type::boolean()));
        case 2:
            return fmt::format("(!{})", sub(Type::boolean()));
        case 3:
            return fmt::format("contains({}, {})", sub(Type::text()), sub(Type::text()));
        case 4: {
            const Type element = scalar_type();
            return fmt::format("contains({}, {})", sub(Type::list(element)), sub(element));
        }
        case 5:
            return fmt::format("startsWith({}, {})", sub(Type::text()), sub(Type::text()));
        case 6:
            return fmt::format("matches({}, \"{}\")", sub(Type::text()), pick(kPatterns));
        case 7:
            if (chance(2)) return fmt::format("isSome({})", sub(Type::optional(scalar_type())));
            return fmt::format("isSome({}, {})", sub(Type::optional(scalar_type())),
                               sub(Type::optional(scalar_type())));
        case 8: {
            const Type element = scalar_type();
            Scope inner = scope;
            inner.push_back({fresh(), element});
            return fmt::format("{}({}, ({}) -> {})", chance(2) ? "any" : "all",
                               sub(Type::list(element)), inner.back().text,
                               expression(Type::boolean(), inner, depth));
        }
        case 9: {
            // Now and then a status that does not exist, which only evaluation can see.
            const std::string other = chance(8) ? "\"WA\" + " + sub(Type::text()) : "\"FAIL\"";
            return fmt::format("emitCompliance({}, if {} then \"PASS\" else {}, {})",
                               literal(Type::text()), sub(Type::boolean()), other,
                               sub(Type::text()));
        }
        case 10:
            return fmt::format("gs1CheckDigit({})", sub(Type::text()));
        default:
            return comparison(scope, depth);
    }
}

std::string ProgramGenerator::integer(const Scope& scope, int depth) {
    constexpr const char* kOperators[] = {"+", "-", "*"};
    constexpr const char* kParts[] = {"year", "month", "day"};
    const Type type = Type::integer();
    switch (random_.below(7)) {
        case 0:
            return fmt::format("{}({})", pick(kParts), expression(Type::date(), scope, depth));
        case 1:
            return fmt::format("count({})", expression(Type::list(scalar_type()), scope, depth));
        case 2:
            return fmt::format("(-({}))", expression(type, scope, depth));
        case 3:
            return literal(type);
        default:
            return fmt::format("({} {} {})", expression(type, scope, depth), pick(kOperators),
                               expression(type, scope, depth));
    }
}

std::string ProgramGenerator::decimal(int scale, const Scope& scope, int depth) {
    const auto sub = [&](int n) { return expression(Type::decimal(n), scope, depth); };
    const auto smaller = [&] {
        return static_cast<int>(random_.below(static_cast<std::uint64_t>(scale) + 1));
    };
    switch (random_.below(9)) {
        case 0:
            return fmt::format("({} {} {})", sub(scale), chance(2) ? "+" : "-", sub(smaller()));
        case 1: {
            const int left = smaller();
            return fmt::format("({} * {})", sub(left), sub(scale - left));
        }
        case 2:
            if (scale < 6) return fmt::format("(-({}))", sub(scale));
            return fmt::format("({} / {})", sub(scale == 6 ? smaller() : scale), sub(smaller()));
        case 3:
            return fmt::format("toDec({}, {}, \"{}\")", scale,
                               sub(static_cast<int>(random_.below(19))), pick(kModes));
        case 4:
            return fmt::format("toDec({}, {})", scale, expression(Type::integer(), scope, depth));
        case 5:
            return fmt::format(
                "sumDec({}, {})", scale,
                expression(Type::list(Type::decimal(static_cast<int>(random_.below(7)))), scope,
                           depth));
        case 6:
            if (scale == 6) {
                const Type unit = Type::quantity(find_unit("kWh"));
                const Type other = Type::quantity(find_unit(chance(2) ? "kWh" : "Wh"));
                return fmt::format("({} / {})", expression(unit, scope, depth),
                                   expression(other, scope, depth));
            }
            return fmt::format("unwrapOr(toDec({}, {}), {})", scale,
                               expression(Type::text(), scope, depth), sub(scale));
        default:
            return literal(Type::decimal(scale));
    }
}

std::string ProgramGenerator::quantity(const Type& type, const Scope& scope, int depth) {
    const auto sub = [&](const Type& wanted) { return expression(wanted, scope, depth); };
    const std::string unit = unit_of(type);
    const Type number =
        chance(2) ? Type::integer() : Type::decimal(static_cast<int>(random_.below(7)));
    for (const UnitRule& rule : kProducts) {
        if (unit != rule.result || !chance(4)) continue;
        return fmt::format("({} * {})", sub(Type::quantity(find_unit(rule.left))),
                           sub(Type::quantity(find_unit(rule.right))));
    }
    for (const UnitRule& rule : kQuotients) {
        if (unit != rule.result || !chance(4)) continue;
        return fmt::format("({} / {})", sub(Type::quantity(find_unit(rule.left))),
                           sub(Type::quantity(find_unit(rule.right))));
    }
    Type other = type;
    for (const std::string_view name : all_unit_names()) {
        if (same_dimension(*find_unit(name), *type.unit()) && chance(2)) {
            other = Type::quantity(find_unit(name));
        }
    }
    switch (random_.below(8)) {
        case 0:
            return fmt::format("({} {} {})", sub(type), chance(2) ? "+" : "-", sub(type));
        case 1:
            return chance(2) ? fmt::format("({} * {})", sub(type), sub(number))
                             : fmt::format("({} * {})", sub(number), sub(type));
        case 2:
            return fmt::format("({} / {})", sub(type), sub(Type::decimal(2)));
        case 3:
            return fmt::format("toQty(\"{}\", {})", unit, sub(number));
        case 4:
            return fmt::format("convert(\"{}\", {})", unit, sub(other));
        case 5:
            return fmt::format("sumQty(\"{}\", {})", unit, sub(Type::list(other)));
        case 6:
            return fmt::format("(-({}))", sub(type));
        default:
            return literal(type);
    }
}

std::string ProgramGenerator::text(const Scope& scope, int depth) {
    switch (random_.below(5)) {
        case 0:
            return chance(2) ? "product.sku" : "product.name";
        case 1: {
            Type type = scalar_type();
            while (type.is(Type::Kind::text)) type = scalar_type();
            return fmt::format("toText({})", expression(type, scope, depth));
        }
        case 2:
            return literal(Type::text());
        default:
            return fmt::format("({} + {})", expression(Type::text(), scope, depth),
                               expression(Type::text(), scope, depth));
    }
}

std::string ProgramGenerator::date(const Scope& scope, int depth) {
    switch (random_.below(3)) {
        case 0:
            return "issued_on";
        case 1:
            return literal(Type::date());
        default:
            return fmt::format("addDays({}, {})", expression(Type::date(), scope, depth),
                               chance(3) ? expression(Type::integer(), scope, depth)
                                         : std::to_string(random_.between(-800000, 800000)));
    }
}

std::string ProgramGenerator::optional(const Type& type, const Scope& scope, int depth) {
    const auto sub = [&](const Type& wanted) { return expression(wanted, scope, depth - 1); };
    const Type& element = type.element();
    if (element.is(Type::Kind::record)) {
        for (const Name& fact : fact_types_) {
            if (fact.type == element) {
                return fmt::format("getFact(\"{}\", {})", fact.text,
                                   chance(2) ? "\"a:1\"" : sub(Type::text()));
            }
        }
    }
    for (const Name& name : scope) {
        if (!name.type.is(Type::Kind::record) || !chance(2)) continue;
        for (const TypeMember& member : name.type.members()) {
            if (member.type == element || member.type == type) {
                return fmt::format("recordGet({}, \"{}\")", name.text, member.name);
            }
            if (member.type == Type::map(element)) {
                return fmt::format("recordGet({}.{}, {})", name.text, member.name,
                                   sub(Type::text()));
            }
        }
    }
    if (element.is(Type::Kind::decimal) && chance(3)) {
        return fmt::format("toDec({}, {})", element.scale(), sub(Type::text()));
    }
    for (const Name& fact : fact_types_) {
        for (const TypeMember& member : fact.type.members()) {
            if (member.type == element && chance(2)) {
                return fmt::format("recordGet(getFact(\"{}\", \"a:{}\"), \"{}\")", fact.text,
                                   random_.below(4), member.name);
            }
        }
    }
    if (chance(2)) return fmt::format("some({})", sub(element));
    return fmt::format("(if {} then {} else none)", sub(Type::boolean()), sub(element));
}

std::string ProgramGenerator::list(const Type& type, const Scope& scope, int depth) {
    const auto sub = [&](const Type& wanted) { return expression(wanted, scope, depth - 1); };
    const Type& element = type.element();
    if (element.is(Type::Kind::record)) {
        for (const Name& fact : fact_types_) {
            if (fact.type == element) {
                return fmt::format("getFactsByPrefix(\"{}\", \"{}\")", fact.text,
                                   chance(2) ? "a:" : "");
            }
        }
    }
    Scope inner = scope;
    if (depth > 0 && chance(3)) {
        const Type from = chance(2) ? scalar_type() : fact_types_[1].type;
        inner.push_back({fresh(), from});
        return fmt::format("map({}, ({}) -> {})", sub(Type::list(from)), inner.back().text,
                           expression(element, inner, depth - 1));
    }
    if (depth > 0 && chance(4)) {
        inner.push_back({fresh(), element});
        return fmt::format("filter({}, ({}) -> {})", sub(type), inner.back().text,
                           expression(Type::boolean(), inner, depth - 1));
    }
    if (depth > 0 && element.is_orderable() && chance(3)) return fmt::format("sort({})", sub(type));
    std::string items;
    for (std::uint64_t i = 0; i < 1 + random_.below(3); ++i) {
        items += (i == 0 ? "" : ", ") + sub(element);
    }
    if (chance(6)) return fmt::format("(if {} then [{}] else [])", sub(Type::boolean()), items);
    return "[" + items + "]";
}

// Records come from facts only.
std::string ProgramGenerator::record(const Type& type, const Scope& scope, int depth) {
    if (std::string name = named(type, scope); !name.empty() && chance(2)) return name;
    for (const Name& fact : fact_types_) {
        if (fact.type == type) {
            return fmt::format("requireSome({}, \"F1\", \"no fact\")",
                               optional(Type::optional(type), {}, depth));
        }
        for (const TypeMember& member : fact.type.members()) {
            if (member.type == type) {
                return record(fact.type, {}, depth) + "." + member.name;
            }
        }
    }
    return "none";
}

}  // namespace jobforge::rules
