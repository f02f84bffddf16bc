// What Postgres or libpq said, as an Error that tells the caller what to do next.
//
// | SQLSTATE                          | code              | retryable | connection_lost |
// |-----------------------------------|-------------------|-----------|-----------------|
// | JFxxx (raised by our functions)   | the same code     | table     | no              |
// | none (socket broke), 08xxx, 57P0x | DB_UNAVAILABLE    | yes       | yes             |
// | 25006 (read-only: not the primary)| DB_UNAVAILABLE    | yes       | yes             |
// | 40xxx, 55P03, 53xxx               | DB_UNAVAILABLE    | yes       | no              |
// | 28xxx                             | UNAUTHORIZED      | no        | no              |
// | 3D000 (no such database)          | NOT_FOUND         | no        | no              |
// | 57014 (canceled, timed out)       | TIMEOUT           | yes       | no              |
// | 42501 (permission denied)         | FORBIDDEN         | no        | no              |
// | 22xxx, 23xxx                      | VALIDATION_ERROR  | no        | no              |
// | anything else                     | INTERNAL_ERROR    | no        | no              |
//
// `outcome_unknown` is not decided here: only the caller knows whether a commit was under way.
// Messages never hold a password, also where libpq quotes its connection string.
#pragma once

#include <string>
#include <string_view>

#include <jobforge/error.h>

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

namespace jobforge::pg {

// A failed result. Takes the socket's state into account: a result made by libpq itself because
// the connection broke has no SQLSTATE.
[[nodiscard]] Error error_from_result(PGconn* connection, const PGresult* result,
                                      std::string_view statement);

// The connection itself failed: broken socket, or a call libpq refused.
[[nodiscard]] Error error_from_connection(PGconn* connection, std::string_view statement);

// A connection attempt that failed. The handshake has no result to ask, so the connection must
// have been opened with PQERRORS_VERBOSE: the SQLSTATE then stands in the message, whatever
// language the server speaks.
[[nodiscard]] Error error_from_handshake(PGconn* connection);

// The row of the table above. Exposed for its test.
[[nodiscard]] Error error_from_sqlstate(std::string_view sqlstate, std::string message);

// `text` with every password in it replaced by "***": the given one if it has three
// characters or more, and whatever stands after "password=" or between ':' and '@' of a URL.
[[nodiscard]] std::string scrub_secrets(std::string text, std::string_view password);

}  // namespace jobforge::pg
