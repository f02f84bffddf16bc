// Requests and answers without their secrets, for logs, errors and results. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "connect/http/outgoing_message.h"

namespace jobforge::connect {

// Headers that carry credentials, in requests and answers: authorization, proxy-authorization,
// cookie, set-cookie, x-api-key and x-auth-token. Any case.
[[nodiscard]] bool is_secret_header(std::string_view name) noexcept;

// The same headers in the same order, with "[redacted]" for the values of secret ones and of those
// named in `also` (any case).
[[nodiscard]] HttpHeaders redacted_headers(const HttpHeaders& headers,
                                           std::span<const std::string> also = {});

// The URL with "[redacted]" for its user information and for every value of its query, names kept:
// keys and tokens travel there. The path stays, the fragment is dropped. Takes any text, also one
// that is not a URL.
[[nodiscard]] std::string redacted_url(std::string_view url);

}  // namespace jobforge::connect
