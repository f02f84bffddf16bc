// A few jobs of each kind, and how they end: what `jobforge up --demo` shows.
#pragma once

#include <string>

#include <jobforge/error.h>

#include "cli/context.h"
#include "cli/serve/signals.h"

namespace jobforge::cli {

// Enqueues, waits until all have ended (at most a minute, and not after a signal), printing each
// end as it comes.
[[nodiscard]] Status run_demo(const Context& context, const std::string& url,
                              const Signals& signals);

}  // namespace jobforge::cli
