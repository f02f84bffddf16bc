// How an error tells that a server is silent, and not merely slow with one statement.
#pragma once

#include <string_view>

namespace jobforge::pg {

// The end of the error's message when a second connection, too, got no answer (await.h).
inline constexpr std::string_view kNoSignOfLife = "no sign of life";

}  // namespace jobforge::pg
