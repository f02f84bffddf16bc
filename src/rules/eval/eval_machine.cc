#include "rules/eval/eval_machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/visible_text.h"
#include "rules/eval/eval_cost.h"

namespace jobforge::rules {

bool is_scalar(const Type& type) noexcept {
    switch (type.kind()) {
        case Type::Kind::list:
        case Type::Kind::map:
        case Type::Kind::record:
            return false;
        case Type::Kind::optional:
            return is_scalar(type.element());
        default:
            return true;
    }
}

Machine::Machine(const CheckedPackage& package, const Inputs& inputs,
                 const EvaluateOptions& options)
    : package_(package),
      inputs_(inputs),
      options_(options),
      budget_(options.step_budget),
      product_(Value::of_members(
          {{"name", Value(inputs.product_name)}, {"sku", Value(inputs.product_sku)}})),
      fields_(package.fields.size()),
      current_field_(package.fields.size()) {}

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
        for (const std::size_t other : package_.fields[needed[next]].dependencies) {
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
    const FieldDeclaration& field = package_.fields[index];
    const std::size_t outer = std::exchange(current_field_, index);
    effects_.clear();
    Frame frame(field.frame_size);
    MaybeStep value = evaluate(*field.body, frame);
    if (!value) {
        return false;
    }
    if (options_.with_proof) {
        std::vector<Id> children{value->node};
        children.insert(children.end(), effects_.begin(), effects_.end());
        value->node = proof_.field(field.path.text, proof_type(field.type), value->value, children);
    }
    fields_[index] = std::move(value);
    current_field_ = outer;
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
    if (!spend(at, value.size())) {
        return std::nullopt;
    }
    const Id id = constant(at.type, value);
    return Step{std::move(value), id};
}

MaybeStep Machine::visit(const Expression& at, const Variable& node, Frame& frame) {
    if (!spend(at, 1)) {
        return std::nullopt;
    }
    return frame[node.slot];
}

MaybeStep Machine::visit(const Expression& at, const FieldReference& node, Frame& /*frame*/) {
    if (!spend(at, 1)) {
        return std::nullopt;
    }
    return field(node.field);
}

MaybeStep Machine::visit(const Expression& at, const Given& node, Frame& /*frame*/) {
    if (!spend(at, 1)) {
        return std::nullopt;
    }
    const bool is_product = node.kind == Given::Kind::product;
    Value value = is_product ? product_ : Value(inputs_.issued_on);
    const Id id = operation(is_product ? "product" : "issued_on", at.type, value, {});
    return Step{std::move(value), id};
}

MaybeStep Machine::visit(const Expression& at, const MemberAccess& node, Frame& frame) {
    const MaybeStep object = evaluate(*node.object, frame);
    if (!object || !spend(at, 1 + cost_of_name(node.name.text))) {
        return std::nullopt;
    }
    Value value = *object->value.member(node.name.text);
    if (!options_.with_proof) {
        return Step{std::move(value), 0};
    }
    const Id name = constant(text_type_, Value(node.name.text));
    const Id id = operation("get", at.type, value, {object->node, name});
    return Step{std::move(value), id};
}

MaybeStep Machine::visit(const Expression& at, const If& node, Frame& frame) {
    const MaybeStep condition = evaluate(*node.condition, frame);
    if (!condition) {
        return std::nullopt;
    }
    const bool holds = condition->value.boolean();
    MaybeStep taken = evaluate(holds ? *node.then_branch : *node.else_branch, frame);
    if (!taken || !spend(at, 1)) {
        return std::nullopt;
    }
    taken->node = operation("if", at.type, taken->value, {condition->node, taken->node});
    return taken;
}

MaybeStep Machine::visit(const Expression& at, const ListLiteral& node, Frame& frame) {
    Value::List elements;
    std::vector<Id> children;
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
    if (!spend(at, value.size())) {
        return std::nullopt;
    }
    const Id id = operation("list", at.type, value, children);
    return Step{std::move(value), id};
}

MaybeStep Machine::visit(const Expression& at, const Block& node, Frame& frame) {
    if (!spend(at, 1)) {
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
        fail(statement.span, code->value.text(), message->value.text());
        return false;
    }
    if (options_.with_proof) {
        const std::array children{condition->node, code->node, message->node};
        effects_.push_back(proof_.assertion(code->value.text(), children));
    }
    return true;
}

// Bodies are evaluated by the built-ins that take them; the checker lets a lambda stand nowhere
// else.
MaybeStep Machine::visit(const Expression& at, const Lambda& /*node*/, Frame& /*frame*/) {
    return fail(at.span, "INTERNAL_ERROR", "A lambda was evaluated outside of a built-in.");
}

// Only in properties, which have no proof.
MaybeStep Machine::visit(const Expression& at, const Implies& node, Frame& frame) {
    const MaybeStep premise = evaluate(*node.premise, frame);
    if (!premise || !spend(at, 1)) {
        return std::nullopt;
    }
    if (premise->value.boolean()) {
        return evaluate(*node.conclusion, frame);
    }
    discarded_ = true;
    return Step{Value(true), 0};
}

bool Machine::spend(const Expression& at, std::uint64_t steps) {
    if (!budget_.spend(steps)) {
        fail(
            at.span, "BUDGET_EXCEEDED",
            fmt::format("The rules take more than {} steps here.", options_.step_budget),
            "Work on fewer or smaller facts, or compute what is used often in a field of its own.");
        return false;
    }
    if (options_.proof_byte_limit != 0 && proof_.minimum_bytes() > options_.proof_byte_limit) {
        fail(at.span, "PROOF_TOO_LARGE",
             fmt::format("The proof grows beyond {} bytes here.", options_.proof_byte_limit),
             "Work on fewer facts, or raise the limit of the proof.");
        return false;
    }
    return true;
}

std::nullopt_t Machine::fail(const Span& span, std::string code, std::string_view message,
                             std::string_view hint) {
    error_.emplace();
    error_->code = std::move(code);
    // The author's words and the document's, which may hold anything.
    error_->message = visible_lines(message);
    error_->hint = visible_lines(hint);
    error_->span = span;
    if (current_field_ < package_.fields.size()) {
        error_->field = package_.fields[current_field_].path.text;
    }
    return std::nullopt;
}

std::nullopt_t Machine::fail(const Expression& at, const Error& error) {
    fail(at.span, std::string(to_string(error.code)), error.message, error.hint);
    error_->details = error.details;
    return std::nullopt;
}

Machine::Id Machine::operation(std::string_view op, const Type& type, const Value& value,
                               Nodes children) {
    return options_.with_proof ? proof_.operation(op, proof_type(type), value, children) : 0;
}

Machine::Id Machine::constant(const Type& type, const Value& value) {
    return options_.with_proof ? proof_.constant(proof_type(type), value) : 0;
}

// By address: the types live in the syntax tree, and writing a record's type out takes longer than
// the step itself. Expressions of one record type share its members, so those are its address.
const ProofType& Machine::proof_type(const Type& type) {
    const bool is_record = type.is(Type::Kind::record);
    const void* address = is_record ? static_cast<const void*>(type.members().data()) : &type;
    if (const auto known = proof_types_.find(address); known != proof_types_.end()) {
        return *known->second;
    }
    const ProofType& made = make_proof_type(type);
    proof_types_.emplace(address, &made);
    return made;
}

// Nearly every expression has a Type of its own, but there are few different ones. Opt and List are
// found by what they are made of, so that a record's notation, which has kilobytes, is neither
// written nor hashed for each.
const ProofType& Machine::make_proof_type(const Type& type) {
    if (type.is(Type::Kind::optional) || type.is(Type::Kind::list)) {
        const ProofType& element = proof_type(type.element());
        ProofType& made = made_types_[{&element, type.kind()}];
        if (made.notation.empty()) {
            made.notation = (type.is(Type::Kind::list) ? "List(" : "Opt(") + element.notation + ")";
            made.scalar = is_scalar(type);
            made.number = proof_.number_of(made.notation);
        }
        return made;
    }
    std::string notation = type.notation();
    const std::uint32_t number = proof_.number_of(notation);
    return plain_types_.try_emplace(notation, ProofType{notation, is_scalar(type), number})
        .first->second;
}

}  // namespace jobforge::rules
