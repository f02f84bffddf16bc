#include "rules/check/builtin_checker.h"

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rules/check/builtin.h"
#include "rules/check/conversion_checker.h"
#include "rules/check/expression_checker.h"
#include "rules/check/list_checker.h"
#include "rules/check/literal_type.h"
#include "rules/check/mismatch.h"
#include "rules/check/opt_checker.h"
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

}  // namespace

Type BuiltinChecker::infer(Expression& expression, Call& node) {
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
    return infer_call(node);
}

Type BuiltinChecker::infer_unknown_call(Call& node) {
    std::vector<std::string_view> names(all_builtin_names().begin(), all_builtin_names().end());
    names.insert(names.end(), {"date", "qty", "field", "implies"});
    context_.type_error(node.function.span,
                        fmt::format("there is no function {}", node.function.text),
                        context_.suggestion(node.function.text, names));
    for (const ExpressionPtr& argument : node.arguments) {
        if (!std::holds_alternative<Lambda>(argument->node)) {
            expressions_.infer(*argument);
        }
    }
    return Type::error();
}

Type BuiltinChecker::infer_call(Call& node) {
    switch (node.builtin) {
        case Builtin::get_fact:
        case Builtin::get_facts_by_prefix:
            return infer_facts(node);
        case Builtin::record_get:
            return infer_record_get(node);
        case Builtin::some:
        case Builtin::is_some:
        case Builtin::require_some:
        case Builtin::unwrap_or:
            return OptChecker(context_, expressions_).infer(node);
        case Builtin::to_dec:
        case Builtin::to_qty:
        case Builtin::convert:
        case Builtin::to_text:
            return ConversionChecker(context_, expressions_).infer(node);
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
            return ListChecker(context_, expressions_).infer(node);
    }
}

Type BuiltinChecker::infer_facts(Call& node) {
    const auto name = literal_text(context_, *node.arguments[0], "the type of a fact");
    expressions_.require(*node.arguments[1], Type::text(), "the key of a fact");
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
Type BuiltinChecker::infer_record_get(Call& node) {
    const Type& given = expressions_.infer(*node.arguments[0]);
    const Type object = given.is(Type::Kind::optional) ? given.element() : given;
    const auto opt_of = [](const Type& type) {
        return type.is(Type::Kind::optional) ? type : Type::optional(type);
    };
    if (object.is(Type::Kind::map)) {
        expressions_.require(*node.arguments[1], Type::text(), "the key of recordGet");
        return opt_of(object.element());
    }
    const auto name = literal_text(context_, *node.arguments[1], "the name of a record's member");
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
        report_no_member(context_, node.arguments[1]->span, object, *name);
        return Type::error();
    }
    node.member = *index;
    return opt_of(object.members()[*index].type);
}

Type BuiltinChecker::infer_text(Call& node) {
    const std::string what = fmt::format("what {} looks at", node.function.text);
    expressions_.require(*node.arguments[0], Type::text(), what);
    if (node.builtin == Builtin::gs1_check_digit) {
        return Type::boolean();
    }
    if (node.builtin == Builtin::starts_with) {
        expressions_.require(*node.arguments[1], Type::text(), "the beginning");
        return Type::boolean();
    }
    const auto text = literal_text(context_, *node.arguments[1], "the pattern of matches");
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

Type BuiltinChecker::infer_date(Call& node) {
    expressions_.require(*node.arguments[0], Type::date(),
                         fmt::format("the date of {}", node.function.text));
    if (node.builtin == Builtin::add_days) {
        expressions_.require(*node.arguments[1], Type::integer(), "the number of days");
        return Type::date();
    }
    return Type::integer();
}

Type BuiltinChecker::infer_compliance(Call& node) {
    expressions_.require(*node.arguments[0], Type::text(), "the id of a compliance entry");
    expressions_.require(*node.arguments[1], Type::text(), "the status of a compliance entry");
    expressions_.require(*node.arguments[2], Type::text(), "the evidence of a compliance entry");
    check_status(*node.arguments[1]);
    return Type::boolean();
}

// Literals that may be the status, also behind if and let.
void BuiltinChecker::check_status(const Expression& status) {
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

Type BuiltinChecker::infer_declassify(Call& node) {
    const auto reason = literal_text(context_, *node.arguments[0], "the reason of declassify");
    if (reason && reason->find_first_not_of(" \t\r\n") == std::string::npos) {
        context_.type_error(node.arguments[0]->span, "the reason of declassify is empty",
                            "say why everybody who sees the field may know it");
    }
    return expressions_.infer(*node.arguments[1]);
}

}  // namespace jobforge::rules
