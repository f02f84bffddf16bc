// Fields: types, paths, bodies, and the order in which they are evaluated.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rules/check/expression_checker.h"

namespace jobforge::rules {

namespace {

// With the depth of types, of payloads and of bundles this stays below the 128 levels of JSON.
constexpr std::ptrdiff_t kMaximumSegments = 32;

// A path names a value or a group of fields, never both. In the order of bytes the fields of a
// group follow each other: '.' is smaller than every letter of a name.
void check_prefixes(CheckContext& context) {
    const CheckedPackage& package = context.package();
    const std::string* group = nullptr;
    for (const auto& [path, index] : package.field_index) {
        const FieldDeclaration& field = package.fields[index];
        if (std::ranges::count(path, '.') >= kMaximumSegments) {
            context.type_error(field.path.span,
                               fmt::format("a path has at most {} words", kMaximumSegments));
        }
        if (group == nullptr || !path.starts_with(*group + ".")) {
            group = &path;
            continue;
        }
        const FieldDeclaration& other = package.fields[package.field_index.at(*group)];
        context.type_error(field.path.span,
                           fmt::format("{} lies inside {}, which is a field itself ({})", path,
                                       *group, context.line_of(other.path.span)),
                           fmt::format("rename one: {}.value and {} go together", *group, path));
    }
}

void check_body(CheckContext& context, FieldDeclaration& field, bool with_access) {
    const std::size_t errors = context.errors();
    ExpressionChecker checker(context);
    checker.require(*field.body, field.type, fmt::format("the value of {}", field.path.text));
    field.frame_size = checker.variables().frame_size();
    field.dependencies.assign(checker.fields().begin(), checker.fields().end());
    if (with_access && context.errors() == errors) {
        check_access(context, field);
    }
}

// Where a field's body mentions another: the place to cut a cycle.
Span mention_of(CheckContext& context, std::size_t field, std::size_t target) {
    const Span body = context.package().fields[field].span;
    if (context.crowded()) {
        return body;
    }
    for (const FieldReference* reference : context.references()) {
        const Span& place = reference->path_span;
        if (reference->field == target && place.source == body.source &&
            place.begin >= body.begin && place.end <= body.end) {
            return place;
        }
    }
    return body;
}

void report_cycles(CheckContext& context, const std::vector<std::string_view>& names,
                   const std::vector<std::vector<std::size_t>>& dependencies,
                   const std::vector<std::size_t>& unordered) {
    for (const auto& cycle : find_cycles(names, dependencies, unordered)) {
        std::string path;
        for (const std::size_t node : cycle) {
            path += std::string(names[node]) + " -> ";
        }
        const std::size_t next = cycle.size() > 1 ? cycle[1] : cycle[0];
        context.cycle_error(
            mention_of(context, cycle.front(), next),
            fmt::format("fields depend on each other: {}{}", path, names[cycle.front()]),
            "compute one of them from facts, without reading the others");
    }
}

// Puts the fields into the order of evaluation and renumbers everything that points at them.
void reorder(CheckContext& context, const std::vector<std::size_t>& order) {
    CheckedPackage& package = context.package();
    std::vector<std::size_t> place(order.size());
    std::vector<FieldDeclaration> fields;
    fields.reserve(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        place[order[i]] = i;
        fields.push_back(std::move(package.fields[order[i]]));
    }
    package.fields = std::move(fields);
    for (FieldDeclaration& field : package.fields) {
        for (std::size_t& dependency : field.dependencies) {
            dependency = place[dependency];
        }
        std::ranges::sort(field.dependencies);
    }
    for (auto& [path, index] : package.field_index) {
        index = place[index];
    }
    for (FieldReference* reference : context.references()) {
        reference->field = place[reference->field];
    }
}

}  // namespace

void check_fields(CheckContext& context) {
    CheckedPackage& package = context.package();
    check_prefixes(context);
    for (FieldDeclaration& field : package.fields) {
        field.type = resolve_type(context, field.type_syntax);
    }
    // What names a faulty declaration is not at fault, and was not looked at to its end.
    const bool with_access = context.checks_access() && context.errors() == 0;
    std::vector<std::string_view> names;
    std::vector<std::vector<std::size_t>> dependencies;
    for (FieldDeclaration& field : package.fields) {
        check_body(context, field, with_access);
        names.emplace_back(field.path.text);
        dependencies.push_back(field.dependencies);
    }
    const DependencyOrder order = order_by_dependency(names, dependencies);
    if (order.unordered.empty()) {
        reorder(context, order.order);
    } else {
        report_cycles(context, names, dependencies, order.unordered);
    }
}

}  // namespace jobforge::rules
