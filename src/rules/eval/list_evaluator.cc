// The built-ins that apply a lambda. Each application is plain nodes in the proof: the lambda's
// argument is an OP `element`, and the results are the children of the built-in's node.
#include "rules/eval/eval_machine.h"

namespace jobforge::rules {

MaybeStep Machine::element(const Expression& list_at, const Step& list, std::size_t index) {
    if (!spend(list_at, 1)) {
        return std::nullopt;
    }
    Step step{list.value.list()[index], 0};
    if (options_.with_proof) {
        const Id position = constant(int_type_, Value(static_cast<std::int64_t>(index)));
        step.node = operation("element", list_at.type.element(), step.value, {list.node, position});
    }
    return step;
}

MaybeStep Machine::apply_to(const Call& node, const Step& list, std::size_t index, Frame& frame) {
    const auto& lambda = std::get<Lambda>(node.arguments.back()->node);
    MaybeStep argument = element(*node.arguments[0], list, index);
    if (!argument) {
        return std::nullopt;
    }
    frame[lambda.parameters.back().slot] = std::move(*argument);
    return evaluate(*lambda.body, frame);
}

MaybeStep Machine::map_list(const Expression& at, const Call& node, Frame& frame) {
    const MaybeStep list = evaluate(*node.arguments[0], frame);
    if (!list) {
        return std::nullopt;
    }
    std::vector<Id> children{list->node};
    Value::List made;
    for (std::size_t i = 0; i < list->value.list().size(); ++i) {
        MaybeStep result = apply_to(node, *list, i, frame);
        if (!result) {
            return std::nullopt;
        }
        made.push_back(std::move(result->value));
        children.push_back(result->node);
    }
    return made_list(at, node, std::move(made), children);
}

MaybeStep Machine::filter_list(const Expression& at, const Call& node, Frame& frame) {
    const MaybeStep list = evaluate(*node.arguments[0], frame);
    if (!list) {
        return std::nullopt;
    }
    std::vector<Id> children{list->node};
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
    return made_list(at, node, std::move(kept), children);
}

MaybeStep Machine::made_list(const Expression& at, const Call& node, Value::List elements,
                             Nodes children) {
    Value value(std::move(elements));
    if (!spend(at, value.size())) {
        return std::nullopt;
    }
    const Id id = operation(builtin_name(node.builtin), at.type, value, children);
    return Step{std::move(value), id};
}

MaybeStep Machine::quantify(const Expression& at, const Call& node, Frame& frame) {
    const MaybeStep list = evaluate(*node.arguments[0], frame);
    if (!list) {
        return std::nullopt;
    }
    const bool decisive = node.builtin == Builtin::any;
    std::vector<Id> children{list->node};
    bool result = !decisive;
    for (std::size_t i = 0; i < list->value.list().size() && result != decisive; ++i) {
        const MaybeStep condition = apply_to(node, *list, i, frame);
        if (!condition) {
            return std::nullopt;
        }
        result = condition->value.boolean();
        children.push_back(condition->node);
    }
    if (!spend(at, 1)) {
        return std::nullopt;
    }
    Value value(result);
    const Id id = operation(builtin_name(node.builtin), at.type, value, children);
    return Step{std::move(value), id};
}

MaybeStep Machine::fold_list(const Expression& at, const Call& node, Frame& frame) {
    const MaybeStep list = evaluate(*node.arguments[0], frame);
    if (!list) {
        return std::nullopt;
    }
    MaybeStep accumulated = evaluate(*node.arguments[1], frame);
    if (!accumulated) {
        return std::nullopt;
    }
    const auto& lambda = std::get<Lambda>(node.arguments.back()->node);
    std::vector<Id> children{list->node, accumulated->node};
    for (std::size_t i = 0; i < list->value.list().size(); ++i) {
        frame[lambda.parameters.front().slot] = *accumulated;
        accumulated = apply_to(node, *list, i, frame);
        if (!accumulated) {
            return std::nullopt;
        }
        children.push_back(accumulated->node);
    }
    if (!spend(at, 1)) {
        return std::nullopt;
    }
    accumulated->node =
        operation(builtin_name(node.builtin), at.type, accumulated->value, children);
    return accumulated;
}

}  // namespace jobforge::rules
