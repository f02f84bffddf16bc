#include "rules/eval/eval_state.h"

#include <utility>

#include <fmt/format.h>

#include "base/text/visible_text.h"
#include "rules/check/builtin.h"

namespace jobforge::rules {

namespace {

constexpr std::int64_t kLargestInt = (std::int64_t{1} << 53) - 1;

}  // namespace

bool EvalState::spend(const Expression& at, std::uint64_t steps) {
    if (!budget_.spend(steps)) {
        fail(
            at.span, "BUDGET_EXCEEDED",
            fmt::format("The rules take more than {} steps here.", options_.step_budget),
            "Work on fewer or smaller facts, or compute what is used often in a field of its own.");
        return false;
    }
    if (options_.proof_byte_limit != 0 && proof_.minimum_bytes() > options_.proof_byte_limit) {
        fail(at.span, "PROOF_TOO_LARGE",
             fmt::format("The proof grows beyond {} bytes here.", options_.proof_byte_limit),
             "Work on fewer facts, or raise the limit of the proof.");
        return false;
    }
    return true;
}

std::nullopt_t EvalState::fail(const Span& span, std::string code, std::string_view message,
                               std::string_view hint) {
    error_.emplace();
    error_->code = std::move(code);
    // The author's words and the document's, which may hold anything.
    error_->message = visible_lines(message);
    error_->hint = visible_lines(hint);
    error_->span = span;
    if (current_field_ < package_.fields.size()) {
        error_->field = package_.fields[current_field_].path.text;
    }
    return std::nullopt;
}

std::nullopt_t EvalState::fail(const Expression& at, const Error& error) {
    fail(at.span, std::string(to_string(error.code)), error.message, error.hint);
    error_->details = error.details;
    return std::nullopt;
}

EvalState::Id EvalState::operation(std::string_view op, const Type& type, const Value& value,
                                   Nodes children) {
    return options_.with_proof ? proof_.operation(op, types_.of(type), value, children) : 0;
}

EvalState::Id EvalState::constant(const Type& type, const Value& value) {
    return options_.with_proof ? proof_.constant(types_.of(type), value) : 0;
}

std::optional<Value> EvalState::checked_int(const Expression& at, bool overflow,
                                            std::int64_t value) {
    if (overflow || value > kLargestInt || value < -kLargestInt) {
        return fail(at.span, "NUMBER_OVERFLOW",
                    "The whole number leaves the range of Int, -(2^53-1) to 2^53-1.",
                    "Compute with toDec(0, ...) instead.");
    }
    return Value(value);
}

MaybeStep EvalState::made_list(const Expression& at, const Call& node, Value::List elements,
                               Nodes children) {
    Value value(std::move(elements));
    if (!spend(at, value.size())) {
        return std::nullopt;
    }
    const Id id = operation(builtin_name(node.builtin), at.type, value, children);
    return Step{std::move(value), id};
}

}  // namespace jobforge::rules
