#include "rules/check/mismatch.h"

#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace jobforge::rules {

namespace {

std::string to_dec_advice(const CheckContext& context, const Expression& expression,
                          const Type& from, const Type& wanted) {
    const std::string shown = context.shown(expression);
    switch (from.kind()) {
        case Type::Kind::integer:
        case Type::Kind::decimal:
            return fmt::format("write toDec({}, {})", wanted.scale(), shown);
        case Type::Kind::text:
            return fmt::format("write requireSome(toDec({}, {}), \"CODE\", \"message\")",
                               wanted.scale(), shown);
        case Type::Kind::quantity:
            return fmt::format("divide by a quantity: toDec({}, {} / qty(1, {}))", wanted.scale(),
                               shown, unit_name(*from.unit()));
        default:
            return {};
    }
}

}  // namespace

bool has_text(const Type& type) noexcept {
    using enum Type::Kind;
    return type.is(integer) || type.is(decimal) || type.is(quantity) || type.is(date) ||
           type.is(boolean);
}

std::string to_qty_advice(const CheckContext& context, const Expression& expression,
                          const Type& from, const Type& wanted) {
    const std::string shown = context.shown(expression);
    if (from.is(Type::Kind::integer) || from.is(Type::Kind::decimal)) {
        return fmt::format("write toQty(\"{}\", {})", unit_name(*wanted.unit()), shown);
    }
    if (!from.is(Type::Kind::quantity)) {
        return {};
    }
    if (same_dimension(*from.unit(), *wanted.unit())) {
        return fmt::format("write convert(\"{}\", {})", unit_name(*wanted.unit()), shown);
    }
    return fmt::format("{} cannot become {}: {} is {}, {} is {}", unit_name(*from.unit()),
                       unit_name(*wanted.unit()), unit_name(*from.unit()),
                       dimension_name(*from.unit()), unit_name(*wanted.unit()),
                       dimension_name(*wanted.unit()));
}

std::string conversion_advice(const CheckContext& context, const Expression& expression,
                              const Type& from, const Type& wanted) {
    const std::string shown = context.shown(expression);
    if (from.is(Type::Kind::optional) && !wanted.is(Type::Kind::optional)) {
        return fmt::format("write requireSome({}, \"CODE\", \"message\") or unwrapOr({}, ...)",
                           shown, shown);
    }
    if (wanted.is(Type::Kind::optional) && assignable(from, wanted.element())) {
        return fmt::format("write some({})", shown);
    }
    if (wanted.is(Type::Kind::decimal)) {
        return to_dec_advice(context, expression, from, wanted);
    }
    if (wanted.is(Type::Kind::quantity)) {
        return to_qty_advice(context, expression, from, wanted);
    }
    if (wanted.is(Type::Kind::boolean)) {
        return "write a comparison, such as x > 0";
    }
    if (wanted.is(Type::Kind::text) && has_text(from)) {
        return fmt::format("write toText({})", shown);
    }
    return {};
}

void report_mismatch(CheckContext& context, const Expression& expression, const Type& wanted,
                     std::string_view what) {
    if (const auto* block = std::get_if<Block>(&expression.node)) {
        return report_mismatch(context, *block->result, wanted, what);
    }
    if (const auto* conditional = std::get_if<If>(&expression.node);
        conditional != nullptr && !conditional->lift_then && !conditional->lift_else) {
        for (const ExpressionPtr& branch :
             {std::cref(conditional->then_branch), std::cref(conditional->else_branch)}) {
            if (!assignable(branch->type, wanted)) {
                report_mismatch(context, *branch, wanted, what);
            }
        }
        return;
    }
    const Type& found = expression.type;
    const bool both_quantities = found.is(Type::Kind::quantity) && wanted.is(Type::Kind::quantity);
    std::string message = fmt::format("{} must be {}, but this is {}", what,
                                      context.describe(wanted), context.describe(found));
    std::string advice = conversion_advice(context, expression, found, wanted);
    if (both_quantities) {
        context.unit_error(expression.span, std::move(message), std::move(advice));
    } else {
        context.type_error(expression.span, std::move(message), std::move(advice));
    }
}

void report_no_member(CheckContext& context, const Span& span, const Type& record,
                      const std::string& name) {
    std::vector<std::string_view> names;
    for (const TypeMember& member : record.members()) {
        names.emplace_back(member.name);
    }
    context.type_error(span, fmt::format("{} has no member {}", context.describe(record), name),
                       context.suggestion(name, names));
}

}  // namespace jobforge::rules
