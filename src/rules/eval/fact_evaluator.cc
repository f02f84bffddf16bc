// Facts as the rules see them: shaped once, and never before a rule asks for them.
#include <fmt/format.h>

#include "rules/eval/eval_cost.h"
#include "rules/eval/eval_machine.h"
#include "rules/eval/fact_shape.h"

namespace jobforge::rules {

std::optional<Value> Machine::shaped(const Expression& at, const Fact& fact, const Type& type) {
    if (const auto known = shaped_.find(&fact); known != shaped_.end()) {
        return known->second;
    }
    Result<Value> value = shape_fact(fact, type);
    if (!value.ok()) {
        return fail(at, value.error());
    }
    return shaped_.emplace(&fact, std::move(*value)).first->second;
}

MaybeStep Machine::get_fact(const Expression& at, const Call& node, Frame& frame) {
    const MaybeStep key = evaluate(*node.arguments[1], frame);
    // Before the look-up: the key is compared with others, and written into the proof.
    if (!key || !spend(at, cost_of_name(key->value.text()))) {
        return std::nullopt;
    }
    const FactDeclaration& declared = package_.facts[node.fact];
    const Fact* fact = inputs_.facts.find(declared.name.text, key->value.text());
    std::optional<Value> value = Value();
    if (fact != nullptr) {
        value = shaped(at, *fact, declared.type);
        if (!value) {
            return std::nullopt;
        }
    } else {
        missing_fact_ = fmt::format("{} \"{}\"", declared.name.text, key->value.text());
    }
    if (!spend(at, value->size())) {
        return std::nullopt;
    }
    Step step{std::move(*value), 0};
    if (options_.with_proof) {
        const Id got = proof_.fact_get(
            declared.name.text, key->value.text(),
            fact != nullptr ? std::string_view(fact->payload_hash) : std::string_view(), key->node);
        step.node = operation(builtin_name(node.builtin), at.type, step.value, {got});
    }
    return step;
}

MaybeStep Machine::get_facts(const Expression& at, const Call& node, Frame& frame) {
    const MaybeStep type_name = evaluate(*node.arguments[0], frame);
    if (!type_name) {
        return std::nullopt;
    }
    const MaybeStep prefix = evaluate(*node.arguments[1], frame);
    if (!prefix || !spend(at, cost_of_name(prefix->value.text()))) {
        return std::nullopt;
    }
    const FactDeclaration& declared = package_.facts[node.fact];
    std::vector<Id> children{type_name->node, prefix->node};
    Value::List found;
    for (const Fact& fact : inputs_.facts.with_prefix(declared.name.text, prefix->value.text())) {
        std::optional<Value> value = shaped(at, fact, declared.type);
        if (!value || !spend(at, cost_of_name(fact.fact_key))) {
            return std::nullopt;
        }
        found.push_back(std::move(*value));
        if (!options_.with_proof) {
            continue;
        }
        const Id key = constant(text_type_, Value(fact.fact_key));
        children.push_back(proof_.fact_get(fact.fact_type, fact.fact_key, fact.payload_hash, key));
    }
    return made_list(at, node, std::move(found), children);
}

}  // namespace jobforge::rules
