// What readers of JSON text say when they refuse it.
#pragma once

#include <string>
#include <string_view>

#include <jobforge/error.h>

namespace jobforge {

// VALIDATION_ERROR "line L, column C: message" with {"offset","line","column"} in details: offset
// in bytes from 0, line and column from 1, columns in code points. Counts from the start of the
// text: keeping count while reading would cost every good document. Precondition: offset <=
// text.size().
[[nodiscard]] Error json_fault(std::string_view text, std::size_t offset, std::string_view message);

// Why a text that does not begin like JSON may be in another encoding: a byte order mark,
// UTF-16 or UTF-32. Empty if it does not look like any of these.
[[nodiscard]] std::string_view foreign_encoding(std::string_view text) noexcept;

}  // namespace jobforge
