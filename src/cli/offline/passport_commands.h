// The commands below `jobforge passport`, one file each. None needs a database.
#pragma once

#include "cli/command_line.h"
#include "cli/context.h"

namespace jobforge::cli {

void add_passport_compile(Command passport, Context& context);
void add_passport_verify(Command passport, Context& context);
void add_passport_replay(Command passport, Context& context);
void add_passport_keygen(Command passport, Context& context);

}  // namespace jobforge::cli
