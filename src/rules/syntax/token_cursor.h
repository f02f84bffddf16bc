// A place in the tokens of a source: looks at them and moves forward. It never reports.
//
// Borrows the source and its tokens. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rules/syntax/ast.h"
#include "rules/syntax/lexer.h"
#include "rules/syntax/source.h"

namespace jobforge::rules {

class TokenCursor {
public:
    // `number` is the source's index, for spans.
    TokenCursor(const SourceText& source, std::uint32_t number, const Tokens& tokens) noexcept
        : source_(source), number_(number), tokens_(tokens) {}

    // The token `ahead` places on; `end` for ever behind the last.
    [[nodiscard]] const Token& peek(std::size_t ahead = 0) const noexcept;
    // The token before this one; at the first token, that token.
    [[nodiscard]] const Token& before() const noexcept;
    [[nodiscard]] std::string_view text(const Token& token) const noexcept;
    [[nodiscard]] std::string_view text() const noexcept { return text(peek()); }
    [[nodiscard]] const SourceText& source() const noexcept { return source_; }

    [[nodiscard]] Span span(std::size_t begin, std::size_t end) const noexcept {
        return {number_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    }
    [[nodiscard]] Span here() const noexcept { return span(peek().begin, peek().end); }
    // From the start of `first` to the end of the token before this one.
    [[nodiscard]] Span since(const Span& first) const noexcept;

    [[nodiscard]] bool at_end() const noexcept { return peek().kind == TokenKind::end; }
    // A symbol or word with exactly this text.
    [[nodiscard]] bool at(std::string_view wanted, std::size_t ahead = 0) const noexcept;
    [[nodiscard]] bool at_kind(TokenKind kind, std::size_t ahead = 0) const noexcept {
        return peek(ahead).kind == kind;
    }
    // Whether a declaration begins here, whatever stands around it.
    [[nodiscard]] bool at_declaration() const noexcept;
    [[nodiscard]] bool at_number(std::size_t ahead = 0) const noexcept {
        return at_kind(TokenKind::integer, ahead) || at_kind(TokenKind::decimal, ahead);
    }

    void advance() noexcept;
    bool accept(std::string_view wanted) noexcept;
    // Goes on at the first token that begins at or behind `offset`.
    void seek(std::size_t offset) noexcept;

private:
    const SourceText& source_;
    std::uint32_t number_;
    const Tokens& tokens_;
    std::size_t at_ = 0;
};

}  // namespace jobforge::rules
