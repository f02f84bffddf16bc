// Expressions, and where they may break: used by format.cc only.
#pragma once

#include "rules/format/format_writer.h"
#include "rules/syntax/ast.h"

namespace jobforge::rules {

class ExpressionFormatter final {
public:
    explicit ExpressionFormatter(FormatWriter& words) noexcept : words_(words) {}

    void expression(const Expression& expression);
    // Behind =, ->, then, else: on the same line if it fits, else indented below.
    void body(const Expression& expression);

private:
    void node(const Literal& node);
    void node(const Variable& node);
    void node(const FieldReference& node);
    void node(const Given& node);
    void node(const MemberAccess& node);
    void node(const Unary& node);
    void node(const Binary& node);
    void node(const If& node);
    void node(const ListLiteral& node);
    void node(const Block& node);
    void node(const Lambda& node);
    void node(const Call& node);
    void node(const Implies& node);
    void chain(const Binary& node, int precedence);

    FormatWriter& words_;
};

}  // namespace jobforge::rules
