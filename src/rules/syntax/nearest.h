// Which of the known names a mistyped one may have meant. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobforge::rules {

// At most `most` of `names`, the nearest first, equally near ones in their order. Letters' case
// does not matter; a third of the letters may be wrong, for more is another word. Names of more
// than 200 bytes are never near.
[[nodiscard]] std::vector<std::string_view> nearest_names(std::string_view wrong,
                                                          std::span<const std::string_view> names,
                                                          std::size_t most);

// The same for paths like battery.capacity, of which people often know a part: after the nearest
// ones come those that hold `wrong`, and if there are none of both, those that hold one of its
// segments, the last first.
[[nodiscard]] std::vector<std::string_view> nearest_paths(std::string_view wrong,
                                                          std::span<const std::string_view> paths,
                                                          std::size_t most);

}  // namespace jobforge::rules
