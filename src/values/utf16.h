// Text in UTF-16, or in UTF-8 behind a byte order mark, as plain UTF-8.
//
// Programs on Windows write JSON so, and what they wrote must not be refused for its first two
// bytes. Only a mark says which order the bytes have: without one nothing is guessed. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jobforge {

// The text without its mark, in UTF-8: of UTF-16 in either order, or of UTF-8. Bytes without a mark
// come back as they are. nullopt: a byte is left over, or a surrogate has no partner.
[[nodiscard]] std::optional<std::string> without_byte_order_mark(std::string_view bytes);

}  // namespace jobforge
