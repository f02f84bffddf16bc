// What a session of our own has, whatever the role, the database or the server say. Private to
// src/pg.
//
// Isolation READ COMMITTED and row_security on: the functions need them. No synchronous_commit =
// off: an acknowledged job must survive a crash. No timeouts that were meant for people's sessions:
// a low statement_timeout ends claims, renewals and completions. What the URL's `options` name
// (or PGOPTIONS) is kept: it was said for this connection.
#pragma once

#include <string>

#include <libpq-fe.h>

#include "pg/connection.h"

namespace jobforge::pg {

// The statement that sets them. It answers one row, or none behind a pooler: there the process that
// answers is not the one that was announced at the start, its sessions are shared, and a setting
// would stay for the next client.
[[nodiscard]] std::string session_settings(PGconn* native, const ConnectOptions& options);

}  // namespace jobforge::pg
