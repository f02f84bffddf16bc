// An answer's head as it goes over the wire. Pure, but for the caller's clock.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "http/parse/http_message.h"

namespace jobforge::http {

struct WireForm {
    bool keep_alive = true;  // else Connection: close
    bool http_1_0 = false;   // its clients must be told that a connection stays
    bool chunked = false;    // a stream to an HTTP/1.1 client
    bool tls = false;        // then clients are told to come this way for a year
    std::time_t now = 0;     // for Date
};

// False if a header's name is not a token, a value holds a line break or another control character,
// or the status is none: sending it would give the client (and caches between) another message.
[[nodiscard]] bool is_sendable(const Response& response) noexcept;

// Status line and headers including the empty line. Precondition: is_sendable().
[[nodiscard]] std::string response_head(const Response& response, std::string_view correlation_id,
                                        const WireForm& form);

// Whether answers of this status end with their head.
[[nodiscard]] bool has_no_body(int status) noexcept;

}  // namespace jobforge::http
