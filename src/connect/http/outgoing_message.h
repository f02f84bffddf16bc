// A request to the outside world and the answer to it: plain values that every transport speaks.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobforge::connect {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
    std::string method = "GET";
    std::string url;
    HttpHeaders headers;  // sent as they are; Host, Content-Length and the like are ours
    std::string body;
    // On whose behalf it is sent: whose share of the look-ups it takes (tenant_slots.h). Not sent.
    std::string tenant;
    // For everything together: name, connection, sending, the whole answer, every redirect.
    std::chrono::milliseconds timeout{30'000};
    // More body than this is cut off, and the connection with it (HttpResponse::truncated).
    std::size_t max_response_bytes = std::size_t{1} << 20;
    // More header than this is an error. Counts status lines and informational answers too.
    std::size_t max_header_bytes = std::size_t{64} << 10;
    std::size_t max_headers = 200;

    // For `Redirects` (redirects.h), 0 to 10; without it a redirect is an answer like any other.
    int follow_redirects = 0;
    // For `Decompress` (decompress.h); without it a body stays as it was sent.
    bool decompress = false;
    // More body than this after decompression is cut off (HttpResponse::truncated).
    std::size_t max_decoded_bytes = std::size_t{1} << 20;
};

struct HttpResponse {
    int status = 0;
    HttpHeaders headers;  // as sent, in their order; names in lower case, blanks around values cut
    std::string body;     // at most max_response_bytes (decoded: max_decoded_bytes)
    bool truncated = false;
    std::chrono::microseconds duration{0};

    // The first header of this name (lower case); nullopt if there is none.
    [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept;
};

// Whether two header names are the same: ASCII letters in either case.
[[nodiscard]] bool same_name(std::string_view a, std::string_view b) noexcept;

}  // namespace jobforge::connect
