// What an old coin is worth, told step by step: what `jobforge demo` and `jobforge up --demo` show
// after the passport.
#pragma once

#include <string>

#include <jobforge/error.h>

#include "cli/context.h"
#include "cli/serve/signals.h"

namespace jobforge::cli {

// A marketplace on loopback (demo_marketplace.h), a source for it, a coin, its prices, and their
// valuation. A worker must run, and may call 127.0.0.1. Ends early, without error, after a signal.
[[nodiscard]] Status run_prices_demo(const Context& context, const std::string& url,
                                     const Signals& signals, std::string_view heading);

}  // namespace jobforge::cli
