// Files of examples/battery-eu that the program carries with it.
#pragma once

#include <string_view>

namespace jobforge::cli {

// By its path below examples/battery-eu; empty for any other name.
[[nodiscard]] std::string_view embedded_example(std::string_view name) noexcept;

}  // namespace jobforge::cli
