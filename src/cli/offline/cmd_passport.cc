// jobforge passport compile|verify|replay|keygen
#include "cli/commands/commands.h"
#include "cli/offline/passport_commands.h"

namespace jobforge::cli {

void add_passport(Command program, Context& context) {
    Command passport =
        program.group("passport", "Compile, sign, verify and replay passports, offline");
    add_passport_compile(passport, context);
    add_passport_verify(passport, context);
    add_passport_replay(passport, context);
    add_passport_keygen(passport, context);
}

}  // namespace jobforge::cli
