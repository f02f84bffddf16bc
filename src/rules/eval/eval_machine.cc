#include "rules/eval/eval_machine.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <variant>

#include "rules/eval/eval_cost.h"
#include "rules/eval/operator_evaluator.h"

namespace jobforge::rules {

Machine::Machine(const CheckedPackage& package, const Inputs& inputs,
                 const EvaluateOptions& options)
    : state_(package, inputs, options),
      calls_(*this, state_),
      product_(Value::of_members(
          {{"name", Value(inputs.product_name)}, {"sku", Value(inputs.product_sku)}})),
      fields_(package.fields.size()) {}

bool Machine::all_fields() {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        if (!fields_[i] && !evaluate_field(i)) {
            return false;
        }
    }
    return true;
}

MaybeStep Machine::field(std::size_t index) {
    if (fields_[index]) {
        return fields_[index];
    }
    // Dependencies have smaller indices (Kahn), so ascending order evaluates each after its own.
    std::vector<std::size_t> needed{index};
    std::vector<bool> seen(index + 1, false);
    seen[index] = true;
    for (std::size_t next = 0; next < needed.size(); ++next) {
        for (const std::size_t other : state_.package().fields[needed[next]].dependencies) {
            if (seen[other] || fields_[other]) {
                continue;
            }
            seen[other] = true;
            needed.push_back(other);
        }
    }
    std::ranges::sort(needed);
    for (const std::size_t each : needed) {
        if (!evaluate_field(each)) {
            return std::nullopt;
        }
    }
    return fields_[index];
}

bool Machine::evaluate_field(std::size_t index) {
    const FieldDeclaration& field = state_.package().fields[index];
    const std::size_t outer = state_.enter_field(index);
    state_.effects().clear();
    Frame frame(field.frame_size);
    MaybeStep value = evaluate(*field.body, frame);
    if (!value) {
        return false;
    }
    if (state_.with_proof()) {
        std::vector<ProofBuilder::Id> children{value->node};
        children.insert(children.end(), state_.effects().begin(), state_.effects().end());
        value->node = state_.proof().field(field.path.text, state_.proof_type(field.type),
                                           value->value, children);
    }
    fields_[index] = std::move(value);
    state_.enter_field(outer);
    return true;
}

MaybeStep Machine::evaluate(const Expression& expression, Frame& frame) {
    return std::visit([&](const auto& node) { return visit(expression, node, frame); },
                      expression.node);
}

namespace {

Value value_of(const Constant& constant) {
    return std::visit(
        [](const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, None>) {
                return Value();
            } else {
                return Value(value);
            }
        },
        constant);
}

}  // namespace

MaybeStep Machine::visit(const Expression& at, const Literal& node, Frame& /*frame*/) {
    Value value = value_of(node.value);
    if (!state_.spend(at, value.size())) {
        return std::nullopt;
    }
    const ProofBuilder::Id id = state_.constant(at.type, value);
    return Step{std::move(value), id};
}

MaybeStep Machine::visit(const Expression& at, const Variable& node, Frame& frame) {
    if (!state_.spend(at, 1)) {
        return std::nullopt;
    }
    return frame[node.slot];
}

MaybeStep Machine::visit(const Expression& at, const FieldReference& node, Frame& /*frame*/) {
    if (!state_.spend(at, 1)) {
        return std::nullopt;
    }
    return field(node.field);
}

MaybeStep Machine::visit(const Expression& at, const Given& node, Frame& /*frame*/) {
    if (!state_.spend(at, 1)) {
        return std::nullopt;
    }
    const bool is_product = node.kind == Given::Kind::product;
    Value value = is_product ? product_ : Value(state_.inputs().issued_on);
    const ProofBuilder::Id id =
        state_.operation(is_product ? "product" : "issued_on", at.type, value, {});
    return Step{std::move(value), id};
}

MaybeStep Machine::visit(const Expression& at, const MemberAccess& node, Frame& frame) {
    const MaybeStep object = evaluate(*node.object, frame);
    if (!object || !state_.spend(at, 1 + cost_of_name(node.name.text))) {
        return std::nullopt;
    }
    Value value = *object->value.member(node.name.text);
    if (!state_.with_proof()) {
        return Step{std::move(value), 0};
    }
    const ProofBuilder::Id name = state_.constant(state_.text_type(), Value(node.name.text));
    const ProofBuilder::Id id = state_.operation("get", at.type, value, {object->node, name});
    return Step{std::move(value), id};
}

