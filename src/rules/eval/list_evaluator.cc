#include "rules/eval/list_evaluator.h"

#include "rules/eval/eval_machine.h"

namespace jobforge::rules {

MaybeStep ListEvaluator::element(const Expression& list_at, const Step& list, std::size_t index) {
    if (!state_.spend(list_at, 1)) {
        return std::nullopt;
    }
    Step step{list.value.list()[index], 0};
    if (state_.with_proof()) {
        const ProofBuilder::Id position =
            state_.constant(state_.int_type(), Value(static_cast<std::int64_t>(index)));
        step.node =
            state_.operation("element", list_at.type.element(), step.value, {list.node, position});
    }
    return step;
}

MaybeStep ListEvaluator::apply_to(const Call& node, const Step& list, std::size_t index,
                                  Frame& frame) {
    const auto& lambda = std::get<Lambda>(node.arguments.back()->node);
    MaybeStep argument = element(*node.arguments[0], list, index);
    if (!argument) {
        return std::nullopt;
    }
    frame[lambda.parameters.back().slot] = std::move(*argument);
    return machine_.evaluate(*lambda.body, frame);
}

MaybeStep ListEvaluator::map_list(const Expression& at, const Call& node, Frame& frame) {
    const MaybeStep list = machine_.evaluate(*node.arguments[0], frame);
    if (!list) {
        return std::nullopt;
    }
    std::vector<ProofBuilder::Id> children{list->node};
    Value::List made;
    for (std::size_t i = 0; i < list->value.list().size(); ++i) {
        MaybeStep result = apply_to(node, *list, i, frame);
        if (!result) {
            return std::nullopt;
        }
        made.push_back(std::move(result->value));
        children.push_back(result->node);
    }
    return state_.made_list(at, node, std::move(made), children);
}

MaybeStep ListEvaluator::filter_list(const Expression& at, const Call& node, Frame& frame) {
    const MaybeStep list = machine_.evaluate(*node.arguments[0], frame);
    if (!list) {
        return std::nullopt;
    }
    std::vector<ProofBuilder::Id> children{list->node};
    Value::List kept;
    for (std::size_t i = 0; i < list->value.list().size(); ++i) {
        const MaybeStep condition = apply_to(node, *list, i, frame);
        if (!condition) {
            return std::nullopt;
        }
        if (condition->value.boolean()) {
            kept.push_back(list->value.list()[i]);
        }
        children.push_back(condition->node);
    }
    return state_.made_list(at, node, std::move(kept), children);
}

MaybeStep ListEvaluator::quantify(const Expression& at, const Call& node, Frame& frame) {
    const MaybeStep list = machine_.evaluate(*node.arguments[0], frame);
    if (!list) {
        return std::nullopt;
    }
    const bool decisive = node.builtin == Builtin::any;
    std::vector<ProofBuilder::Id> children{list->node};
    bool result = !decisive;
    for (std::size_t i = 0; i < list->value.list().size() && result != decisive; ++i) {
        const MaybeStep condition = apply_to(node, *list, i, frame);
        if (!condition) {
            return std::nullopt;
        }
        result = condition->value.boolean();
        children.push_back(condition->node);
    }
    if (!state_.spend(at, 1)) {
        return std::nullopt;
    }
    Value value(result);
    const ProofBuilder::Id id =
        state_.operation(builtin_name(node.builtin), at.type, value, children);
    return Step{std::move(value), id};
}

MaybeStep ListEvaluator::fold_list(const Expression& at, const Call& node, Frame& frame) {
    const MaybeStep list = machine_.evaluate(*node.arguments[0], frame);
    if (!list) {
        return std::nullopt;
    }
    MaybeStep accumulated = machine_.evaluate(*node.arguments[1], frame);
    if (!accumulated) {
        return std::nullopt;
    }
    const auto& lambda = std::get<Lambda>(node.arguments.back()->node);
    std::vector<ProofBuilder::Id> children{list->node, accumulated->node};
    for (std::size_t i = 0; i < list->value.list().size(); ++i) {
        frame[lambda.parameters.front().slot] = *accumulated;
        accumulated = apply_to(node, *list, i, frame);
        if (!accumulated) {
            return std::nullopt;
        }
        children.push_back(accumulated->node);
    }
    if (!state_.spend(at, 1)) {
        return std::nullopt;
    }
    accumulated->node =
        state_.operation(builtin_name(node.builtin), at.type, accumulated->value, children);
    return accumulated;
}

}  // namespace jobforge::rules
