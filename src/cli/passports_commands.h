// The verbs of `jobforge passports`, over stored passports. (`jobforge passport` works on files.)
#pragma once

#include <CLI/CLI.hpp>

#include "cli/context.h"

namespace jobforge::cli {

void add_passports_compile(CLI::App& passports, Context& context);
// replay, export-bundle, qr.
void add_passports_artifacts(CLI::App& passports, Context& context);

}  // namespace jobforge::cli
