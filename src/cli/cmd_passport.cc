// jobforge passport compile|verify|replay|keygen
#include "cli/commands.h"
#include "cli/passport_commands.h"

namespace jobforge::cli {

void add_passport(CLI::App& app, Context& context) {
    auto* passport =
        app.add_subcommand("passport", "Compile, sign, verify and replay passports, offline");
    passport->require_subcommand(1);
    add_passport_compile(*passport, context);
    add_passport_verify(*passport, context);
    add_passport_replay(*passport, context);
    add_passport_keygen(*passport, context);
}

}  // namespace jobforge::cli
