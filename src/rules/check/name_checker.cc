#include "rules/check/name_checker.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rules/check/expression_checker.h"
#include "rules/check/mismatch.h"

namespace jobforge::rules {

Type NameChecker::infer(Variable& node, const Span& span) {
    if (const auto* variable = expressions_.variables().find(node.name)) {
        node.slot = variable->slot;
        return variable->type;
    }
    std::vector<std::string_view> names = expressions_.variables().names();
    names.insert(names.end(), {"product", "issued_on"});
    std::ranges::sort(names);  // the order of a hash table must not choose the suggestion
    std::string advice = context_.suggestion(node.name, names);
    if (context_.package().fact_index.contains(node.name)) {
        advice =
            fmt::format("{} is a fact: read one with getFact(\"{}\", key)", node.name, node.name);
    } else if (context_.package().field_index.contains(node.name)) {
        advice = fmt::format("write field(\"{}\")", node.name);
    }
    context_.type_error(span, fmt::format("there is no variable {}", node.name), std::move(advice));
    return Type::error();
}

Type NameChecker::infer(FieldReference& node) {
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
    expressions_.note_field(found->second);
    context_.note_reference(node);
    return context_.package().fields[found->second].type;
}

Type NameChecker::infer(MemberAccess& node) {
    const Type& object = expressions_.infer(*node.object);
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

Type NameChecker::unknown_member(const MemberAccess& node) {
    const Type& object = node.object->type;
    const std::string& name = node.name.text;
    if (object.is(Type::Kind::record)) {
        report_no_member(context_, node.name.span, object, name);
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

}  // namespace jobforge::rules
