// An answer while it arrives: bounded, whatever the server sends. Internal to the HTTP transport.
#pragma once

#include <string>
#include <string_view>

#include "connect/http/http_request.h"

namespace jobforge::connect {

// Fed by libcurl line by line and piece by piece. One thread.
class HttpAnswer final {
public:
    // `request` holds the limits and must outlive it.
    explicit HttpAnswer(const HttpRequest& request) : request_(request) {}

    // One line of a status line, header or trailer. False once a limit is broken: see fault().
    // Headers of informational answers (1xx) and trailers count, but are not kept.
    [[nodiscard]] bool take_line(std::string_view line);
    // A piece of the body. False once it is full; then response().truncated is true.
    [[nodiscard]] bool take_body(std::string_view piece);

    // Whether the headers of the final answer came to their end. libcurl 7.88 calls an answer
    // complete whose connection was lost in the middle of a header.
    [[nodiscard]] bool headers_complete() const noexcept { return headers_complete_; }
    // Which limit was broken; empty if none.
    [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
    [[nodiscard]] HttpResponse& response() noexcept { return response_; }

private:
    void take_header(std::string_view line);
    // False if the last header is a Content-Length that is not a number or not the same as an
    // earlier one: where such an answer ends depends on who reads it, and libcurl takes the last
    // one.
    [[nodiscard]] bool announces_one_length() const;

    const HttpRequest& request_;
    HttpResponse response_;
    std::string fault_;
    std::size_t header_bytes_ = 0;
    std::size_t header_count_ = 0;
    bool headers_complete_ = false;
    bool body_started_ = false;
};

}  // namespace jobforge::connect
