#include "rules/syntax/lexer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/utf8.h"

namespace jobforge::rules {

namespace {

constexpr std::array<std::string_view, 20> kKeywords{
    "let",  "if",     "then",   "else",    "assert",   "true",     "false",
    "none", "fact",   "field",  "example", "forall",   "implies",  "cases",
    "seed", "expect", "access", "product", "property", "issued_on"};
constexpr std::array<std::string_view, 8> kPairs{"=>", "->", "==", "!=", "<=", ">=", "&&", "||"};
constexpr std::string_view kSingles = "(){}[],:;.=<>+-*/!";

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

bool is_word_start(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_word_character(char c) noexcept {
    return is_word_start(c) || is_digit(c);
}

bool ends_line(char c) noexcept {
    return kLineEnds.find(c) != std::string_view::npos;
}

bool is_blank(char c) noexcept {
    return c == ' ' || c == '\t' || ends_line(c);
}

class Lexer final {
public:
    explicit Lexer(std::string_view text) noexcept : text_(text) {}

    Tokens run() {
        for (skip_blanks(); at_ < text_.size(); skip_blanks()) {
            if (text_.substr(at_, 2) == "--") {
                comment();
            } else {
                token();
            }
        }
        push(TokenKind::end, at_);
        return std::move(result_);
    }

private:
    void token() {
        const char c = text_[at_];
        if (is_word_start(c)) {
            push(TokenKind::word, end_of_word(at_));
        } else if (is_digit(c)) {
            number();
        } else if (c == '"') {
            text();
        } else {
            symbol();
        }
    }

    void number() {
        std::size_t end = skip_digits(at_);
        TokenKind kind = TokenKind::integer;
        if (peek(end) == '.' && is_digit(peek(end + 1))) {
            end = skip_digits(end + 1);
            kind = TokenKind::decimal;
        }
        const bool leading_zero = text_[at_] == '0' && is_digit(peek(at_ + 1));
        if (is_word_start(peek(end)) || leading_zero) {
            push(TokenKind::fault, end_of_word(end));
        } else {
            push(kind, end);
        }
    }

    void text() {
        std::size_t end = at_ + 1;
        while (end < text_.size() && text_[end] != '"' && !ends_line(text_[end])) {
            end += text_[end] == '\\' && !ends_line(peek(end + 1)) ? 2U : 1U;
        }
        end = std::min(end, text_.size());
        const bool closed = peek(end) == '"';
        push(closed ? TokenKind::text : TokenKind::fault, closed ? end + 1 : end);
    }

    void symbol() {
        const std::string_view pair = text_.substr(at_, 2);
        if (std::ranges::find(kPairs, pair) != kPairs.end()) {
            push(TokenKind::symbol, at_ + 2);
        } else if (kSingles.find(text_[at_]) != std::string_view::npos) {
            push(TokenKind::symbol, at_ + 1);
        } else {
            push(TokenKind::fault, end_of_fault());
        }
    }

    // A run of characters that mean nothing is one fault: noise gives few messages. A lone & or |
    // stands alone, since it has advice of its own.
    [[nodiscard]] std::size_t end_of_fault() const noexcept {
        std::size_t end = at_ + 1;
        if (text_[at_] == '&' || text_[at_] == '|') {
            return end;
        }
        while (end < text_.size() && !is_blank(text_[end]) && !is_word_character(text_[end]) &&
               kSingles.find(text_[end]) == std::string_view::npos && text_[end] != '"') {
            ++end;
        }
        return end;
    }

    void comment() {
        std::size_t end = std::min(text_.find_first_of(kLineEnds, at_), text_.size());
        const std::size_t next = end;
        while (is_blank(text_[end - 1])) {
            --end;
        }
        result_.comments.push_back(
            {static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end)});
        at_ = next;
    }

    void push(TokenKind kind, std::size_t end) {
        result_.tokens.push_back(
            {static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end), kind});
        at_ = end;
    }

