// Gives every expression its type, and constants their final value.
//
// Three steps, always the same: infer the type from the inside; adapt constants (an Int literal, a
// `none`, an empty list) to what is wanted around them; report what still does not fit. A part that
// was reported has the error type, which fits everywhere: one fault is one message.
// Used by check_*.cc only.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rules/check/checker.h"

namespace jobforge::rules {

// Int, Dec, Qty, Date, Bool: what toText takes.
[[nodiscard]] bool has_text(const Type& type) noexcept;

// One for each root expression: a field's body, an expectation, a property's body.
class ExpressionChecker final {
public:
    explicit ExpressionChecker(CheckContext& context) noexcept : context_(context) {}

    // A variable of the root, such as forall's. Returns its slot.
    std::size_t bind(const std::string& name, const Type& type);
    // Where implies(...) may stand: nowhere unless told.
    void allow_implies(const Expression& place) noexcept { implies_place_ = &place; }

    const Type& infer(Expression& expression);
    // `what` is the subject of the message: "the condition of if".
    void require(Expression& expression, const Type& wanted, std::string_view what);

    [[nodiscard]] std::size_t frame_size() const noexcept { return next_slot_; }
    // Fields that were read, by order of declaration.
    [[nodiscard]] const std::set<std::size_t>& fields() const noexcept { return fields_; }

private:
    struct Binding {
        Type type;
        std::size_t slot = 0;
    };

    // --- check_expression.cc
    // Notes what was inferred, unless such values nest too deep.
    void settle(Expression& expression, Type type);
    void require_inferred(Expression& expression, const Type& wanted, std::string_view what);
    Type infer_node(Expression& expression, Literal& node);
    Type infer_node(Expression& expression, Variable& node);
    Type infer_node(Expression& expression, FieldReference& node);
    Type infer_node(Expression& expression, Given& node);
    Type infer_node(Expression& expression, MemberAccess& node);
    Type infer_node(Expression& expression, If& node);
    Type infer_node(Expression& expression, ListLiteral& node);
    Type infer_node(Expression& expression, Block& node);
    Type infer_node(Expression& expression, Lambda& node);
    Type infer_node(Expression& expression, Implies& node);
    Type infer_quantity(Literal& node, const Span& span);
    void infer_statement(Let& let);
    void infer_statement(Assert& assertion);
    void unbind(const std::string& name);
    Type unknown_member(const MemberAccess& node);
    void report_no_member(const Span& span, const Type& record, const std::string& name);

    // --- check_adapt.cc
    // Lets constants inside become what is wanted. Changes nothing else.
    void adapt(Expression& expression, const Type& wanted);
    void adapt_if(Expression& expression, If& node, const Type& wanted);
    void adapt_list(Expression& expression, ListLiteral& node, const Type& wanted);
    // At the innermost part that does not fit.
    void report_mismatch(const Expression& expression, const Type& wanted, std::string_view what);
    [[nodiscard]] std::string conversion_advice(const Expression& expression, const Type& from,
                                                const Type& wanted) const;
    [[nodiscard]] std::string to_dec_advice(const Expression& expression, const Type& from,
                                            const Type& wanted) const;
    [[nodiscard]] std::string to_qty_advice(const Expression& expression, const Type& from,
                                            const Type& wanted) const;

    // --- check_operators.cc
    Type infer_node(Expression& expression, Unary& node);
    Type infer_node(Expression& expression, Binary& node);
    // The left side is inferred already.
    Type infer_operator(Expression& expression, Binary& node);
    Type infer_logical(Binary& node);
    Type infer_comparison(Expression& expression, Binary& node);
    Type infer_arithmetic(Expression& expression, Binary& node);
    Type add_types(const Expression& expression, const Binary& node);
    Type multiply_types(const Expression& expression, const Binary& node);
    Type divide_types(const Expression& expression, const Binary& node);
    Type quantity_types(const Expression& expression, const Binary& node);
    Type report_operands(const Expression& expression, const Binary& node);
    Type report_units(const Expression& expression, const Binary& node);
    [[nodiscard]] std::string operand_advice(const Binary& node) const;
    [[nodiscard]] std::string unit_pair_advice(const Binary& node) const;

    // --- check_builtins.cc
    Type infer_node(Expression& expression, Call& node);
    Type infer_call(Expression& expression, Call& node);
    Type infer_unknown_call(Call& node);
    Type infer_facts(Call& node);
    Type infer_record_get(Call& node);
    Type infer_optional(Call& node);
    Type infer_unwrap_or(Call& node);
    Type infer_to_text(Call& node);
    Type infer_to_dec(Call& node);
    Type infer_to_qty(Call& node);
    Type infer_convert(Call& node);
    Type infer_text(Call& node);
    Type infer_date(Call& node);
    Type infer_compliance(Call& node);
    Type infer_declassify(Call& node);  // check_access.cc
    void check_status(const Expression& status);
    // A literal argument, or a report.
    std::optional<std::string> literal_text(Expression& argument, std::string_view what);
    std::optional<int> literal_scale(Expression& argument);
    UnitPointer literal_unit(Expression& argument);
    // infer, and a report unless it is an Opt. nullopt if that failed.
    std::optional<Type> infer_opt(Expression& argument, const Call& node);

    // --- check_lists.cc
    Type infer_list_call(Call& node);
    Type infer_map(Call& node);
    Type infer_condition(Call& node);
    Type infer_fold(Call& node);
    Type infer_sort(Call& node);
    Type infer_contains(Call& node);
    Type infer_sum_qty(Call& node);
    Type infer_sum_dec(Call& node);
    // The element's type of a list argument, or a report.
    std::optional<Type> infer_elements(Expression& argument, const Call& node);
    // The body's type of a lambda whose parameters have these types.
    Type apply(Expression& lambda, const std::vector<Type>& parameters, const Call& node);

    CheckContext& context_;
    std::unordered_map<std::string, std::vector<Binding>> scope_;  // innermost last
    std::size_t next_slot_ = 0;
    std::set<std::size_t> fields_;
    const Expression* implies_place_ = nullptr;
};

}  // namespace jobforge::rules
