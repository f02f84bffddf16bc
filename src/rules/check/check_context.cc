#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rules/check/checker.h"
#include "rules/syntax/nearest.h"
#include "values/compliance_status.h"

namespace jobforge::rules {

namespace {

constexpr std::size_t kShownBytes = 48;

}  // namespace

void CheckContext::type_error(const Span& span, std::string message, std::string advice) {
    diagnostics_.add(ErrorCode::RULE_TYPE_ERROR, span, std::move(message), std::move(advice));
}

void CheckContext::unknown_error(const Span& span, std::string message, std::string advice) {
    if (!incomplete_) {
        type_error(span, std::move(message), std::move(advice));
    }
}

void CheckContext::unit_error(const Span& span, std::string message, std::string advice) {
    diagnostics_.add(ErrorCode::UNIT_MISMATCH, span, std::move(message), std::move(advice));
}

void CheckContext::cycle_error(const Span& span, std::string message, std::string advice) {
    diagnostics_.add(ErrorCode::RULE_CYCLE_DETECTED, span, std::move(message), std::move(advice));
}

void CheckContext::check_status(const Span& span, const std::string& status) {
    if (options_.statuses == StatusWords::any || is_compliance_status(status)) {
        return;
    }
    const std::string nearest = suggestion(status, kComplianceStatuses);
    type_error(span, fmt::format("there is no status {}", status),
               fmt::format("{}{}a status is one of {}", nearest, nearest.empty() ? "" : " ",
                           fmt::join(kComplianceStatuses, ", ")));
}

std::string CheckContext::describe(const Type& type) const {
    switch (type.kind()) {
        case Type::Kind::optional:
            return fmt::format("Opt({})", describe(type.element()));
        case Type::Kind::list:
            return fmt::format("List({})", describe(type.element()));
        case Type::Kind::map:
            return fmt::format("Map(Text, {})", describe(type.element()));
        case Type::Kind::record: {
            const auto fact = std::ranges::find(package_.facts, type, &FactDeclaration::type);
            return fact != package_.facts.end() ? fact->name.text : type.notation();
        }
        default:
            return type.notation();
    }
}

std::string CheckContext::shown(const Expression& expression) const {
    const std::string_view text = package_.sources[expression.span.source].slice(expression.span);
    const bool short_enough =
        text.size() <= kShownBytes && text.find_first_of("\r\n\t") == std::string_view::npos;
    return short_enough ? std::string(text) : "...";
}

std::string CheckContext::line_of(const Span& span) const {
    return fmt::format("line {}", package_.position(span).line);
}

std::string CheckContext::suggestion(std::string_view wrong,
                                     std::span<const std::string_view> names) const {
    if (crowded()) {
        return {};
    }
    const auto best = nearest_names(wrong, names, 1);
    return best.empty() ? "" : fmt::format("did you mean {}?", best.front());
}

}  // namespace jobforge::rules
