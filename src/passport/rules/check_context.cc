#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "passport/rules/checker.h"

namespace jobforge::passport::rules {

namespace {

constexpr std::size_t kShownBytes = 48;

// Edits between two words: a letter more, less, wrong, or two neighbours swapped. Three rows.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::vector<std::size_t> next(b.size() + 1, i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = row[j] + (a[i] == b[j] ? 0 : 1);
            next[j + 1] = std::min({replaced, row[j + 1] + 1, next[j] + 1});
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j]) {
                next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
            }
        }
        before = std::exchange(row, std::move(next));
    }
    return row.back();
}

std::string lowered(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    }
    return result;
}

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
    constexpr std::size_t kLongest = 200;
    if (crowded() || wrong.size() > kLongest) {
        return {};
    }
    const std::string plain = lowered(wrong);
    std::string_view best;
    // A third of the letters may be wrong: more is another word.
    std::size_t least = std::max<std::size_t>(1, wrong.size() / 3) + 1;
    for (const std::string_view name : names) {
        if (name.size() > kLongest || name.empty()) {
            continue;
        }
        const std::size_t found = distance(plain, lowered(name));
        if (found < least) {
            least = found;
            best = name;
        }
    }
    return best.empty() ? "" : fmt::format("did you mean {}?", best);
}

}  // namespace jobforge::passport::rules
