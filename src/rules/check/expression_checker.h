// Gives every expression its type, and constants their final value.
//
// Three steps, always the same: infer the type from the inside; adapt constants (an Int literal, a
// `none`, an empty list) to what is wanted around them; report what still does not fit. A part that
// was reported has the error type, which fits everywhere: one fault is one message.
//
// This class knows the expression as a whole: its variables, the fields it reads. What a node of
// the tree means is known by the checker of its kind (NameChecker, CompoundChecker,
// OperatorChecker, BuiltinChecker and those it names), which asks this one about the parts inside.
#pragma once

#include <set>
#include <string_view>

#include "rules/check/checker.h"
#include "rules/check/rule_type.h"
#include "rules/check/variable_scope.h"
#include "rules/syntax/ast.h"

namespace jobforge::rules {

// One for each root expression: a field's body, an expectation, a property's body.
class ExpressionChecker final {
public:
    explicit ExpressionChecker(CheckContext& context) noexcept : context_(context) {}

    // Those of the root, such as forall's, are bound before it is looked at.
    [[nodiscard]] VariableScope& variables() noexcept { return variables_; }
    // Where implies(...) may stand: nowhere unless told.
    void allow_implies(const Expression& place) noexcept { implies_place_ = &place; }
    [[nodiscard]] bool implies_allowed(const Expression& place) const noexcept {
        return &place == implies_place_;
    }

    const Type& infer(Expression& expression);
    // `what` is the subject of the message: "the condition of if".
    void require(Expression& expression, const Type& wanted, std::string_view what);
    // The same for an expression that is inferred already.
    void require_inferred(Expression& expression, const Type& wanted, std::string_view what);
    // Notes what was inferred, unless such values nest too deep.
    void settle(Expression& expression, Type type);

    void note_field(std::size_t field) { fields_.insert(field); }
    // Fields that were read, by order of declaration.
    [[nodiscard]] const std::set<std::size_t>& fields() const noexcept { return fields_; }

private:
    CheckContext& context_;
    VariableScope variables_;
    std::set<std::size_t> fields_;
    const Expression* implies_place_ = nullptr;
};

}  // namespace jobforge::rules
