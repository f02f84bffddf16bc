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

const Token& ParserCursor::peek(std::size_t ahead) const noexcept {
    return tokens_.tokens[std::min(at_ + ahead, tokens_.tokens.size() - 1)];
}

std::string_view ParserCursor::text(const Token& token) const noexcept {
    return source_.text().substr(token.begin, token.end - token.begin);
}

Span ParserCursor::since(const Span& first) const noexcept {
    const std::uint32_t end = at_ == 0 ? first.end : tokens_.tokens[at_ - 1].end;
    return {number_, first.begin, std::max(first.end, end)};
}

bool ParserCursor::at(std::string_view wanted, std::size_t ahead) const noexcept {
    const Token& token = peek(ahead);
    return (token.kind == TokenKind::symbol || token.kind == TokenKind::word) &&
           text(token) == wanted;
}

bool ParserCursor::at_declaration() const noexcept {
    if (!at_kind(TokenKind::word) || !at_kind(TokenKind::word, 1)) {
        return false;
    }
    // `fact b("T", "k") = ...` is a fixture; `field("p")` an expression.
    return at("field") || at("example") || at("property") || (at("fact") && at("{", 2));
}

void ParserCursor::advance() noexcept {
    at_ = std::min(at_ + 1, tokens_.tokens.size() - 1);
}

bool ParserCursor::accept(std::string_view wanted) noexcept {
    if (!at(wanted)) {
        return false;
    }
    advance();
    return true;
}

bool ParserCursor::require(std::string_view wanted, std::string_view why) {
    if (accept(wanted)) {
        return true;
    }
    report_expected(fmt::format("`{}`", wanted), why);
    return false;
}

void ParserCursor::require_semicolon(std::string_view what) {
    if (accept(";")) {
        return;
    }
    const Token& before = tokens_.tokens[at_ == 0 ? 0 : at_ - 1];
    const std::string_view gap =
        source_.text().substr(before.end, peek().begin - std::min(before.end, peek().begin));
    if (at_end() || gap.find_first_of(kLineEnds) != std::string_view::npos) {
        // Pointing at the next line would send the author to the wrong place.
        report({number_, before.end, before.end},
               fmt::format("the `;` that ends {} is missing here", what));
    } else {
        report_expected(fmt::format("an operator, or the `;` that ends {}", what));
    }
    skip_to({";"});
    accept(";");
}

std::optional<Name> ParserCursor::require_word(std::string_view what) {
    if (!at_kind(TokenKind::word)) {
        report_expected(what);
        return std::nullopt;
    }
    Name name{std::string(text()), here()};
    advance();
    return name;
}

std::optional<Name> ParserCursor::require_name(std::string_view what) {
    if (at_kind(TokenKind::word) && is_keyword(text())) {
        report(here(), fmt::format("`{}` is a word of the language and cannot be {}", text(), what),
               "choose another name");
        return std::nullopt;
    }
    return require_word(what);
}

std::optional<Name> ParserCursor::require_text(std::string_view what) {
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
        const std::uint32_t place = peek().begin + static_cast<std::uint32_t>(offset);
        report({number_, place, place}, message.substr(message.find(": ") + 2),
               "texts follow JSON: \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0041");
        return std::nullopt;
    }
    Name name{*decoded->as_string(), here()};
    advance();
    return name;
}

std::optional<Name> ParserCursor::require_path() {
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

std::optional<std::int64_t> ParserCursor::require_integer(std::string_view what) {
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

std::string ParserCursor::describe(const Token& token) const {
    if (token.kind == TokenKind::end) {
        return "the end of the source";
    }
    const std::string_view all = text(token);
    return all.size() <= kShownBytes ? fmt::format("`{}`", all) : "something long";
}

void ParserCursor::report_expected(std::string_view wanted, std::string_view advice) {
    const Token& token = peek();
    if (token.kind == TokenKind::fault) {
        LexicalFault fault = explain_fault(text(token));
        return report(span(token), std::move(fault.message), std::move(fault.advice));
    }
    report(span(token), fmt::format("expected {}, found {}", wanted, describe(token)),
           std::string(advice));
}

void ParserCursor::report(const Span& span, std::string message, std::string advice) {
    if (last_report_ == span.begin) {
        return;
    }
    last_report_ = span.begin;
    diagnostics_.add(ErrorCode::RULE_PARSE_ERROR, span, std::move(message), std::move(advice));
}

void ParserCursor::skip_to(std::initializer_list<std::string_view> stops) {
    while (!at_end() && !at_declaration() &&
           std::ranges::none_of(stops, [this](std::string_view stop) { return at(stop); })) {
        if (at_kind(TokenKind::fault)) {
            report_expected("");
        }
        advance();
    }
}

void ParserCursor::seek(std::size_t offset) noexcept {
    while (!at_end() && peek().begin < offset) {
        advance();
    }
}

}  // namespace jobforge::rules
