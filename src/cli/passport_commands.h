// The commands below `jobforge passport`, one file each. None needs a database.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/context.h"

namespace jobforge::cli {

void add_passport_compile(CLI::App& passport, Context& context);
void add_passport_verify(CLI::App& passport, Context& context);
void add_passport_replay(CLI::App& passport, Context& context);
void add_passport_keygen(CLI::App& passport, Context& context);

}  // namespace jobforge::cli
