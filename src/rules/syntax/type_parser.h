// Types as they are written: Dec(2), Opt(Text), Record(a: Text, b: Int), the name of a fact.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "rules/syntax/ast.h"
#include "rules/syntax/token_reader.h"

namespace jobforge::rules {

class TypeParser final {
public:
    explicit TypeParser(TokenReader& tokens) noexcept : tokens_(tokens) {}

    [[nodiscard]] std::optional<TypeSyntax> type();
    // Members up to `close`, which is consumed. A comma may follow the last one.
    [[nodiscard]] bool record_members(std::vector<TypeSyntaxMember>& members,
                                      std::string_view close);

private:
    [[nodiscard]] bool type_arguments(TypeSyntax& type);
    [[nodiscard]] bool element_type(TypeSyntax& type);
    [[nodiscard]] bool record_member(std::vector<TypeSyntaxMember>& members);

    TokenReader& tokens_;
};

}  // namespace jobforge::rules
