// The whole story of a battery passport, told step by step: what `jobforge demo` and
// `jobforge up --demo` show after the jobs.
#pragma once

#include <string>

#include <jobforge/error.h>

#include "cli/context.h"
#include "cli/serve/signals.h"

namespace jobforge::cli {

// Upload, parse, snapshot, seal; rules uploaded, tested, published; compile, sign, QR code,
// activate, replay, webhook. Prints each step with what came of it. A worker must run. The second
// time it issues a second version, which supersedes the first. Ends early, without error, after a
// signal.
// `heading` stands above the commands that look at what was made.
[[nodiscard]] Status run_passport_demo(const Context& context, const std::string& url,
                                       const Signals& signals, std::string_view heading);

}  // namespace jobforge::cli
