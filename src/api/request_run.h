// A handler inside of its database work: enter_request first, one transaction around a change, the
// Idempotency-Key's stored answer.
#pragma once

#include <optional>
#include <string>

#include "api/request_context.h"
#include "pg/connection.h"

namespace jobforge::api {

// The Idempotency-Key of a request; nullopt without one. VALIDATION_ERROR for two of them.
[[nodiscard]] Result<std::optional<std::string>> idempotency_key_of(const http::RequestHead& head);

// Runs the route's handler on this connection, which must be idle. Whatever is not committed when
// it returns is left to the pool, which rolls it back. An answer of 400 and above is not kept.
[[nodiscard]] Result<http::Response> run_on_connection(pg::Connection& connection,
                                                       const Route& route, RequestContext& context);

}  // namespace jobforge::api
