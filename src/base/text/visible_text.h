// Text from outside, made fit for a terminal: control characters become visible escapes.
//
// A rule, a fact or a file's name may hold ESC and whatever moves a cursor, recolours a screen or
// types for its reader; U+0080 to U+009F do the same in eight bits, and the characters that turn
// the direction of writing make a line read as another. Each becomes its JSON escape (\u001b).
// Bytes that are not UTF-8 become U+FFFD. Everything else stays. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace jobforge {

// All on one line: line ends and tabs become \n, \r and \t.
[[nodiscard]] std::string visible_text(std::string_view text);
// Line feeds stay: for text of several lines that is shown as it is.
[[nodiscard]] std::string visible_lines(std::string_view text);

}  // namespace jobforge
