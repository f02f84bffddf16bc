#include "rules/eval/call_evaluator.h"

#include <algorithm>

#include <fmt/format.h>

#include "rules/eval/eval_cost.h"
#include "rules/eval/eval_decimal_text.h"
#include "rules/eval/eval_machine.h"
#include "rules/eval/list_evaluator.h"
#include "values/compliance_status.h"
#include "values/gs1.h"
#include "values/pattern.h"
#include "values/text_search.h"

namespace jobforge::rules {
namespace {

using Kind = Value::Kind;

Value sorted(const Value& list) {
    Value::List elements = list.list();
    std::ranges::stable_sort(elements,
                             [](const Value& a, const Value& b) { return compare(a, b) < 0; });
    return Value(std::move(elements));
}

bool contains(const Value& where, const Value& what) {
    if (where.kind() == Kind::text) {
        return contains_text(where.text(), what.text());
    }
    return std::ranges::any_of(where.list(), [&](const Value& each) { return equal(each, what); });
}

Value record_get(const Value& record, const Value& name) {
    if (record.is_none()) {
        return {};
    }
    const Value* member = record.member(name.text());
    return member != nullptr ? *member : Value();
}

}  // namespace

MaybeStep CallEvaluator::visit(const Expression& at, const Call& node, Frame& frame) {
    switch (node.builtin) {
        case Builtin::get_fact:
            return facts_.get_fact(at, node, frame);
        case Builtin::get_facts_by_prefix:
            return facts_.get_facts(at, node, frame);
        case Builtin::map:
            return ListEvaluator(machine_, state_).map_list(at, node, frame);
        case Builtin::filter:
            return ListEvaluator(machine_, state_).filter_list(at, node, frame);
        case Builtin::any:
        case Builtin::all:
            return ListEvaluator(machine_, state_).quantify(at, node, frame);
        case Builtin::fold:
            return ListEvaluator(machine_, state_).fold_list(at, node, frame);
        default:
            return plain_call(at, node, frame);
    }
}

MaybeStep CallEvaluator::plain_call(const Expression& at, const Call& node, Frame& frame) {
    const std::size_t first = arguments_.size();
    for (const ExpressionPtr& argument : node.arguments) {
        MaybeStep value = machine_.evaluate(*argument, frame);
        if (!value) {
            arguments_.resize(first);
            return std::nullopt;
        }
        arguments_.push_back(std::move(*value));
    }
    // From here on nothing is evaluated, so the stack stays where it is.
    MaybeStep result = finish_call(at, node, std::span(arguments_).subspan(first));
    arguments_.resize(first);
    return result;
}

MaybeStep CallEvaluator::finish_call(const Expression& at, const Call& node,
                                     std::span<const Step> arguments) {
    if (node.builtin == Builtin::emit_compliance) {
        return emit_compliance(at, arguments);
    }
    if (!state_.spend(at, cost_of_call(node, arguments))) {
        return std::nullopt;
    }
    std::optional<Value> value = apply(at, node, arguments);
    if (!value) {
        return std::nullopt;
    }
    if (!state_.with_proof()) {
        return Step{std::move(*value), 0};
    }
    children_.clear();
    for (const Step& argument : arguments) {
        children_.push_back(argument.node);
    }
    const ProofBuilder::Id id =
        state_.operation(builtin_name(node.builtin), at.type, *value, children_);
    return Step{std::move(*value), id};
}

std::optional<Value> CallEvaluator::apply(const Expression& at, const Call& node,
                                          std::span<const Step> arguments) {
    const Value& first = arguments[0].value;
    switch (node.builtin) {
        case Builtin::record_get:
            return record_get(first, arguments[1].value);
        case Builtin::some:
            return first;
        case Builtin::is_some:
            return Value(std::ranges::none_of(
                arguments, [](const Step& argument) { return argument.value.is_none(); }));
        case Builtin::unwrap_or:
            return first.is_none() ? arguments[1].value : first;
        case Builtin::require_some:
            return require_some(at, node, arguments);
        case Builtin::count:
            return Value(static_cast<std::int64_t>(first.list().size()));
        case Builtin::sort:
            return sorted(first);
        case Builtin::contains:
            return Value(contains(first, arguments[1].value));
        case Builtin::starts_with:
            return Value(first.text().starts_with(arguments[1].value.text()));
        case Builtin::matches:
            return Value(node.pattern->matches(first.text()));
        case Builtin::gs1_check_digit:
            return Value(gs1_check_digit(first.text()));
        case Builtin::to_text:
            return Value(text_of(first));
        case Builtin::declassify:
            return arguments[1].value;
        default:
            return apply_number(at, node, arguments);
    }
}

std::optional<Value> CallEvaluator::apply_number(const Expression& at, const Call& node,
                                                 std::span<const Step> arguments) {
    const Value& first = arguments[0].value;
    switch (node.builtin) {
        case Builtin::to_dec:
            return to_dec(at, node, arguments[1].value);
        case Builtin::to_qty: {
            const Value& from = arguments[1].value;
            const bool whole = from.kind() == Kind::integer;
            return state_.checked(
                at, make_quantity(whole ? Decimal::from_int(from.integer()) : from.decimal(),
                                  *node.unit));
        }
        case Builtin::convert:
            return state_.checked(at, jobforge::convert(arguments[1].value.quantity(), *node.unit));
        case Builtin::sum_dec:
            return sum_dec(at, node, arguments[1].value);
        case Builtin::sum_qty:
            return sum_qty(at, node, arguments[1].value);
        case Builtin::year:
            return Value(std::int64_t{first.date().year()});
        case Builtin::month:
            return Value(std::int64_t{first.date().month()});
        case Builtin::day:
            return Value(std::int64_t{first.date().day()});
        case Builtin::add_days:
            return add_days(at, first, arguments[1].value);
        default:
            return state_.fail(at.span, "INTERNAL_ERROR", "A built-in has no implementation.");
    }
}

std::optional<Value> CallEvaluator::require_some(const Expression& at, const Call& node,
                                                 std::span<const Step> arguments) {
    const Value& value = arguments[0].value;
    if (!value.is_none()) {
        return value;
    }
    const auto* argument = std::get_if<Call>(&node.arguments[0]->node);
    const bool of_fact = argument != nullptr && argument->builtin == Builtin::get_fact;
    return state_.fail(at.span, arguments[1].value.text(), arguments[2].value.text(),
                       of_fact ? "There is no fact " + facts_.missing() + "." : std::string());
}

std::optional<Value> CallEvaluator::to_dec(const Expression& at, const Call& node,
                                           const Value& from) {
    if (from.kind() == Kind::integer) {
        return state_.checked(at,
                              Decimal::from_int(from.integer()).rescale(node.scale, node.rounding));
    }
    if (from.kind() == Kind::decimal) {
        return state_.checked(at, from.decimal().rescale(node.scale, node.rounding));
    }
    const auto written = decimal_from_text(from.text(), node.scale, node.rounding);
    if (!written.ok()) {
        return state_.fail(at, written.error());
    }
    return *written ? Value(**written) : Value();
}

std::optional<Value> CallEvaluator::sum_dec(const Expression& at, const Call& node,
                                            const Value& list) {
    DecimalSum sum;
    for (const Value& each : list.list()) {
        const bool whole = each.kind() == Kind::integer;
        sum.add(whole ? Decimal::from_int(each.integer()) : each.decimal());
    }
    return state_.checked(at, sum.total(node.scale));
}

std::optional<Value> CallEvaluator::sum_qty(const Expression& at, const Call& node,
                                            const Value& list) {
    DecimalSum sum;
    for (const Value& each : list.list()) {
        sum.add(each.quantity().value);
    }
    const Unit& unit = list.list().empty() ? *node.unit : *list.list().front().quantity().unit;
    return state_.checked(at, jobforge::convert(sum, unit, *node.unit));
}

std::optional<Value> CallEvaluator::add_days(const Expression& at, const Value& date,
                                             const Value& days) {
    const auto moved = date.date().add_days(days.integer());
    if (moved) {
        return Value(*moved);
    }
    return state_.fail(
        at.span, "NUMBER_OVERFLOW",
        fmt::format("{} days from {} is not a day between 0001-01-01 and 9999-12-31.",
                    days.integer(), date.date().text()),
        "Add fewer days.");
}

MaybeStep CallEvaluator::emit_compliance(const Expression& at, std::span<const Step> arguments) {
    const std::string& id = arguments[0].value.text();
    const std::string& status = arguments[1].value.text();
    const std::string& evidence = arguments[2].value.text();
    // The entry is made anew, however often the same text is recorded.
    if (!state_.spend(at, arguments[0].value.size() + arguments[1].value.size() +
                              arguments[2].value.size())) {
        return std::nullopt;
    }
    if (!state_.options().any_status && !is_compliance_status(status)) {
        return state_.fail(
            at.span, "VALIDATION_ERROR",
            fmt::format("The compliance entry {} has the status \"{}\", which does not "
                        "exist.",
                        id, status),
            fmt::format("Compute one of {}.", fmt::join(kComplianceStatuses, ", ")));
    }
    state_.compliance().push_back({id, status, evidence});
    Step step{Value(status != "FAIL"), 0};
    if (state_.with_proof()) {
        const std::array children{arguments[0].node, arguments[1].node, arguments[2].node};
        step.node = state_.proof().compliance(id, status, evidence, children);
        state_.effects().push_back(step.node);
    }
    return step;
}

}  // namespace jobforge::rules
