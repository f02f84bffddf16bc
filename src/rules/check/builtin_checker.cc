// Calls of built-in functions, those of lists aside.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "rules/check/expression_checker.h"
#include "values/pattern.h"

namespace jobforge::rules {

namespace {

struct Arity {
    std::size_t least;
    std::size_t most;
};

constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

// "1", "2 or 3", "at least 1"
std::string text_of(const Arity& arity) {
    if (arity.most == kAnyNumber) {
        return fmt::format("at least {}", arity.least);
    }
    return arity.least == arity.most ? std::to_string(arity.least)
                                     : fmt::format("{} or {}", arity.least, arity.most);
}

Arity arity_of(Builtin builtin) {
    switch (builtin) {
        case Builtin::is_some:
            return {1, kAnyNumber};
        case Builtin::some:
        case Builtin::count:
        case Builtin::sort:
        case Builtin::year:
        case Builtin::month:
        case Builtin::day:
        case Builtin::gs1_check_digit:
        case Builtin::to_text:
            return {1, 1};
        case Builtin::require_some:
        case Builtin::fold:
        case Builtin::emit_compliance:
            return {3, 3};
        case Builtin::to_dec:
            return {2, 3};
        default:
            return {2, 2};
    }
}

std::optional<Rounding> find_rounding(std::string_view name) {
    if (name == "half_even") {
        return Rounding::half_even;
    }
    if (name == "half_up") {
        return Rounding::half_up;
    }
    if (name == "down") {
        return Rounding::down;
    }
    if (name == "up") {
        return Rounding::up;
    }
    return std::nullopt;
}

}  // namespace

Type ExpressionChecker::infer_node(Expression& expression, Call& node) {
    const auto builtin = find_builtin(node.function.text);
    if (!builtin) {
        return infer_unknown_call(node);
    }
    node.builtin = *builtin;
    const Arity arity = arity_of(*builtin);
    if (node.arguments.size() < arity.least || node.arguments.size() > arity.most) {
        context_.type_error(
            expression.span,
            fmt::format("{} takes {} argument{}, not {}", node.function.text, text_of(arity),
                        arity.least == 1 ? "" : "s", node.arguments.size()),
            fmt::format("write {}", builtin_usage(*builtin)));
        return Type::error();
    }
    return infer_call(expression, node);
}

Type ExpressionChecker::infer_unknown_call(Call& node) {
    std::vector<std::string_view> names(all_builtin_names().begin(), all_builtin_names().end());
    names.insert(names.end(), {"date", "qty", "field", "implies"});
    context_.type_error(node.function.span,
                        fmt::format("there is no function {}", node.function.text),
                        context_.suggestion(node.function.text, names));
    for (const ExpressionPtr& argument : node.arguments) {
        if (!std::holds_alternative<Lambda>(argument->node)) {
            infer(*argument);
        }
    }
    return Type::error();
}

Type ExpressionChecker::infer_call(Expression& /*expression*/, Call& node) {
    switch (node.builtin) {
        case Builtin::get_fact:
        case Builtin::get_facts_by_prefix:
            return infer_facts(node);
        case Builtin::record_get:
            return infer_record_get(node);
        case Builtin::some:
        case Builtin::is_some:
        case Builtin::require_some:
            return infer_optional(node);
        case Builtin::unwrap_or:
            return infer_unwrap_or(node);
        case Builtin::to_dec:
            return infer_to_dec(node);
        case Builtin::to_qty:
            return infer_to_qty(node);
        case Builtin::convert:
            return infer_convert(node);
        case Builtin::to_text:
            return infer_to_text(node);
        case Builtin::gs1_check_digit:
        case Builtin::starts_with:
        case Builtin::matches:
            return infer_text(node);
        case Builtin::year:
        case Builtin::month:
        case Builtin::day:
        case Builtin::add_days:
            return infer_date(node);
        case Builtin::emit_compliance:
            return infer_compliance(node);
        case Builtin::declassify:
            return infer_declassify(node);
        default:
            return infer_list_call(node);
    }
}

std::optional<std::string> ExpressionChecker::literal_text(Expression& argument,
                                                           std::string_view what) {
    const auto* literal = std::get_if<Literal>(&argument.node);
    if (literal != nullptr && literal->kind == Literal::Kind::text) {
        argument.type = Type::text();
        return std::get<std::string>(literal->value);
    }
    context_.type_error(argument.span, fmt::format("{} must be a text in quotes", what),
                        "it is fixed when the rules are checked");
    return std::nullopt;
}

std::optional<int> ExpressionChecker::literal_scale(Expression& argument) {
    const auto* literal = std::get_if<Literal>(&argument.node);
    if (literal != nullptr && literal->kind == Literal::Kind::integer) {
        const std::int64_t scale = std::get<std::int64_t>(literal->value);
        if (scale >= 0 && scale <= Decimal::kMaxScale) {
            argument.type = Type::integer();
            return static_cast<int>(scale);
        }
    }
    context_.type_error(argument.span, "the scale must be a whole number from 0 to 18",
                        "it is the number of decimals, and fixed when the rules are checked");
    return std::nullopt;
}

UnitPointer ExpressionChecker::literal_unit(Expression& argument) {
    const auto name = literal_text(argument, "the unit");
    if (!name) {
        return nullptr;
    }
    const UnitPointer unit = find_unit(*name);
    if (unit == nullptr) {
        context_.type_error(argument.span, fmt::format("there is no unit {}", *name),
                            context_.suggestion(*name, all_unit_names()));
    }
    return unit;
}

Type ExpressionChecker::infer_facts(Call& node) {
    const auto name = literal_text(*node.arguments[0], "the type of a fact");
    require(*node.arguments[1], Type::text(), "the key of a fact");
    const auto fact =
        name ? resolve_fact_name(context_, *name, node.arguments[0]->span) : std::nullopt;
    if (!fact) {
        return Type::error();
    }
    node.fact = *fact;
    const Type& type = context_.package().facts[*fact].type;
    if (type.is_error()) {
        return type;
    }
    return node.builtin == Builtin::get_fact ? Type::optional(type) : Type::list(type);
}

// A missing group has no members: recordGet of none is none, so groups can be looked into.
Type ExpressionChecker::infer_record_get(Call& node) {
    const Type& given = infer(*node.arguments[0]);
    const Type object = given.is(Type::Kind::optional) ? given.element() : given;
    const auto opt_of = [](const Type& type) {
        return type.is(Type::Kind::optional) ? type : Type::optional(type);
    };
    if (object.is(Type::Kind::map)) {
        require(*node.arguments[1], Type::text(), "the key of recordGet");
        return opt_of(object.element());
    }
    const auto name = literal_text(*node.arguments[1], "the name of a record's member");
    if (object.is_error() || !name) {
        return Type::error();
    }
    if (!object.is(Type::Kind::record)) {
        context_.type_error(node.arguments[0]->span,
                            fmt::format("recordGet takes a record or a map, but this is {}",
                                        context_.describe(given)));
        return Type::error();
    }
    const auto index = object.member_index(*name);
    if (!index) {
        report_no_member(node.arguments[1]->span, object, *name);
        return Type::error();
    }
    node.member = *index;
    return opt_of(object.members()[*index].type);
}

bool has_text(const Type& type) noexcept {
    using enum Type::Kind;
    return type.is(integer) || type.is(decimal) || type.is(quantity) || type.is(date) ||
           type.is(boolean);
}

Type ExpressionChecker::infer_to_text(Call& node) {
    const Type& type = infer(*node.arguments[0]);
    if (!has_text(type) && !type.is_error()) {
        context_.type_error(node.arguments[0]->span,
                            fmt::format("toText takes an Int, Dec, Qty, Date or Bool, but this is "
                                        "{}",
                                        context_.describe(type)),
                            type.is(Type::Kind::optional)
                                ? conversion_advice(*node.arguments[0], type, type.element())
                                : "");
    }
    return Type::text();
}

std::optional<Type> ExpressionChecker::infer_opt(Expression& argument, const Call& node) {
    const Type& type = infer(argument);
    if (type.is(Type::Kind::optional)) {
        return type;
    }
    if (!type.is_error()) {
        context_.type_error(argument.span,
                            fmt::format("{} takes an Opt, but this is {}", node.function.text,
                                        context_.describe(type)),
                            "it is always there: use it as it is");
    }
    return std::nullopt;
}

Type ExpressionChecker::infer_optional(Call& node) {
    Expression& value = *node.arguments[0];
    if (node.builtin == Builtin::some) {
        const Type& type = infer(value);
        if (type.is(Type::Kind::optional)) {
            context_.type_error(value.span, "there is no Opt of an Opt", "use it without some");
            return Type::error();
        }
        return type.is_error() ? type : Type::optional(type);
    }
    const auto opt = infer_opt(value, node);
    if (node.builtin == Builtin::is_some) {
        for (std::size_t i = 1; i < node.arguments.size(); ++i) {
            (void)infer_opt(*node.arguments[i], node);
        }
        return Type::boolean();
    }
    const auto code = literal_text(*node.arguments[1], "the code of requireSome");
    if (code && code->empty()) {
        context_.type_error(node.arguments[1]->span, "the code of requireSome is empty");
    }
    (void)literal_text(*node.arguments[2], "the message of requireSome");
    return opt ? opt->element() : Type::error();
}

Type ExpressionChecker::infer_unwrap_or(Call& node) {
    const auto opt = infer_opt(*node.arguments[0], node);
    if (!opt) {
        infer(*node.arguments[1]);
        return Type::error();
    }
    if (!opt->is_partial()) {
        require(*node.arguments[1], opt->element(), "the default of unwrapOr");
        return opt->element();
    }
    // unwrapOr(none, 5): the default decides.
    const Type type = infer(*node.arguments[1]);
    const auto value = unify(opt->element(), type);
    if (!value) {
        report_mismatch(*node.arguments[1], opt->element(), "the default of unwrapOr");
        return Type::error();
    }
    if (!value->is(Type::Kind::optional) && !value->is_error()) {
        adapt(*node.arguments[0], Type::optional(*value));
    }
    return *value;
}

Type ExpressionChecker::infer_to_dec(Call& node) {
    const auto scale = literal_scale(*node.arguments[0]);
    const Type type = infer(*node.arguments[1]);
    if (node.arguments.size() == 3) {
        const auto mode = literal_text(*node.arguments[2], "the rounding");
        const auto rounding = mode ? find_rounding(*mode) : std::nullopt;
        if (mode && !rounding) {
            context_.type_error(node.arguments[2]->span,
                                fmt::format("there is no rounding {}", *mode),
                                "write half_even, half_up, down or up");
        }
        node.rounding = rounding.value_or(Rounding::half_even);
    }
    if (!scale || type.is_error()) {
        return Type::error();
    }
    node.scale = *scale;
    if (type.is(Type::Kind::integer) || type.is(Type::Kind::decimal)) {
        return Type::decimal(*scale);
    }
    if (type.is(Type::Kind::text)) {
        return Type::optional(Type::decimal(*scale));
    }
    context_.type_error(
        node.arguments[1]->span,
        fmt::format("toDec takes an Int, a Dec or a Text, but this is {}", context_.describe(type)),
        conversion_advice(*node.arguments[1], type, Type::decimal(*scale)));
    return Type::error();
}

Type ExpressionChecker::infer_to_qty(Call& node) {
    node.unit = literal_unit(*node.arguments[0]);
    Expression& value = *node.arguments[1];
    const Type type = infer(value);
    if (type.is(Type::Kind::integer) || type.is(Type::Kind::decimal)) {
        return node.unit != nullptr ? Type::quantity(node.unit) : Type::error();
    }
    if (!type.is_error()) {
        std::string advice;
        if (node.unit != nullptr && type.is(Type::Kind::quantity)) {
            advice = conversion_advice(value, type, Type::quantity(node.unit));
        } else {
            advice = conversion_advice(value, type, Type::decimal(kQuantityScale));
        }
        context_.type_error(
            value.span,
            fmt::format("toQty takes an Int or a Dec, but this is {}", context_.describe(type)),
            std::move(advice));
    }
    return Type::error();
}

Type ExpressionChecker::infer_convert(Call& node) {
    node.unit = literal_unit(*node.arguments[0]);
    Expression& value = *node.arguments[1];
    const Type type = infer(value);
    if (node.unit == nullptr || type.is_error()) {
        return Type::error();
    }
    Type wanted = Type::quantity(node.unit);
    if (!type.is(Type::Kind::quantity)) {
        context_.type_error(
            value.span,
            fmt::format("convert takes a quantity, but this is {}", context_.describe(type)),
            conversion_advice(value, type, wanted));
        return Type::error();
    }
    if (!same_dimension(*type.unit(), *node.unit)) {
        context_.unit_error(value.span,
                            fmt::format("{} cannot be converted to {}", unit_name(*type.unit()),
                                        unit_name(*node.unit)),
                            conversion_advice(value, type, wanted));
        return Type::error();
    }
    return wanted;
}

Type ExpressionChecker::infer_text(Call& node) {
    const std::string what = fmt::format("what {} looks at", node.function.text);
    require(*node.arguments[0], Type::text(), what);
    if (node.builtin == Builtin::gs1_check_digit) {
        return Type::boolean();
    }
    if (node.builtin == Builtin::starts_with) {
        require(*node.arguments[1], Type::text(), "the beginning");
        return Type::boolean();
    }
    const auto text = literal_text(*node.arguments[1], "the pattern of matches");
    if (text) {
        auto pattern = Pattern::compile(*text);
        if (pattern.ok()) {
            node.pattern = std::make_shared<const Pattern>(*std::move(pattern));
        } else {
            context_.type_error(node.arguments[1]->span, pattern.error().message,
                                "patterns follow RE2: https://github.com/google/re2/wiki/Syntax");
        }
    }
    return Type::boolean();
}

Type ExpressionChecker::infer_date(Call& node) {
    require(*node.arguments[0], Type::date(), fmt::format("the date of {}", node.function.text));
    if (node.builtin == Builtin::add_days) {
        require(*node.arguments[1], Type::integer(), "the number of days");
        return Type::date();
    }
    return Type::integer();
}

Type ExpressionChecker::infer_compliance(Call& node) {
    require(*node.arguments[0], Type::text(), "the id of a compliance entry");
    require(*node.arguments[1], Type::text(), "the status of a compliance entry");
    require(*node.arguments[2], Type::text(), "the evidence of a compliance entry");
    check_status(*node.arguments[1]);
    return Type::boolean();
}

// Literals that may be the status, also behind if and let.
void ExpressionChecker::check_status(const Expression& status) {
    if (const auto* block = std::get_if<Block>(&status.node)) {
        return check_status(*block->result);
    }
    if (const auto* conditional = std::get_if<If>(&status.node)) {
        check_status(*conditional->then_branch);
        return check_status(*conditional->else_branch);
    }
    if (const auto* call = std::get_if<Call>(&status.node);
        call != nullptr && call->builtin == Builtin::declassify && call->arguments.size() == 2) {
        return check_status(*call->arguments[1]);
    }
    const auto* literal = std::get_if<Literal>(&status.node);
    if (literal == nullptr || literal->kind != Literal::Kind::text) {
        return;
    }
    context_.check_status(status.span, std::get<std::string>(literal->value));
}

}  // namespace jobforge::rules
