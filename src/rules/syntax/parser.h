// From tokens to the syntax tree.
//
// Recursive descent that goes on after an error: at the next `;` inside a declaration, at the next
// declaration otherwise, so that one run shows all syntax errors. Nesting is limited to
// kMaximumNesting, and time is linear in the text. The grammar is in docs/rules.md.
#pragma once

#include <cstdint>
#include <optional>

#include "rules/syntax/ast.h"
#include "rules/syntax/diagnostic.h"
#include "rules/syntax/lexer.h"
#include "rules/syntax/source.h"

namespace jobforge::rules {

struct ParsedSource {
    Module module;
    Tokens tokens;
};

// What could be read; the declarations that could not are left out and reported. nullopt if the
// text as a whole is unfit (see lex). `number` is the source's index, for spans.
[[nodiscard]] std::optional<ParsedSource> parse(const SourceText& source, std::uint32_t number,
                                                Diagnostics& diagnostics);

}  // namespace jobforge::rules
