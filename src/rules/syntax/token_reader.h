// A place in the tokens, and the way syntax errors are told: used by the Parser only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rules/syntax/ast.h"
#include "rules/syntax/diagnostic.h"
#include "rules/syntax/lexer.h"
#include "rules/syntax/source.h"

namespace jobforge::rules {

class ParserCursor {
public:
    ParserCursor(const SourceText& source, std::uint32_t number, const Tokens& tokens,
                 Diagnostics& diagnostics) noexcept
        : source_(source), number_(number), tokens_(tokens), diagnostics_(diagnostics) {}

protected:
    // The token `ahead` places on; `end` for ever behind the last.
    [[nodiscard]] const Token& peek(std::size_t ahead = 0) const noexcept;
    [[nodiscard]] std::string_view text(const Token& token) const noexcept;
    [[nodiscard]] std::string_view text() const noexcept { return text(peek()); }
    [[nodiscard]] Span span(const Token& token) const noexcept {
        return {number_, token.begin, token.end};
    }
    [[nodiscard]] Span here() const noexcept { return span(peek()); }
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

    void advance() noexcept;
    bool accept(std::string_view wanted) noexcept;
    // Always false / nullopt after a report.
    [[nodiscard]] bool require(std::string_view wanted, std::string_view why = {});
    // The `;` behind `what`. Reports, and goes on behind the next one, if it is not here.
    void require_semicolon(std::string_view what);
    [[nodiscard]] std::optional<Name> require_name(std::string_view what);  // no keyword
    [[nodiscard]] std::optional<Name> require_word(std::string_view what);  // any word
    [[nodiscard]] std::optional<Name> require_text(std::string_view what);  // decoded
    [[nodiscard]] std::optional<Name> require_path();                       // a.b.c
    [[nodiscard]] std::optional<std::int64_t> require_integer(std::string_view what);

    // "expected X, found Y", or what is wrong with a fault token.
    void report_expected(std::string_view wanted, std::string_view advice = {});
    void report(const Span& span, std::string message, std::string advice = {});

    // Passes tokens up to (not over) a symbol of `stops`, a declaration or the end, and reports the
    // fault tokens among them.
    void skip_to(std::initializer_list<std::string_view> stops);
    // Goes on at the first token that begins at or behind `offset`.
    void seek(std::size_t offset) noexcept;

    const SourceText& source_;
    std::uint32_t number_;
    const Tokens& tokens_;
    Diagnostics& diagnostics_;

private:
    [[nodiscard]] std::string describe(const Token& token) const;

    std::size_t at_ = 0;
    std::optional<std::uint32_t> last_report_;  // one report a place
};

}  // namespace jobforge::rules
