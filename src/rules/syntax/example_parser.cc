// Examples and properties.
#include <utility>

#include <fmt/format.h>

#include "rules/syntax/parser_impl.h"

namespace jobforge::rules {

bool Parser::example(Module& module) {
    Example example;
    const Span first = here();
    advance();
    auto name = require_name("the name of an example");
    constexpr std::string_view kAdvice =
        "write example name: { fixtures } => expect(path, == value); ;";
    if (!name || !require(":", kAdvice)) {
        return false;
    }
    example.name = *std::move(name);
    if (!fixtures(example.fixtures) || !require("=>", kAdvice) || !expectations(example)) {
        return false;
    }
    example.span = since(first);
    module.declarations.emplace_back(std::move(example));
    return true;
}

// One or more, each with its `;`, then the `;` of the example, which may be left out before the
// next declaration.
bool Parser::expectations(Example& example) {
    bool ok = true;
    do {
        if (!expectation(example)) {
            ok = false;
            skip_to({";"});
            accept(";");
        }
    } while (at("expect") || at("expectError") || at("expectCompliance"));
    if (!accept(";") && !at_end() && !at_declaration()) {
        report_expected("another expect, or the `;` that ends the example");
        return false;
    }
    return ok;
}

bool Parser::expectation(Example& example) {
    Expectation expectation;
    const Span first = here();
    bool ok = false;
    if (accept("expect")) {
        ok = expected_value(expectation);
    } else if (accept("expectError")) {
        ok = expected_error(expectation);
    } else if (accept("expectCompliance")) {
        ok = expected_compliance(expectation);
    } else {
        report_expected("expect, expectError or expectCompliance", "write expect(path, == value);");
    }
    if (!ok || !require(")")) {
        return false;
    }
    expectation.span = since(first);
    require_semicolon("the expectation");
    example.expectations.push_back(std::move(expectation));
    return true;
}

bool Parser::expected_value(Expectation& expectation) {
    constexpr std::string_view kAdvice = "write expect(path, == value), or with != < <= > >=";
    expectation.kind = Expectation::Kind::value;
    if (!require("(", kAdvice)) {
        return false;
    }
    expectation.path = require_path();
    if (!expectation.path || !require(",", kAdvice)) {
        return false;
    }
    const auto op = comparison_operator();
    if (!op) {
        report_expected("a comparison", kAdvice);
        return false;
    }
    const Span op_span = here();
    advance();
    auto left = std::make_unique<Expression>();
    left->span = expectation.path->span;
    left->node = FieldReference{expectation.path->text, expectation.path->span};
    expectation.comparison = binary(*op, op_span, std::move(left), expression());
    return expectation.comparison != nullptr;
}

bool Parser::expected_error(Expectation& expectation) {
    constexpr std::string_view kAdvice =
        "write expectError(\"CODE\") or expectError(path, \"CODE\")";
    expectation.kind = Expectation::Kind::error;
    if (!require("(", kAdvice)) {
        return false;
    }
    if (at_kind(TokenKind::word)) {
        expectation.path = require_path();
        if (!expectation.path || !require(",", kAdvice)) {
            return false;
        }
    }
    auto code = require_text("the code of an error in quotes");
    if (!code) {
        return false;
    }
    expectation.code = *std::move(code);
    return true;
}

bool Parser::expected_compliance(Expectation& expectation) {
    constexpr std::string_view kAdvice = "write expectCompliance(\"id\", \"PASS\")";
    expectation.kind = Expectation::Kind::compliance;
    if (!require("(", kAdvice)) {
        return false;
    }
    auto id = require_text("the id of a compliance entry in quotes");
    if (!id || !require(",", kAdvice)) {
        return false;
    }
    auto status = require_text("a status in quotes");
    if (!status) {
        return false;
    }
    expectation.code = *std::move(id);
    expectation.status = *std::move(status);
    return true;
}

bool Parser::property(Module& module) {
    constexpr std::string_view kAdvice =
        "write property name: cases(500) seed(7) => forall x: T(\"key\") . condition; ;";
    Property property;
    const Span first = here();
    advance();
    auto name = require_name("the name of a property");
    if (!name || !require(":", kAdvice)) {
        return false;
    }
    property.name = *std::move(name);
    if (!property_header(property) || !require("=>", kAdvice) || !forall(property) ||
        !require(".", "a dot ends the variables of forall")) {
        return false;
    }
    property.body = expression();
    if (!property.body) {
        return false;
    }
    require_semicolon("the property's condition");
    accept(";");
    property.span = since(first);
    module.declarations.emplace_back(std::move(property));
    return true;
}

// cases(N), seed(N) and { fixtures }, each at most once, in any order.
bool Parser::property_header(Property& property) {
    constexpr std::int64_t kLargestSeed = (std::int64_t{1} << 53) - 1;
    for (;;) {
        if (at("cases") && !property.cases) {
            if (!property_number(property.cases, 1, Property::kMaximumCases)) {
                return false;
            }
        } else if (at("seed") && !property.seed) {
            if (!property_number(property.seed, 0, kLargestSeed)) {
                return false;
            }
        } else if (at("{") && !property.has_fixtures) {
            property.has_fixtures = true;
            if (!fixtures(property.fixtures)) {
                return false;
            }
        } else {
            return true;
        }
    }
}

bool Parser::property_number(std::optional<std::uint64_t>& value, std::int64_t least,
                             std::int64_t most) {
    const std::string word(text());
    advance();
    if (!require("(", fmt::format("write {}(500)", word))) {
        return false;
    }
    const Span place = here();
    const auto number = require_integer("a whole number");
    if (!number) {
        return false;
    }
    if (*number < least || *number > most) {
        report(place, fmt::format("{} is from {} to {}", word, least, most));
        return false;
    }
    value = static_cast<std::uint64_t>(*number);
    return require(")");
}

bool Parser::forall(Property& property) {
    if (!require("forall", "a property speaks about all x: forall x: T(\"key\") . condition")) {
        return false;
    }
    do {
        if (!forall_variable(property)) {
            return false;
        }
    } while (accept(","));
    return true;
}

bool Parser::forall_variable(Property& property) {
    ForallVariable variable;
    const Span first = here();
    auto name = require_name("the name of a variable");
    if (!name || !require(":", "write forall x: T(\"key\"), or forall x: Int")) {
        return false;
    }
    variable.name = *std::move(name);
    auto syntax = type();
    if (!syntax) {
        return false;
    }
    variable.type_syntax = *std::move(syntax);
    if (accept("(")) {
        variable.key = require_text("the key of the fact in quotes");
        if (!variable.key || !require(")")) {
            return false;
        }
    }
    variable.span = since(first);
    property.variables.push_back(std::move(variable));
    return true;
}

}  // namespace jobforge::rules
