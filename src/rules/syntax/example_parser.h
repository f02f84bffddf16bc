// Tests of one case: example name: { fixtures } => expect(path, == value); ;
#pragma once

#include "rules/syntax/ast.h"
#include "rules/syntax/token_reader.h"

namespace jobforge::rules {

class ExampleParser final {
public:
    explicit ExampleParser(TokenReader& tokens) noexcept : tokens_(tokens) {}

    // At the word `example`.
    [[nodiscard]] bool example(Module& module);

private:
    [[nodiscard]] bool expectations(Example& example);
    [[nodiscard]] bool expectation(Example& example);
    [[nodiscard]] bool expected_value(Expectation& expectation);
    [[nodiscard]] bool expected_error(Expectation& expectation);
    [[nodiscard]] bool expected_compliance(Expectation& expectation);

    TokenReader& tokens_;
};

}  // namespace jobforge::rules
