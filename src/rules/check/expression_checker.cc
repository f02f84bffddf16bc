// Literals, names, members, if, let, lists.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rules/check/expression_checker.h"

namespace jobforge::rules {

std::size_t ExpressionChecker::bind(const std::string& name, const Type& type) {
    const std::size_t slot = next_slot_++;
    scope_[name].push_back({type, slot});
    return slot;
}

void ExpressionChecker::unbind(const std::string& name) {
    scope_[name].pop_back();
}

const Type& ExpressionChecker::infer(Expression& expression) {
    settle(expression,
           std::visit([this, &expression](auto& node) { return infer_node(expression, node); },
                      expression.node));
    return expression.type;
}

void ExpressionChecker::settle(Expression& expression, Type type) {
    expression.type = std::move(type);
    if (expression.type.depth() > Type::kMaximumDepth) {
        context_.type_error(expression.span,
                            fmt::format("the values of this expression nest deeper "
                                        "than {} levels",
                                        Type::kMaximumDepth));
        expression.type = Type::error();
    }
}

void ExpressionChecker::require(Expression& expression, const Type& wanted, std::string_view what) {
    infer(expression);
    require_inferred(expression, wanted, what);
}

void ExpressionChecker::require_inferred(Expression& expression, const Type& wanted,
                                         std::string_view what) {
    adapt(expression, wanted);
    if (!assignable(expression.type, wanted)) {
        report_mismatch(expression, wanted, what);
    }
}

Type ExpressionChecker::infer_node(Expression& expression, Literal& node) {
    switch (node.kind) {
        case Literal::Kind::none:
            return Type::optional(Type::nothing());
        case Literal::Kind::boolean:
            return Type::boolean();
        case Literal::Kind::integer:
            return Type::integer();
        case Literal::Kind::decimal:
            return Type::decimal(std::get<Decimal>(node.value).scale());
        case Literal::Kind::text:
            return Type::text();
        case Literal::Kind::quantity:
            return infer_quantity(node, expression.span);
        case Literal::Kind::date:
            break;
    }
    const auto date = Date::parse(node.text);
    if (!date) {
        context_.type_error(node.text_span, "there is no such day",
                            "a date is written \"2027-02-18\"");
        return Type::error();
    }
    node.value = *date;
    return Type::date();
}

Type ExpressionChecker::infer_quantity(Literal& node, const Span& span) {
    const UnitPointer unit = find_unit(node.text);
    if (unit == nullptr) {
        context_.type_error(node.text_span, fmt::format("there is no unit {}", node.text),
                            context_.suggestion(node.text, all_unit_names()));
        return Type::error();
    }
    const auto* whole = std::get_if<std::int64_t>(&node.value);
    const Decimal written =
        whole != nullptr ? Decimal::from_int(*whole) : std::get<Decimal>(node.value);
    if (written.scale() > kQuantityScale) {
        context_.type_error(span, "a quantity has at most six decimals",
                            "round it, or take a smaller unit");
        return Type::error();
    }
    const auto quantity = make_quantity(written, *unit);
    if (!quantity.ok()) {
        context_.type_error(span, "a quantity has at most 38 digits, six of them decimals");
        return Type::error();
    }
    node.value = *quantity;
    return Type::quantity(unit);
}

Type ExpressionChecker::infer_node(Expression& expression, Variable& node) {
    const auto found = scope_.find(node.name);
    if (found != scope_.end() && !found->second.empty()) {
        node.slot = found->second.back().slot;
        return found->second.back().type;
    }
    std::vector<std::string_view> names{"product", "issued_on"};
    for (const auto& [name, bindings] : scope_) {
        if (!bindings.empty()) {
            names.emplace_back(name);
        }
    }
    std::ranges::sort(names);  // the order of a hash table must not choose the suggestion
    std::string advice = context_.suggestion(node.name, names);
    if (context_.package().fact_index.contains(node.name)) {
        advice =
            fmt::format("{} is a fact: read one with getFact(\"{}\", key)", node.name, node.name);
    } else if (context_.package().field_index.contains(node.name)) {
        advice = fmt::format("write field(\"{}\")", node.name);
    }
    context_.type_error(expression.span, fmt::format("there is no variable {}", node.name),
                        std::move(advice));
    return Type::error();
}

Type ExpressionChecker::infer_node(Expression& /*expression*/, FieldReference& node) {
    const auto& fields = context_.package().field_index;
    const auto found = fields.find(node.path);
    if (found == fields.end()) {
        std::vector<std::string_view> names;
        for (const auto& [path, index] : fields) {
            names.push_back(path);
        }
        context_.unknown_error(node.path_span, fmt::format("there is no field {}", node.path),
                               context_.suggestion(node.path, names));
        return Type::error();
    }
    node.field = found->second;
    fields_.insert(found->second);
    context_.note_reference(node);
    return context_.package().fields[found->second].type;
}

Type ExpressionChecker::infer_node(Expression& /*expression*/, Given& node) {
    return node.kind == Given::Kind::product ? Type::product() : Type::date();
}

Type ExpressionChecker::infer_node(Expression& /*expression*/, MemberAccess& node) {
    const Type& object = infer(*node.object);
    if (object.is_error()) {
        return object;
    }
    if (object.is(Type::Kind::record)) {
        if (const auto index = object.member_index(node.name.text)) {
            node.index = *index;
            return object.members()[*index].type;
        }
    }
    return unknown_member(node);
}

void ExpressionChecker::report_no_member(const Span& span, const Type& record,
                                         const std::string& name) {
    std::vector<std::string_view> names;
    for (const TypeMember& member : record.members()) {
        names.emplace_back(member.name);
    }
    context_.type_error(span, fmt::format("{} has no member {}", context_.describe(record), name),
                        context_.suggestion(name, names));
}

Type ExpressionChecker::unknown_member(const MemberAccess& node) {
    const Type& object = node.object->type;
    const std::string& name = node.name.text;
    if (object.is(Type::Kind::record)) {
        report_no_member(node.name.span, object, name);
        return Type::error();
    }
    std::string advice;
    if (object.is(Type::Kind::map) || object.is(Type::Kind::optional)) {
        advice = fmt::format("write recordGet({}, \"{}\"), which is an Opt",
                             context_.shown(*node.object), name);
    }
    context_.type_error(node.name.span,
                        fmt::format("{} has no member {}", context_.describe(object), name),
                        std::move(advice));
    return Type::error();
}

Type ExpressionChecker::infer_node(Expression& /*expression*/, If& node) {
    require(*node.condition, Type::boolean(), "the condition of if");
    infer(*node.then_branch);
    infer(*node.else_branch);
    adapt(*node.else_branch, node.then_branch->type);
    adapt(*node.then_branch, node.else_branch->type);
    const Type then_type = node.then_branch->type;
    const Type else_type = node.else_branch->type;
    if (const auto both = unify(then_type, else_type)) {
        return *both;
    }
    // `if c then 5 else none`: the 5 is wrapped.
    const bool then_is_opt = then_type.is(Type::Kind::optional);
    const bool else_is_opt = else_type.is(Type::Kind::optional);
    if (then_is_opt != else_is_opt) {
        const Type& opt = then_is_opt ? then_type : else_type;
        Expression& plain = then_is_opt ? *node.else_branch : *node.then_branch;
        adapt(plain, opt.element());
        if (const auto value = unify(plain.type, opt.element())) {
            node.lift_then = else_is_opt;
            node.lift_else = then_is_opt;
            Type lifted = Type::optional(*value);
            adapt(then_is_opt ? *node.then_branch : *node.else_branch, lifted);
            return lifted;
        }
    }
    report_mismatch(*node.else_branch, then_type, "the branch behind else");
    return Type::error();
}

Type ExpressionChecker::infer_node(Expression& /*expression*/, ListLiteral& node) {
    Type element = Type::nothing();
    for (const ExpressionPtr& item : node.items) {
        infer(*item);
        adapt(*item, element);
        // The first Dec among Int literals decides what they become.
        const bool decides = element.is(Type::Kind::integer) && item->type.is(Type::Kind::decimal);
        const auto both = decides ? item->type : unify(element, item->type);
        if (both) {
            element = *both;
        }
    }
    bool ok = true;
    for (const ExpressionPtr& item : node.items) {
        adapt(*item, element);
        if (!assignable(item->type, element)) {
            report_mismatch(*item, element, "an element of this list");
            ok = false;
        }
        ok = ok && !item->type.is_error();
    }
    return ok ? Type::list(element) : Type::error();
}

Type ExpressionChecker::infer_node(Expression& /*expression*/, Block& node) {
    for (Statement& statement : node.statements) {
        std::visit([this](auto& each) { infer_statement(each); }, statement);
    }
    Type type = infer(*node.result);
    for (const Statement& statement : node.statements) {
        if (const auto* let = std::get_if<Let>(&statement)) {
            unbind(let->name.text);
        }
    }
    return type;
}

void ExpressionChecker::infer_statement(Let& let) {
    const Type type = infer(*let.value);
    let.slot = bind(let.name.text, type);
}

void ExpressionChecker::infer_statement(Assert& assertion) {
    require(*assertion.condition, Type::boolean(), "the condition of assert");
    (void)literal_text(*assertion.code, "the code of assert");
    (void)literal_text(*assertion.message, "the message of assert");
}

// Those that belong somewhere never come here: apply() looks into them.
Type ExpressionChecker::infer_node(Expression& expression, Lambda& /*node*/) {
    context_.type_error(expression.span,
                        "a lambda can only be the last argument of map, filter, "
                        "fold, any or all");
    return Type::error();
}

Type ExpressionChecker::infer_node(Expression& expression, Implies& node) {
    const bool in_place = &expression == implies_place_;
    require(*node.premise, Type::boolean(), "the premise of implies");
    require(*node.conclusion, Type::boolean(), "the conclusion of implies");
    if (!in_place) {
        context_.type_error(expression.span,
                            "implies can only be the whole condition of a property",
                            "write !premise || conclusion");
        return Type::error();
    }
    return Type::boolean();
}

}  // namespace jobforge::rules
