#include "rules/syntax/example_parser.h"

#include <utility>

#include "rules/syntax/expression_node.h"
#include "rules/syntax/expression_parser.h"
#include "rules/syntax/fixture_parser.h"

namespace jobforge::rules {

bool ExampleParser::example(Module& module) {
    Example example;
    const Span first = tokens_.here();
    tokens_.advance();
    auto name = tokens_.require_name("the name of an example");
    constexpr std::string_view kAdvice =
        "write example name: { fixtures } => expect(path, == value); ;";
    if (!name || !tokens_.require(":", kAdvice)) {
        return false;
    }
    example.name = *std::move(name);
    if (!FixtureParser(tokens_).fixtures(example.fixtures) || !tokens_.require("=>", kAdvice) ||
        !expectations(example)) {
        return false;
    }
    example.span = tokens_.since(first);
    module.declarations.emplace_back(std::move(example));
    return true;
}

// One or more, each with its `;`, then the `;` of the example, which may be left out before the
// next declaration.
bool ExampleParser::expectations(Example& example) {
    bool ok = true;
    do {
        if (!expectation(example)) {
            ok = false;
            tokens_.skip_to({";"});
            tokens_.accept(";");
        }
    } while (tokens_.at("expect") || tokens_.at("expectError") || tokens_.at("expectCompliance"));
    if (!tokens_.accept(";") && !tokens_.at_end() && !tokens_.at_declaration()) {
        tokens_.report_expected("another expect, or the `;` that ends the example");
        return false;
    }
    return ok;
}

bool ExampleParser::expectation(Example& example) {
    Expectation expectation;
    const Span first = tokens_.here();
    bool ok = false;
    if (tokens_.accept("expect")) {
        ok = expected_value(expectation);
    } else if (tokens_.accept("expectError")) {
        ok = expected_error(expectation);
    } else if (tokens_.accept("expectCompliance")) {
        ok = expected_compliance(expectation);
    } else {
        tokens_.report_expected("expect, expectError or expectCompliance",
                                "write expect(path, == value);");
    }
    if (!ok || !tokens_.require(")")) {
        return false;
    }
    expectation.span = tokens_.since(first);
    tokens_.require_semicolon("the expectation");
    example.expectations.push_back(std::move(expectation));
    return true;
}

bool ExampleParser::expected_value(Expectation& expectation) {
    constexpr std::string_view kAdvice = "write expect(path, == value), or with != < <= > >=";
    expectation.kind = Expectation::Kind::value;
    if (!tokens_.require("(", kAdvice)) {
        return false;
    }
    expectation.path = tokens_.require_path();
    if (!expectation.path || !tokens_.require(",", kAdvice)) {
        return false;
    }
    const auto op = comparison_operator(tokens_);
    if (!op) {
        tokens_.report_expected("a comparison", kAdvice);
        return false;
    }
    const Span op_span = tokens_.here();
    tokens_.advance();
    auto left = std::make_unique<Expression>();
    left->span = expectation.path->span;
    left->node = FieldReference{expectation.path->text, expectation.path->span};
    expectation.comparison =
        make_binary(tokens_, *op, op_span, std::move(left), ExpressionParser(tokens_).expression());
    return expectation.comparison != nullptr;
}

bool ExampleParser::expected_error(Expectation& expectation) {
    constexpr std::string_view kAdvice =
        "write expectError(\"CODE\") or expectError(path, \"CODE\")";
    expectation.kind = Expectation::Kind::error;
    if (!tokens_.require("(", kAdvice)) {
        return false;
    }
    if (tokens_.at_kind(TokenKind::word)) {
        expectation.path = tokens_.require_path();
        if (!expectation.path || !tokens_.require(",", kAdvice)) {
            return false;
        }
    }
    auto code = tokens_.require_text("the code of an error in quotes");
    if (!code) {
        return false;
    }
    expectation.code = *std::move(code);
    return true;
}

bool ExampleParser::expected_compliance(Expectation& expectation) {
    constexpr std::string_view kAdvice = "write expectCompliance(\"id\", \"PASS\")";
    expectation.kind = Expectation::Kind::compliance;
    if (!tokens_.require("(", kAdvice)) {
        return false;
    }
    auto id = tokens_.require_text("the id of a compliance entry in quotes");
    if (!id || !tokens_.require(",", kAdvice)) {
        return false;
    }
    auto status = tokens_.require_text("a status in quotes");
    if (!status) {
        return false;
    }
    expectation.code = *std::move(id);
    expectation.status = *std::move(status);
    return true;
}

}  // namespace jobforge::rules
