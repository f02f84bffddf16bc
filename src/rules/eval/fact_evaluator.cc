#include "rules/eval/fact_evaluator.h"

#include <fmt/format.h>

#include "rules/eval/eval_cost.h"
#include "rules/eval/eval_machine.h"
#include "rules/eval/fact_shape.h"

namespace jobforge::rules {

std::optional<Value> FactEvaluator::shaped(const Expression& at, const Fact& fact,
                                           const Type& type) {
    if (const auto known = shaped_.find(&fact); known != shaped_.end()) {
        return known->second;
    }
    Result<Value> value = shape_fact(fact, type);
    if (!value.ok()) {
        return state_.fail(at, value.error());
    }
    return shaped_.emplace(&fact, std::move(*value)).first->second;
}

MaybeStep FactEvaluator::get_fact(const Expression& at, const Call& node, Frame& frame) {
    const MaybeStep key = machine_.evaluate(*node.arguments[1], frame);
    // Before the look-up: the key is compared with others, and written into the proof.
    if (!key || !state_.spend(at, cost_of_name(key->value.text()))) {
        return std::nullopt;
    }
    const FactDeclaration& declared = state_.package().facts[node.fact];
    const Fact* fact = state_.inputs().facts.find(declared.name.text, key->value.text());
    std::optional<Value> value = Value();
    if (fact != nullptr) {
        value = shaped(at, *fact, declared.type);
        if (!value) {
            return std::nullopt;
        }
    } else {
        missing_ = fmt::format("{} \"{}\"", declared.name.text, key->value.text());
    }
    if (!state_.spend(at, value->size())) {
        return std::nullopt;
    }
    Step step{std::move(*value), 0};
    if (state_.with_proof()) {
        const ProofBuilder::Id got = state_.proof().fact_get(
            declared.name.text, key->value.text(),
            fact != nullptr ? std::string_view(fact->payload_hash) : std::string_view(), key->node);
        step.node = state_.operation(builtin_name(node.builtin), at.type, step.value, {got});
    }
    return step;
}

MaybeStep FactEvaluator::get_facts(const Expression& at, const Call& node, Frame& frame) {
    const MaybeStep type_name = machine_.evaluate(*node.arguments[0], frame);
    if (!type_name) {
        return std::nullopt;
    }
    const MaybeStep prefix = machine_.evaluate(*node.arguments[1], frame);
    if (!prefix || !state_.spend(at, cost_of_name(prefix->value.text()))) {
        return std::nullopt;
    }
    const FactDeclaration& declared = state_.package().facts[node.fact];
    std::vector<ProofBuilder::Id> children{type_name->node, prefix->node};
    Value::List found;
    for (const Fact& fact :
         state_.inputs().facts.with_prefix(declared.name.text, prefix->value.text())) {
        std::optional<Value> value = shaped(at, fact, declared.type);
        if (!value || !state_.spend(at, cost_of_name(fact.fact_key))) {
            return std::nullopt;
        }
        found.push_back(std::move(*value));
        if (!state_.with_proof()) {
            continue;
        }
        const ProofBuilder::Id key = state_.constant(state_.text_type(), Value(fact.fact_key));
        children.push_back(
            state_.proof().fact_get(fact.fact_type, fact.fact_key, fact.payload_hash, key));
    }
    return state_.made_list(at, node, std::move(found), children);
}

}  // namespace jobforge::rules
