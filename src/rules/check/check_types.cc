// Types as written, and the records of facts.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "rules/check/checker.h"

namespace jobforge::rules {

namespace {

constexpr std::array<std::string_view, 10> kTypeNames{"Bool", "Int", "Text", "Date", "Dec",
                                                      "Qty",  "Opt", "List", "Map",  "Record"};

std::vector<std::string_view> known_names(const CheckedPackage& package, bool with_types) {
    std::vector<std::string_view> names;
    if (with_types) {
        names.assign(kTypeNames.begin(), kTypeNames.end());
    }
    for (const auto& [name, index] : package.fact_index) {
        names.push_back(name);
    }
    return names;
}

Type resolve_decimal(CheckContext& context, const TypeSyntax& syntax) {
    const std::int64_t scale = syntax.number.value_or(-1);
    if (scale < 0 || scale > Decimal::kMaxScale) {
        context.type_error(syntax.span, "a Dec has 0 to 18 decimals", "write Dec(0) to Dec(18)");
        return Type::error();
    }
    return Type::decimal(static_cast<int>(scale));
}

Type resolve_quantity(CheckContext& context, const TypeSyntax& syntax) {
    const UnitPointer unit = find_unit(syntax.unit->text);
    if (unit == nullptr) {
        context.type_error(syntax.unit->span, fmt::format("there is no unit {}", syntax.unit->text),
                           context.suggestion(syntax.unit->text, all_unit_names()));
        return Type::error();
    }
    return Type::quantity(unit);
}

Type resolve_members(CheckContext& context, const std::vector<TypeSyntaxMember>& syntax) {
    std::vector<TypeMember> members;
    std::set<std::string_view> names;
    bool ok = true;
    for (const TypeSyntaxMember& member : syntax) {
        Type type = resolve_type(context, *member.type);
        ok = ok && !type.is_error();
        if (!names.insert(member.name.text).second) {
            context.type_error(member.name.span,
                               fmt::format("the member {} is declared twice", member.name.text),
                               "remove one");
            ok = false;
        }
        members.push_back({member.name.text, std::move(type)});
    }
    return ok ? Type::record(std::move(members)) : Type::error();
}

Type resolve_element(CheckContext& context, const TypeSyntax& syntax) {
    Type element = resolve_type(context, *syntax.inner.front().type);
    if (!syntax.key_is_text) {
        context.type_error(syntax.span, "the keys of a Map are Text", "write Map(Text, T)");
        return Type::error();
    }
    if (element.is_error()) {
        return element;
    }
    if (syntax.name.text == "Opt") {
        if (element.is(Type::Kind::optional)) {
            context.type_error(syntax.span, "there is no Opt of an Opt", "write one Opt");
            return Type::error();
        }
        return Type::optional(std::move(element));
    }
    return syntax.name.text == "List" ? Type::list(std::move(element))
                                      : Type::map(std::move(element));
}

Type resolve_unlimited(CheckContext& context, const TypeSyntax& syntax) {
    const std::string& name = syntax.name.text;
    if (name == "Bool") {
        return Type::boolean();
    }
    if (name == "Int") {
        return Type::integer();
    }
    if (name == "Text") {
        return Type::text();
    }
    if (name == "Date") {
        return Type::date();
    }
    if (name == "Dec") {
        return resolve_decimal(context, syntax);
    }
    if (name == "Qty") {
        return resolve_quantity(context, syntax);
    }
    if (name == "Record") {
        return resolve_members(context, syntax.inner);
    }
    if (name == "Opt" || name == "List" || name == "Map") {
        return resolve_element(context, syntax);
    }
    const auto fact = context.package().fact_index.find(name);
    if (fact != context.package().fact_index.end()) {
        return context.package().facts[fact->second].type;
    }
    context.unknown_error(syntax.name.span, fmt::format("there is no type {}", name),
                          context.suggestion(name, known_names(context.package(), true)));
    return Type::error();
}

// The values of a type must fit into canonical JSON, and a few declarations must not spell out
// millions of members.
Type limited(CheckContext& context, Type type, const Span& span) {
    if (type.depth() <= Type::kMaximumDepth && type.size() <= Type::kMaximumSize) {
        return type;
    }
    context.type_error(
        span,
        fmt::format("this type nests deeper than {} levels or has more than {} parts",
                    Type::kMaximumDepth, Type::kMaximumSize),
        "declare smaller facts");
    return Type::error();
}

// The facts that a type's syntax names. Depth is limited by the parser.
void collect_facts(const CheckedPackage& package, const TypeSyntax& syntax,
                   std::set<std::size_t>& found) {
    if (const auto fact = package.fact_index.find(syntax.name.text);
        fact != package.fact_index.end()) {
        found.insert(fact->second);
    }
    for (const TypeSyntaxMember& member : syntax.inner) {
        collect_facts(package, *member.type, found);
    }
}

void report_fact_cycles(CheckContext& context, const std::vector<std::string_view>& names,
                        const std::vector<std::vector<std::size_t>>& dependencies,
                        const std::vector<std::size_t>& unordered) {
    for (const auto& cycle : find_cycles(names, dependencies, unordered)) {
        std::string path;
        for (const std::size_t node : cycle) {
            path += std::string(names[node]) + " -> ";
        }
        context.cycle_error(
            context.package().facts[cycle.front()].name.span,
            fmt::format("facts contain each other: {}{}", path, names[cycle.front()]),
            "a fact cannot contain itself; give one of them a key instead");
    }
}

}  // namespace

Type resolve_type(CheckContext& context, const TypeSyntax& syntax) {
    return limited(context, resolve_unlimited(context, syntax), syntax.span);
}

void resolve_facts(CheckContext& context) {
    CheckedPackage& package = context.package();
    std::vector<std::string_view> names;
    std::vector<std::vector<std::size_t>> dependencies;
    for (const FactDeclaration& fact : package.facts) {
        std::set<std::size_t> found;
        for (const TypeSyntaxMember& member : fact.members) {
            collect_facts(package, *member.type, found);
        }
        names.emplace_back(fact.name.text);
        dependencies.emplace_back(found.begin(), found.end());
    }
    const DependencyOrder order = order_by_dependency(names, dependencies);
    report_fact_cycles(context, names, dependencies, order.unordered);
    for (const std::size_t index : order.order) {
        FactDeclaration& fact = package.facts[index];
        fact.type = limited(context, resolve_members(context, fact.members), fact.name.span);
    }
}

std::optional<std::size_t> resolve_fact_name(CheckContext& context, const std::string& name,
                                             const Span& span) {
    const auto& facts = context.package().fact_index;
    if (const auto found = facts.find(name); found != facts.end()) {
        return found->second;
    }
    std::string advice = context.suggestion(name, known_names(context.package(), false));
    if (advice.empty()) {
        advice = fmt::format("declare its shape: fact {} {{ ... }}", name);
    }
    context.unknown_error(span, fmt::format("there is no fact {}", name), std::move(advice));
    return std::nullopt;
}

}  // namespace jobforge::rules
