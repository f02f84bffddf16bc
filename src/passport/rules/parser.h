// From tokens to the syntax tree.
//
// Recursive descent that goes on after an error: at the next `;` inside a declaration, at the next
// declaration otherwise, so that one run shows all syntax errors. Nesting is limited to
// kMaximumNesting, and time is linear in the text. The grammar is in docs/rules.md.
#pragma once

#include <cstdint>
#include <optional>

#include "passport/rules/ast.h"
#include "passport/rules/diagnostic.h"
#include "passport/rules/lexer.h"
#include "passport/rules/source.h"

namespace jobforge::passport::rules {

struct ParsedSource {
    Module module;
    Tokens tokens;
};

// What could be read; the declarations that could not are left out and reported. nullopt if the
// text as a whole is unfit (see lex). `number` is the source's index, for spans.
[[nodiscard]] std::optional<ParsedSource> parse(const SourceText& source, std::uint32_t number,
                                                Diagnostics& diagnostics);

}  // namespace jobforge::passport::rules
