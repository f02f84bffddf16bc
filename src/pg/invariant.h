// Broken invariants: our SQL and our code disagree, so going on would corrupt data.
#pragma once

#include <string_view>

namespace jobforge::pg {

// Writes one line to stderr and aborts. Never for conditions that input or the network can cause.
[[noreturn]] void broken_invariant(std::string_view what) noexcept;

}  // namespace jobforge::pg