    void skip_blanks() noexcept {
        while (at_ < text_.size() && is_blank(text_[at_])) {
            ++at_;
        }
    }

    [[nodiscard]] char peek(std::size_t at) const noexcept {
        return at < text_.size() ? text_[at] : '\0';
    }
    [[nodiscard]] std::size_t skip_digits(std::size_t at) const noexcept {
        while (is_digit(peek(at))) {
            ++at;
        }
        return at;
    }
    [[nodiscard]] std::size_t end_of_word(std::size_t at) const noexcept {
        while (is_word_character(peek(at))) {
            ++at;
        }
        return at;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    Tokens result_;
};

struct Unfit {
    std::size_t offset = 0;
    std::string message;
    std::string advice;
};

// U+202A..U+202E and U+2066..U+2069.
std::size_t find_direction_mark(std::string_view text) noexcept {
    for (std::size_t at = text.find('\xE2'); at != std::string_view::npos;
         at = text.find('\xE2', at + 1)) {
        const std::string_view mark = text.substr(at, 3);
        if ((mark >= "\xE2\x80\xAA" && mark <= "\xE2\x80\xAE") ||
            (mark >= "\xE2\x81\xA6" && mark <= "\xE2\x81\xA9")) {
            return at;
        }
    }
    return std::string_view::npos;
}

std::optional<Unfit> why_unfit(std::string_view text) {
    if (text.size() > SourceText::kMaximumBytes) {
        return Unfit{0,
                     fmt::format("the source has {} bytes; at most {} are read", text.size(),
                                 SourceText::kMaximumBytes),
                     "split the package"};
    }
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
        (text.size() > 1 && (text[0] == '\0') != (text[1] == '\0'))) {
        return Unfit{0, "the source is UTF-16, not UTF-8", "save the file as UTF-8"};
    }
    if (text.starts_with("\xEF\xBB\xBF")) {
        return Unfit{0, "the source begins with a byte order mark",
                     "save the file as UTF-8 without a byte order mark"};
    }
    if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
        return Unfit{zero, "the source holds the character U+0000", "remove it"};
    }
    if (const std::size_t fault = utf8_first_fault(text); fault != std::string_view::npos) {
        return Unfit{fault, "the source is not valid UTF-8 here", "save the file as UTF-8"};
    }
    if (const std::size_t mark = find_direction_mark(text); mark != std::string_view::npos) {
        return Unfit{mark, "an invisible character turns the direction of writing here",
                     "remove it; in a text, write it as an escape such as \\u202e"};
    }
    return std::nullopt;
}

}  // namespace

bool is_keyword(std::string_view word) noexcept {
    return std::ranges::find(kKeywords, word) != kKeywords.end();
}

std::optional<Tokens> lex(const SourceText& source, std::uint32_t number,
                          Diagnostics& diagnostics) {
    if (auto unfit = why_unfit(source.text())) {
        const auto at = static_cast<std::uint32_t>(unfit->offset);
        diagnostics.add(ErrorCode::RULE_PARSE_ERROR, {number, at, at}, unfit->message,
                        unfit->advice);
        return std::nullopt;
    }
    return Lexer(source.text()).run();
}

LexicalFault explain_fault(std::string_view token) {
    const char first = token.front();
    if (first == '"') {
        return {"this text has no closing quote on its line",
                "end it with \" or write a line break as \\n"};
    }
    if (is_digit(first)) {
        if (first == '0' && token.size() > 1 && is_digit(token[1])) {
            return {"a number has no leading zeros", "remove the zeros, or write a text in quotes"};
        }
        return {"a number is followed by letters here",
                "separate them; write 1e3 as 1000, a quantity as qty(1.5, kg)"};
    }
    if (token == "&" || token == "|") {
        return {fmt::format("there is no operator {}", token),
                fmt::format("write {}{}", token, token)};
    }
    if (first == '\'') {
        return {"a text stands in double quotes", "write \"...\""};
    }
    return {"this means nothing here", "remove it; a text stands in double quotes"};
}

}  // namespace jobforge::rules
