// Titles and keywords as words: what is compared when listings are matched. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobforge::services {

// Runs of letters, marks and numbers of any script, in lower case: "1909-S VDB Cent" is 1909, s,
// vdb, cent. The cent sign counts as the letter c, as in "5¢". Accents are kept as they are
// written: there is no Unicode normalisation.
using Words = std::vector<std::string>;
[[nodiscard]] Words words_of(std::string_view text);

// Whether the words of `phrase` stand in `words` in this order, side by side. An empty phrase does
// not.
[[nodiscard]] bool contains_phrase(std::span<const std::string> words,
                                   std::span<const std::string> phrase) noexcept;
[[nodiscard]] bool contains_phrase(std::span<const std::string> words, std::string_view phrase);

}  // namespace jobforge::services
