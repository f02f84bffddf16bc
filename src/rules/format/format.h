// The one layout of rules: what `jobforge rules fmt` writes.
//
// Two blanks of indentation, 100 columns, one blank line between declarations; a group that fits on
// its line stays on it, otherwise its parts get a line each. Comments stay between the words they
// stood between, a comment at the end of a line stays there. Only layout changes: the result parses
// to the same tree, and formatting it again changes nothing.
#pragma once

#include <optional>
#include <string>

#include "rules/syntax/diagnostic.h"
#include "rules/syntax/source.h"

namespace jobforge::rules {

// nullopt, with the reasons in `diagnostics`, if the source does not parse. Types do not matter.
[[nodiscard]] std::optional<std::string> format(const SourceText& source, Diagnostics& diagnostics);

}  // namespace jobforge::rules
