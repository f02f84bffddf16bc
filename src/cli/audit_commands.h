// The verbs of `jobforge audit`, and the connection they read a whole trail on.
#pragma once

#include <functional>

#include "cli/command_line.h"
#include "cli/context.h"
#include "pg/connection.h"

namespace jobforge::cli {

void add_audit_verify(Command audit, Context& context);

// A trail is read in one transaction, so it has a connection of its own.
using AuditWork = std::function<Status(pg::Connection&, const Uuid& tenant)>;
[[nodiscard]] int with_trail(const Context& context, const AuditWork& work);

}  // namespace jobforge::cli
