#include "rules/syntax/diagnostic.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text/utf8.h"
#include "base/text/visible_text.h"

namespace jobforge::rules {

namespace {

// Longer source lines are shown in part: a generated line of a megabyte does not help.
constexpr std::size_t kShownColumns = 160;

// Where a diagnostic stands, worked out once.
struct Place {
    Position begin;
    Position end;
    std::string_view line;
};

Place place_of(const Diagnostic& diagnostic, std::span<const SourceText> sources) {
    const SourceText& source = sources[diagnostic.span.source];
    const Position begin = source.position(diagnostic.span.begin);
    return {begin, source.position(diagnostic.span.end), source.line(begin.line)};
}

// One character a code point, so that carets can be counted.
std::vector<std::string> cells(std::string_view line) {
    std::vector<std::string> result;
    const char* at = line.data();
    const char* const end = at + line.size();
    while (at != end && result.size() < kShownColumns * 64) {
        const std::size_t length = utf8_sequence_length(at, end);
        const auto first = static_cast<unsigned char>(*at);
        const std::string_view character(at, std::max<std::size_t>(length, 1));
        if (first == '\t') {
            result.emplace_back(" ");
        } else if (visible_text(character) != character) {
            result.emplace_back("?");
        } else {
            result.emplace_back(character);
        }
        at += std::max<std::size_t>(length, 1);
    }
    return result;
}

struct Excerpt {
    std::string text;
    std::string caret;
};

Excerpt excerpt_of(const Place& place) {
    const std::vector<std::string> characters = cells(place.line);
    const std::size_t column = place.begin.column - 1;
    // The fault stays in view, with a third of the window before it.
    const std::size_t first = characters.size() <= kShownColumns || column < kShownColumns
                                  ? 0
                                  : column - kShownColumns / 3;
    const std::size_t last = std::min(characters.size(), first + kShownColumns);
    std::string text = first > 0 ? "..." : "";
    const std::size_t indent = text.size();
    for (std::size_t i = first; i < last; ++i) {
        text += characters[i];
    }
    const std::size_t end = place.end.line == place.begin.line ? place.end.column - 1 : last;
    const std::size_t width =
        std::max<std::size_t>(1, std::min(end, last) - std::min(column, last));
    if (last < characters.size()) {
        text += "...";
    }
    return {text, std::string(indent + column - first, ' ') + std::string(width, '^')};
}

}  // namespace

void Diagnostics::add(ErrorCode code, const Span& span, std::string message, std::string advice) {
    if (kept_.size() == kMaximumKept) {
        ++dropped_;
        return;
    }
    // Both quote the source, which may hold anything.
    message = visible_text(message);
    advice = visible_text(advice);
    kept_.push_back({code, span, std::move(message), std::move(advice)});
}

void Diagnostics::sort() {
    std::ranges::stable_sort(kept_, {}, [](const Diagnostic& diagnostic) {
        return std::tuple(diagnostic.span.source, diagnostic.span.begin);
    });
}

std::string render(const Diagnostic& diagnostic, std::span<const SourceText> sources) {
    const Place place = place_of(diagnostic, sources);
    const Excerpt excerpt = excerpt_of(place);
    std::string text = fmt::format(
        "{}:{}:{}: {}: {}\n", visible_text(sources[diagnostic.span.source].name()),
        place.begin.line, place.begin.column, to_string(diagnostic.code), diagnostic.message);
    text += fmt::format("{:>5} | {}\n      | {}\n", place.begin.line, excerpt.text, excerpt.caret);
    if (!diagnostic.advice.empty()) {
        text += fmt::format("      = {}\n", diagnostic.advice);
    }
    return text;
}

std::string render(const Diagnostics& diagnostics, std::span<const SourceText> sources) {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.all()) {
        text += render(diagnostic, sources);
    }
    if (const std::size_t more = diagnostics.count() - diagnostics.all().size(); more > 0) {
        text += fmt::format("and {} more\n", more);
    }
    return text;
}

Json to_json(const Diagnostic& diagnostic, std::span<const SourceText> sources) {
    const Place place = place_of(diagnostic, sources);
    return Json::object({{"advice", diagnostic.advice},
                         {"code", to_string(diagnostic.code)},
                         {"column", static_cast<std::uint64_t>(place.begin.column)},
                         {"end_column", static_cast<std::uint64_t>(place.end.column)},
                         {"end_line", static_cast<std::uint64_t>(place.end.line)},
                         {"line", static_cast<std::uint64_t>(place.begin.line)},
                         {"message", diagnostic.message},
                         {"source", sources[diagnostic.span.source].name()},
                         {"source_line", place.line}});
}

Error to_error(const Diagnostics& diagnostics, std::span<const SourceText> sources) {
    const Diagnostic& first = diagnostics.all().front();
    const Place place = place_of(first, sources);
    Error error =
        Error::of(first.code, fmt::format("{}:{}:{}: {}", sources[first.span.source].name(),
                                          place.begin.line, place.begin.column, first.message));
    error.hint = first.advice;
    Json::Array all;
    for (const Diagnostic& diagnostic : diagnostics.all()) {
        all.push_back(to_json(diagnostic, sources));
    }
    error.details = Json::object({{"diagnostics", Json(std::move(all))},
                                  {"errors", static_cast<std::uint64_t>(diagnostics.count())}})
                        .dump();
    return error;
}

}  // namespace jobforge::rules
