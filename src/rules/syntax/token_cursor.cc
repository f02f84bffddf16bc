#include "rules/syntax/token_cursor.h"

#include <algorithm>

namespace jobforge::rules {

const Token& TokenCursor::peek(std::size_t ahead) const noexcept {
    return tokens_.tokens[std::min(at_ + ahead, tokens_.tokens.size() - 1)];
}

const Token& TokenCursor::before() const noexcept {
    return tokens_.tokens[at_ == 0 ? 0 : at_ - 1];
}

std::string_view TokenCursor::text(const Token& token) const noexcept {
    return source_.text().substr(token.begin, token.end - token.begin);
}

Span TokenCursor::since(const Span& first) const noexcept {
    const std::uint32_t end = at_ == 0 ? first.end : before().end;
    return span(first.begin, std::max(first.end, end));
}

bool TokenCursor::at(std::string_view wanted, std::size_t ahead) const noexcept {
    const Token& token = peek(ahead);
    return (token.kind == TokenKind::symbol || token.kind == TokenKind::word) &&
           text(token) == wanted;
}

bool TokenCursor::at_declaration() const noexcept {
    if (!at_kind(TokenKind::word) || !at_kind(TokenKind::word, 1)) {
        return false;
    }
    // `fact b("T", "k") = ...` is a fixture; `field("p")` an expression.
    return at("field") || at("example") || at("property") || (at("fact") && at("{", 2));
}

void TokenCursor::advance() noexcept {
    at_ = std::min(at_ + 1, tokens_.tokens.size() - 1);
}

bool TokenCursor::accept(std::string_view wanted) noexcept {
    if (!at(wanted)) {
        return false;
    }
    advance();
    return true;
}

void TokenCursor::seek(std::size_t offset) noexcept {
    while (!at_end() && peek().begin < offset) {
        advance();
    }
}

}  // namespace jobforge::rules
