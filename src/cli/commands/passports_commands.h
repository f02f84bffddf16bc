// The verbs of `jobforge passports`, over stored passports. (`jobforge passport` works on files.)
#pragma once

#include "cli/command_line.h"
#include "cli/context.h"

namespace jobforge::cli {

void add_passports_compile(Command passports, Context& context);
// replay, export-bundle, qr.
void add_passports_artifacts(Command passports, Context& context);
void add_passports_findings(Command passports, Context& context);

}  // namespace jobforge::cli
