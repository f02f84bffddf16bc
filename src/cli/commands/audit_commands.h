// The verbs of `jobforge audit`, and the connection they read a whole trail on.
#pragma once

#include <functional>

#include "audit/audit_export.h"
#include "cli/command_line.h"
#include "cli/context.h"
#include "pg/connection.h"

namespace jobforge::cli {

void add_audit_verify(Command audit, Context& context);
void add_audit_consistency(Command audit, Context& context);
void add_audit_accept(Command audit, Context& context);

// Feeds an export's lines to the reader. VALIDATION_ERROR names file and line.
[[nodiscard]] Status read_export(const std::string& file, passport::AuditExportReader& reader);

// A trail is read in one transaction, so it has a connection of its own.
using AuditWork = std::function<Status(pg::Connection&, const Uuid& tenant)>;
[[nodiscard]] int with_trail(const Context& context, const AuditWork& work);

}  // namespace jobforge::cli
