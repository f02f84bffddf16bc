// Opening a libpq connection with a deadline per host. Private to src/pg.
//
// PQconnectdb rounds its timeout to seconds and hides the server's SQLSTATE; PQconnectStart alone
// cannot move on from a host that hangs. So the hosts of a multi-host string are tried one by one,
// in order, each with its own deadline: a second and a half in a first round, connect_timeout in a
// second one. target_session_attrs works as in libpq, prefer-standby
// included. Name resolution is getaddrinfo's and blocks outside the deadline.
#pragma once

#include <jobforge/error.h>

#include "pg/connection.h"

namespace jobforge::pg {

// A connected PGconn that the caller must PQfinish. With several hosts, the error is that of the
// last one tried, except that a refusal by a server (wrong password, missing database) wins over
// hosts that were not reached.
[[nodiscard]] Result<PGconn*> open_connection(const ConnectOptions& options);

// Whether the server at the other end of this connection answers a second one within 2 s, and, if
// it is one of several, still takes writes.
[[nodiscard]] bool server_lives(PGconn* connection, const ConnectOptions& options);

}  // namespace jobforge::pg
