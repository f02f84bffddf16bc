// The smallest pieces of HTTP's grammar (RFC 9110, 5.6), shared by reading and writing. Pure.
#pragma once

#include <string>
#include <string_view>

namespace jobforge::http {

// A method or a header's name: one or more of the token characters.
[[nodiscard]] bool is_token(std::string_view text) noexcept;
// Visible characters, blanks and the bytes above ASCII (opaque); no line break, no other control.
[[nodiscard]] bool is_field_value(std::string_view text) noexcept;
// ASCII letters only.
[[nodiscard]] std::string lower_case(std::string_view text);
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept;
// The part before the first `separator`, without blanks and tabs at both ends; `rest` moves behind
// it. Call while !rest.empty().
[[nodiscard]] std::string_view take_part(std::string_view& rest, char separator) noexcept;

}  // namespace jobforge::http
