// A request and its answer as plain values: what routes and handlers see of HTTP.
//
// Nothing here knows sockets, threads or the wire's text. The server (http_server.h) makes requests
// out of bytes that passed request_head_check.h, so what stands in a RequestHead is well-formed:
// names are tokens, values hold no control characters, the path was decoded exactly once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <jobforge/error.h>

namespace jobforge::http {

class EventStream;  // event_stream.h

struct Header {
    std::string name;  // of a request: lower case; of an answer: as it shall be sent
    std::string value;
};

struct RequestHead {
    std::string method;  // as received, case counts: "GET"
    std::string target;  // as received: "/v1/jobs?limit=5"
    // Decoded once. Begins with "/" (or is "*", OPTIONS only); valid UTF-8 without control
    // characters; has no "." or ".." segment, no encoded slash and no backslash: those were
    // refused, so that what a policy matched is what a handler opens.
    std::string path;
    std::vector<std::pair<std::string, std::string>> query;  // decoded, in order; "+" is a space
    std::vector<Header> headers;                             // in order, names lower case
    std::string remote_address;                              // "192.0.2.7", without the port
    // X-Correlation-Id if it is 1 to 128 of [A-Za-z0-9._-], else a new UUIDv7. Every answer
    // carries it, and so should every log line about the request.
    std::string correlation_id;

    // The first header of that (lower case) name; nullptr if absent. Host, Content-Length and
    // Transfer-Encoding occur at most once; readers of other ones decide about repetitions.
    [[nodiscard]] const std::string* header(std::string_view lower_name) const noexcept;
    // How often the header occurs: a repeated Authorization or Idempotency-Key is worth a refusal.
    [[nodiscard]] std::size_t header_count(std::string_view lower_name) const noexcept;
    // The first query parameter of that name; "?a" gives "".
    [[nodiscard]] std::optional<std::string> query_value(std::string_view name) const;
};

// A request's place among those that are at work, which belongs to a party (work_queue.h).
class RequestSlot {
public:
    // From the handler that answers the request: its party is known now. False: that party has as
    // much at work as it may.
    [[nodiscard]] virtual bool move_to(std::string_view party) = 0;

protected:
    RequestSlot() = default;
    RequestSlot(const RequestSlot&) = default;
    RequestSlot& operator=(const RequestSlot&) = default;
    ~RequestSlot() = default;
};

struct Request : RequestHead {
    std::string body;             // complete, chunks joined
    RequestSlot* slot = nullptr;  // null: places are not counted
};

struct Response {
    int status = 200;
    std::string content_type = "application/json";  // not sent with 204 and 304
    // Further ones. The server itself adds Content-Length, Transfer-Encoding, Connection, Date,
    // X-Correlation-Id, X-Content-Type-Options, Strict-Transport-Security, Content-Encoding and
    // Vary (unless the answer has a Content-Encoding already), what Plan::vary says, and
    // Cache-Control: no-store where the answer has no Cache-Control.
    // A name or value that could break the wire's text makes the answer a 500.
    std::vector<Header> headers = {};
    std::string body = {};
    // Server-sent events: if set, content_type is text/event-stream, `body` is not used, and what
    // is sent to the stream goes to the client until either side ends it.
    std::shared_ptr<EventStream> stream = {};
};

// A new UUIDv7 as text.
[[nodiscard]] std::string new_correlation_id();

// THE envelope: {"error":{"code","message","correlation_id","details"}}.
//
// The status is http_status_of(error.code), 500 for codes that are never sent. An answer of 500 and
// above shows a general sentence instead of the error's message and details, whatever they say: log
// error.describe() with head.correlation_id, that is where internals belong. Below 500, details are
// the error's object (or {}), plus "hint" if the error has one. 401 comes with WWW-Authenticate:
// Bearer, 429 and 503 with Retry-After: 1 (set_header() changes it).
[[nodiscard]] Response error_response(const Error& error, const RequestHead& head);
// The same for HTTP's own refusals, where the status is finer than the code's (400, 405, 408, 415,
// 417, 431): `message` is shown as it is, so it must be one of ours.
[[nodiscard]] Response error_response(int status, ErrorCode code, std::string_view message,
                                      const RequestHead& head);

// Sets or replaces an answer's header; names are compared without case.
void set_header(Response& response, std::string_view name, std::string value);
// An answer's header, compared without case; nullptr if absent.
[[nodiscard]] const std::string* find_header(const Response& response,
                                             std::string_view name) noexcept;

}  // namespace jobforge::http
