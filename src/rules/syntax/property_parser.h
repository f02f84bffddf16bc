// Tests of many generated cases: property name: cases(500) => forall x: T("key") . condition;
#pragma once

#include <cstdint>
#include <optional>

#include "rules/syntax/ast.h"
#include "rules/syntax/token_reader.h"

namespace jobforge::rules {

class PropertyParser final {
public:
    explicit PropertyParser(TokenReader& tokens) noexcept : tokens_(tokens) {}

    // At the word `property`.
    [[nodiscard]] bool property(Module& module);

private:
    [[nodiscard]] bool property_header(Property& property);
    [[nodiscard]] bool property_number(std::optional<std::uint64_t>& value, std::int64_t least,
                                       std::int64_t most);
    [[nodiscard]] bool forall(Property& property);
    [[nodiscard]] bool forall_variable(Property& property);

    TokenReader& tokens_;
};

}  // namespace jobforge::rules