MaybeStep Machine::visit(const Expression& at, const If& node, Frame& frame) {
    const MaybeStep condition = evaluate(*node.condition, frame);
    if (!condition) {
        return std::nullopt;
    }
    const bool holds = condition->value.boolean();
    MaybeStep taken = evaluate(holds ? *node.then_branch : *node.else_branch, frame);
    if (!taken || !state_.spend(at, 1)) {
        return std::nullopt;
    }
    taken->node = state_.operation("if", at.type, taken->value, {condition->node, taken->node});
    return taken;
}

MaybeStep Machine::visit(const Expression& at, const ListLiteral& node, Frame& frame) {
    Value::List elements;
    std::vector<ProofBuilder::Id> children;
    elements.reserve(node.items.size());
    for (const ExpressionPtr& item : node.items) {
        MaybeStep element = evaluate(*item, frame);
        if (!element) {
            return std::nullopt;
        }
        elements.push_back(std::move(element->value));
        children.push_back(element->node);
    }
    Value value(std::move(elements));
    if (!state_.spend(at, value.size())) {
        return std::nullopt;
    }
    const ProofBuilder::Id id = state_.operation("list", at.type, value, children);
    return Step{std::move(value), id};
}

MaybeStep Machine::visit(const Expression& at, const Block& node, Frame& frame) {
    if (!state_.spend(at, 1)) {
        return std::nullopt;
    }
    for (const Statement& statement : node.statements) {
        const bool done = std::visit([&](const auto& each) { return run(each, frame); }, statement);
        if (!done) {
            return std::nullopt;
        }
    }
    return evaluate(*node.result, frame);
}

bool Machine::run(const Let& statement, Frame& frame) {
    MaybeStep value = evaluate(*statement.value, frame);
    if (!value) {
        return false;
    }
    frame[statement.slot] = std::move(*value);
    return true;
}

bool Machine::run(const Assert& statement, Frame& frame) {
    const MaybeStep condition = evaluate(*statement.condition, frame);
    if (!condition) {
        return false;
    }
    const MaybeStep code = evaluate(*statement.code, frame);
    if (!code) {
        return false;
    }
    const MaybeStep message = evaluate(*statement.message, frame);
    if (!message) {
        return false;
    }
    if (!condition->value.boolean()) {
        state_.fail(statement.span, code->value.text(), message->value.text());
        return false;
    }
    if (state_.with_proof()) {
        const std::array children{condition->node, code->node, message->node};
        state_.effects().push_back(state_.proof().assertion(code->value.text(), children));
    }
    return true;
}

// Bodies are evaluated by the built-ins that take them; the checker lets a lambda stand nowhere
// else.
MaybeStep Machine::visit(const Expression& at, const Lambda& /*node*/, Frame& /*frame*/) {
    return state_.fail(at.span, "INTERNAL_ERROR", "A lambda was evaluated outside of a built-in.");
}

// Only in properties, which have no proof.
MaybeStep Machine::visit(const Expression& at, const Implies& node, Frame& frame) {
    const MaybeStep premise = evaluate(*node.premise, frame);
    if (!premise || !state_.spend(at, 1)) {
        return std::nullopt;
    }
    if (premise->value.boolean()) {
        return evaluate(*node.conclusion, frame);
    }
    discarded_ = true;
    return Step{Value(true), 0};
}

MaybeStep Machine::visit(const Expression& at, const Unary& node, Frame& frame) {
    return OperatorEvaluator(*this, state_).visit(at, node, frame);
}

MaybeStep Machine::visit(const Expression& at, const Binary& node, Frame& frame) {
    return OperatorEvaluator(*this, state_).visit(at, node, frame);
}

MaybeStep Machine::visit(const Expression& at, const Call& node, Frame& frame) {
    return calls_.visit(at, node, frame);
}

}  // namespace jobforge::rules
