#include "rules/syntax/property_parser.h"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rules/syntax/expression_parser.h"
#include "rules/syntax/fixture_parser.h"
#include "rules/syntax/type_parser.h"

namespace jobforge::rules {

bool PropertyParser::property(Module& module) {
    constexpr std::string_view kAdvice =
        "write property name: cases(500) seed(7) => forall x: T(\"key\") . condition; ;";
    Property property;
    const Span first = tokens_.here();
    tokens_.advance();
    auto name = tokens_.require_name("the name of a property");
    if (!name || !tokens_.require(":", kAdvice)) {
        return false;
    }
    property.name = *std::move(name);
    if (!property_header(property) || !tokens_.require("=>", kAdvice) || !forall(property) ||
        !tokens_.require(".", "a dot ends the variables of forall")) {
        return false;
    }
    property.body = ExpressionParser(tokens_).expression();
    if (!property.body) {
        return false;
    }
    tokens_.require_semicolon("the property's condition");
    tokens_.accept(";");
    property.span = tokens_.since(first);
    module.declarations.emplace_back(std::move(property));
    return true;
}

// cases(N), seed(N) and { fixtures }, each at most once, in any order.
bool PropertyParser::property_header(Property& property) {
    constexpr std::int64_t kLargestSeed = (std::int64_t{1} << 53) - 1;
    for (;;) {
        if (tokens_.at("cases") && !property.cases) {
            if (!property_number(property.cases, 1, Property::kMaximumCases)) {
                return false;
            }
        } else if (tokens_.at("seed") && !property.seed) {
            if (!property_number(property.seed, 0, kLargestSeed)) {
                return false;
            }
        } else if (tokens_.at("{") && !property.has_fixtures) {
            property.has_fixtures = true;
            if (!FixtureParser(tokens_).fixtures(property.fixtures)) {
                return false;
            }
        } else {
            return true;
        }
    }
}

bool PropertyParser::property_number(std::optional<std::uint64_t>& value, std::int64_t least,
                                     std::int64_t most) {
    const std::string word(tokens_.text());
    tokens_.advance();
    if (!tokens_.require("(", fmt::format("write {}(500)", word))) {
        return false;
    }
    const Span place = tokens_.here();
    const auto number = tokens_.require_integer("a whole number");
    if (!number) {
        return false;
    }
    if (*number < least || *number > most) {
        tokens_.report(place, fmt::format("{} is from {} to {}", word, least, most));
        return false;
    }
    value = static_cast<std::uint64_t>(*number);
    return tokens_.require(")");
}

bool PropertyParser::forall(Property& property) {
    if (!tokens_.require("forall",
                         "a property speaks about all x: forall x: T(\"key\") . condition")) {
        return false;
    }
    do {
        if (!forall_variable(property)) {
            return false;
        }
    } while (tokens_.accept(","));
    return true;
}

bool PropertyParser::forall_variable(Property& property) {
    ForallVariable variable;
    const Span first = tokens_.here();
    auto name = tokens_.require_name("the name of a variable");
    if (!name || !tokens_.require(":", "write forall x: T(\"key\"), or forall x: Int")) {
        return false;
    }
    variable.name = *std::move(name);
    auto syntax = TypeParser(tokens_).type();
    if (!syntax) {
        return false;
    }
    variable.type_syntax = *std::move(syntax);
    if (tokens_.accept("(")) {
        variable.key = tokens_.require_text("the key of the fact in quotes");
        if (!variable.key || !tokens_.require(")")) {
            return false;
        }
    }
    variable.span = tokens_.since(first);
    property.variables.push_back(std::move(variable));
    return true;
}

}  // namespace jobforge::rules
