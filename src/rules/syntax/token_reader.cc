#include "rules/syntax/token_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace jobforge::rules {

namespace {

constexpr std::int64_t kMaximumInteger = (std::int64_t{1} << 53) - 1;
constexpr std::size_t kShownBytes = 40;

}  // namespace

bool TokenReader::require(std::string_view wanted, std::string_view why) {
    if (accept(wanted)) {
        return true;
    }
    report_expected(fmt::format("`{}`", wanted), why);
    return false;
}

void TokenReader::require_semicolon(std::string_view what) {
    if (accept(";")) {
        return;
    }
    const std::uint32_t end = before().end;
    const std::string_view gap =
        source().text().substr(end, peek().begin - std::min(end, peek().begin));
    if (at_end() || gap.find_first_of(kLineEnds) != std::string_view::npos) {
        // Pointing at the next line would send the author to the wrong place.
        report(span(end, end), fmt::format("the `;` that ends {} is missing here", what));
    } else {
        report_expected(fmt::format("an operator, or the `;` that ends {}", what));
    }
    skip_to({";"});
    accept(";");
}

std::optional<Name> TokenReader::require_word(std::string_view what) {
    if (!at_kind(TokenKind::word)) {
        report_expected(what);
        return std::nullopt;
    }
    Name name{std::string(text()), here()};
    advance();
    return name;
}

std::optional<Name> TokenReader::require_name(std::string_view what) {
    if (at_kind(TokenKind::word) && is_keyword(text())) {
        report(here(), fmt::format("`{}` is a word of the language and cannot be {}", text(), what),
               "choose another name");
        return std::nullopt;
    }
    return require_word(what);
}

std::optional<Name> TokenReader::require_text(std::string_view what) {
    if (!at_kind(TokenKind::text)) {
        report_expected(what);
        return std::nullopt;
    }
    auto decoded = Json::parse(text());
    if (!decoded.ok()) {
        // "line 1, column C: what": the column is counted from the opening quote.
        const std::string& message = decoded.error().message;
        const auto details = Json::parse(decoded.error().details);
        const auto offset = details.ok() && details->find("offset") != nullptr
                                ? details->find("offset")->as_int64().value_or(0)
                                : 0;
        const std::size_t place = peek().begin + static_cast<std::size_t>(offset);
        report(span(place, place), message.substr(message.find(": ") + 2),
               "texts follow JSON: \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0041");
        return std::nullopt;
    }
    Name name{*decoded->as_string(), here()};
    advance();
    return name;
}

std::optional<Name> TokenReader::require_path() {
    auto path = require_word("a field's path such as battery.capacity");
    while (path && at(".")) {
        advance();
        auto segment = require_word("the path's next word");
        if (!segment) {
            return std::nullopt;
        }
        path->text += "." + segment->text;
        path->span = join(path->span, segment->span);
    }
    return path;
}

std::optional<std::int64_t> TokenReader::require_integer(std::string_view what) {
    if (!at_kind(TokenKind::integer)) {
        report_expected(what);
        return std::nullopt;
    }
    const std::string_view digits = text();
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (fault != std::errc{} || value > kMaximumInteger) {
        report(here(), "a whole number is at most 9007199254740991",
               "write a decimal such as 12345678901234567890.0 where a Dec will do");
        return std::nullopt;
    }
    advance();
    return value;
}

std::string TokenReader::describe(const Token& token) const {
    if (token.kind == TokenKind::end) {
        return "the end of the source";
    }
    const std::string_view all = text(token);
    return all.size() <= kShownBytes ? fmt::format("`{}`", all) : "something long";
}

void TokenReader::report_expected(std::string_view wanted, std::string_view advice) {
    const Token& token = peek();
    if (token.kind == TokenKind::fault) {
        LexicalFault fault = explain_fault(text(token));
        return report(here(), std::move(fault.message), std::move(fault.advice));
    }
    report(here(), fmt::format("expected {}, found {}", wanted, describe(token)),
           std::string(advice));
}

void TokenReader::report(const Span& span, std::string message, std::string advice) {
    if (last_report_ == span.begin) {
        return;
    }
    last_report_ = span.begin;
    diagnostics_.add(ErrorCode::RULE_PARSE_ERROR, span, std::move(message), std::move(advice));
}

void TokenReader::report_nesting() {
    report(here(), fmt::format("nested deeper than {} levels", kMaximumNesting),
           "give the inner parts names with let");
}

void TokenReader::skip_to(std::initializer_list<std::string_view> stops) {
    while (!at_end() && !at_declaration() &&
           std::ranges::none_of(stops, [this](std::string_view stop) { return at(stop); })) {
        if (at_kind(TokenKind::fault)) {
            report_expected("");
        }
        advance();
    }
}

NestingLevel::NestingLevel(TokenReader& tokens)
    : tokens_(tokens), ok_(++tokens.level_ <= kMaximumNesting) {
    if (!ok_) {
        tokens.report_nesting();
    }
}

}  // namespace jobforge::rules
