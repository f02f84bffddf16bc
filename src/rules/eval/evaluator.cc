#include "rules/eval/evaluator.h"

#include <fmt/format.h>

#include "base/text/visible_text.h"
#include "rules/eval/eval_machine.h"

namespace jobforge::rules {
namespace {

// field_index is sorted by path, and '.' sorts before every letter, digit and underscore, so the
// fields of one group stand side by side: one pass builds the nesting.
using FieldEntry = std::map<std::string, std::size_t, std::less<>>::const_iterator;

// The group of entries whose paths agree up to `begin`; Build makes a leaf or a group.
template <typename Build>
typename Build::Result nest(FieldEntry first, FieldEntry last, std::size_t begin,
                            const Build& build) {
    typename Build::Members members;
    while (first != last) {
        const std::string& path = first->first;
        const std::size_t dot = path.find('.', begin);
        const std::string name = path.substr(begin, dot - begin);
        if (dot == std::string::npos) {
            members.push_back({name, build.leaf((first++)->second)});
            continue;
        }
        const std::string_view group = std::string_view(path).substr(0, dot + 1);
        FieldEntry end = first;
        while (end != last && end->first.starts_with(group)) {
            ++end;
        }
        members.push_back({name, nest(first, end, dot + 1, build)});
        first = end;
    }
    return build.group(std::move(members));
}

struct TypeNesting {
    using Result = Type;
    using Members = std::vector<TypeMember>;
    const CheckedPackage& package;
    [[nodiscard]] Type leaf(std::size_t field) const { return package.fields[field].type; }
    static Type group(Members members) { return Type::record(std::move(members)); }
};

struct ValueNesting {
    using Result = Value;
    using Members = Value::Members;
    const std::vector<Value>& values;
    [[nodiscard]] Value leaf(std::size_t field) const { return values[field]; }
    static Value group(Members members) { return Value::of_members(std::move(members)); }
};

Diagnostic as_diagnostic(const EvaluationError& error) {
    return {error_code_from_string(error.code).value_or(ErrorCode::VALIDATION_ERROR), error.span,
            error.message, error.hint};
}

}  // namespace

Type fields_type(const CheckedPackage& package) {
    return nest(package.field_index.begin(), package.field_index.end(), 0, TypeNesting{package});
}

Evaluation Machine::finish() && {
    Evaluation result;
    for (std::optional<Step>& field : fields_) {
        result.values.push_back(std::move(field->value));
    }
    result.fields = nest(state_.package().field_index.begin(), state_.package().field_index.end(),
                         0, ValueNesting{result.values});
    result.compliance = std::move(state_.compliance());
    result.steps = state_.steps();
    if (state_.with_proof()) {
        const Type type = fields_type(state_.package());
        result.proof = std::move(state_.proof()).finish({type.notation(), false, 0}, result.fields);
    }
    return result;
}

EvaluationOutcome evaluate(const CheckedPackage& package, const Inputs& inputs,
                           const EvaluateOptions& options) {
    Machine machine(package, inputs, options);
    EvaluationOutcome outcome;
    if (machine.all_fields()) {
        outcome.evaluation = std::move(machine).finish();
    } else {
        outcome.error = std::move(machine).take_error();
    }
    return outcome;
}

std::string EvaluationError::render(const CheckedPackage& package) const {
    const Position place = package.position(span);
    // The excerpt is what diagnostics print behind their first line.
    const std::string drawn = rules::render(as_diagnostic(*this), package.sources);
    return fmt::format("{}:{}:{}: {}: {}{}{}", visible_text(package.sources[span.source].name()),
                       place.line, place.column, visible_text(code), message,
                       field.empty() ? "" : fmt::format(" (field {})", field),
                       drawn.substr(drawn.find('\n')));
}

Json EvaluationError::to_json(const CheckedPackage& package) const {
    const Position place = package.position(span);
    Json json = Json::object({{"code", visible_text(code)},
                              {"column", static_cast<std::uint64_t>(place.column)},
                              {"field", field.empty() ? Json() : Json(field)},
                              {"line", static_cast<std::uint64_t>(place.line)},
                              {"message", message},
                              {"source", package.sources[span.source].name()},
                              {"source_line", package.sources[span.source].line(place.line)}});
    if (!hint.empty()) {
        json.set("hint", hint);
    }
    if (details.empty()) {
        return json;
    }
    if (auto parsed = Json::parse(details); parsed.ok()) {
        json.set("details", std::move(*parsed));
    }
    return json;
}

Error EvaluationError::to_error(const CheckedPackage& package) const {
    const Position place = package.position(span);
    const auto known = error_code_from_string(code);
    Error error =
        Error::of(known.value_or(ErrorCode::VALIDATION_ERROR),
                  fmt::format("{}{} ({}{}:{}:{})", known ? "" : visible_text(code) + ": ", message,
                              field.empty() ? "" : "field " + field + ", ",
                              package.sources[span.source].name(), place.line, place.column));
    error.retryable = false;  // the same inputs fail the same way for ever
    error.hint = hint;
    error.details = to_json(package).dump();
    return error;
}

}  // namespace jobforge::rules
