// The facts, product and day of issue that a test supplies: { fact b("Type", "key") = {...}; ... }.
#pragma once

#include "rules/syntax/ast.h"
#include "rules/syntax/token_reader.h"

namespace jobforge::rules {

class FixtureParser final {
public:
    explicit FixtureParser(TokenReader& tokens) noexcept : tokens_(tokens) {}

    [[nodiscard]] bool fixtures(Fixtures& fixtures);

private:
    [[nodiscard]] bool fixture(Fixtures& fixtures);
    [[nodiscard]] bool fact_fixture(Fixtures& fixtures);
    [[nodiscard]] bool product_fixture(Fixtures& fixtures);
    [[nodiscard]] bool issued_fixture(Fixtures& fixtures);
    [[nodiscard]] bool payload(FactFixture& fixture);

    TokenReader& tokens_;
};

}  // namespace jobforge::rules
