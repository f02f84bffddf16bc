// A cursor that demands: reads the token that the grammar wants, or reports what is wrong.
//
// The parts of the parser share one reader. A function of theirs that returns nullptr, nullopt or
// false has reported why; its caller gives up too, up to the one that can go on at a `;` or a
// declaration.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "rules/syntax/diagnostic.h"
#include "rules/syntax/token_cursor.h"

namespace jobforge::rules {

class TokenReader final : public TokenCursor {
public:
    TokenReader(const SourceText& source, std::uint32_t number, const Tokens& tokens,
                Diagnostics& diagnostics) noexcept
        : TokenCursor(source, number, tokens), diagnostics_(diagnostics) {}

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
    // At most one report a place: a second one at the same place says nothing new.
    void report(const Span& span, std::string message, std::string advice = {});
    void report_nesting();

    // Passes tokens up to (not over) a symbol of `stops`, a declaration or the end, and reports the
    // fault tokens among them.
    void skip_to(std::initializer_list<std::string_view> stops);

private:
    friend class NestingLevel;

    [[nodiscard]] std::string describe(const Token& token) const;

    Diagnostics& diagnostics_;
    int level_ = 0;
    std::optional<std::uint32_t> last_report_;
};

// Counts a level that recursion has entered, for as long as it lives. Reports when there are more
// than kMaximumNesting.
class NestingLevel final {
public:
    explicit NestingLevel(TokenReader& tokens);
    ~NestingLevel() { --tokens_.level_; }
    NestingLevel(const NestingLevel&) = delete;
    NestingLevel& operator=(const NestingLevel&) = delete;
    [[nodiscard]] bool ok() const noexcept { return ok_; }

private:
    TokenReader& tokens_;
    bool ok_;
};

}  // namespace jobforge::rules
