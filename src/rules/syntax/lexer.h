// From text to tokens.
//
// The whole source is looked at first: a text that is not UTF-8 without a byte order mark is one
// error, not one a line. After that the lexer never fails: what it cannot read becomes a `fault`
// token, which the parser reports when it meets it. Linear in the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/syntax/diagnostic.h"
#include "rules/syntax/source.h"
#include "rules/syntax/token.h"

namespace jobforge::rules {

struct Tokens {
    std::vector<Token> tokens;  // the last is `end`
    std::vector<Comment> comments;
};

// `number` is the source's index, for spans. nullopt if the text as a whole is unfit: too large,
// UTF-16, a byte order mark, U+0000, invalid UTF-8, or invisible characters that turn the
// direction of writing (a reviewer would read something else than we do).
[[nodiscard]] std::optional<Tokens> lex(const SourceText& source, std::uint32_t number,
                                        Diagnostics& diagnostics);

// What is wrong with a fault token, and advice.
struct LexicalFault {
    std::string message;
    std::string advice;
};
[[nodiscard]] LexicalFault explain_fault(std::string_view token);

}  // namespace jobforge::rules
