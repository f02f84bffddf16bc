// The command line: reads it, checks the environment, runs one command.
#pragma once

#include "cli/serve/services.h"

namespace jobforge::cli {

// Returns the exit code; see context.h. Never throws.
[[nodiscard]] int run(int argc, const char* const* argv, const Services& services) noexcept;

}  // namespace jobforge::cli
