// A request's body as handlers get it. Pure.
#pragma once

#include <jobforge/error.h>
#include <jobforge/json.h>

#include "api/route.h"
#include "http/parse/http_message.h"

namespace jobforge::api {

// Whether its Content-Type says JSON.
[[nodiscard]] bool is_json(const http::RequestHead& head);
// An object, {} for none. VALIDATION_ERROR for what is not JSON, with its place, or no object.
[[nodiscard]] Result<Json> body_of(const http::Request& request, const Route& route);

}  // namespace jobforge::api
