// The names that one denomination has. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace jobforge::services {

// The group of a text that is a denomination's name and nothing else ("Penny", "one cent" and "1c"
// are one group); nullopt for any other text.
[[nodiscard]] std::optional<int> denomination_of(std::string_view text);

// Whether a title's words name the denomination: its own name, or for a group any name of it. The
// longest name counts at each place: "half dollar" is not a dollar, "5 cents" is not a cent.
[[nodiscard]] bool names_denomination(std::span<const std::string> words,
                                      std::string_view denomination);

}  // namespace jobforge::services
