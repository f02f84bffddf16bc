// The one reader of request heads: strict, because a proxy before us may read them otherwise.
//
// Request smuggling needs two programs that disagree where a request ends. So whatever RFC 9112
// calls an error, and whatever it merely tolerates (bare LF, folded lines, blanks before a colon,
// repeated lengths), is refused here with a reason; the caller answers it and ends the connection.
// Pure: bytes in, a head or a refusal out. Tests: tests/http/request_head_check_test.cc; the fuzzer
// compares what is accepted with Boost.Beast's opinion.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/parse/head_scan.h"
#include "http/parse/http_message.h"

namespace jobforge::http {

enum class BodyFraming { none, length, chunked };

struct CheckedHead {
    RequestHead head;  // without remote_address and correlation_id: those are not the wire's
    BodyFraming framing = BodyFraming::none;
    std::uint64_t content_length = 0;  // with BodyFraming::length; may be 0
    int minor_version = 1;             // of HTTP/1.x: 0 or 1
    bool keep_alive = true;            // what version and Connection ask for
    bool expects_continue = false;     // waits for 100 Continue before it sends the body
};

// Reads a complete head, as HeadScan found it. `refusal` says why there is none.
[[nodiscard]] std::optional<CheckedHead> check_request_head(std::string_view text,
                                                            const HeadLimits& limits,
                                                            HeadRefusal& refusal);

}  // namespace jobforge::http
