// One HTTP request to the outside world: guarded, bounded, stoppable.
//
// Every outgoing call of the program goes through an HttpClient. A request passes only if its URL
// is plain (url_check.h) and every address its name has is globally routable or allowed
// (address_guard.h); the name is resolved once, the addresses that were judged are the ones that
// are dialled, and each socket is judged again at the moment it is opened or reused. Redirects are
// answers like any other, proxies in the environment are ignored, answers are not decompressed.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <jobforge/error.h>

#include "connect/ip_address.h"
#include "connect/resolve.h"

namespace jobforge::connect {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
    std::string method = "GET";
    std::string url;
    HttpHeaders headers;  // sent as they are; Host, Content-Length and the like are ours
    std::string body;
    // For everything together: name, connection, sending, the whole answer.
    std::chrono::milliseconds timeout{30'000};
    // More body than this is cut off, and the connection with it (HttpResponse::truncated).
    std::size_t max_response_bytes = std::size_t{1} << 20;
    // More header than this is an error. Counts status lines and informational answers too.
    std::size_t max_header_bytes = std::size_t{64} << 10;
    std::size_t max_headers = 200;
};

struct HttpResponse {
    int status = 0;
    HttpHeaders headers;  // as sent, in their order; names in lower case, blanks around values cut
    std::string body;     // at most max_response_bytes, as sent (compressed stays compressed)
    bool truncated = false;
    std::chrono::microseconds duration{0};

    // The first header of this name (lower case); nullopt if there is none.
    [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept;
};

struct HttpOptions {
    // May be dialled although they are not public: JOBFORGE_ALLOW_NETWORKS. Default: none.
    std::vector<Network> allowed_networks;
    // PEM file of trusted certificates; empty: the machine's.
    std::string ca_file;
    std::string user_agent = "jobforge";
    // How names become addresses; empty: the machine's resolver.
    Resolver resolver;
    // Connections are kept open for the next request: at most so many.
    std::size_t max_idle_connections = 32;
};

// Any number of threads may send at the same time; each request runs on its caller's thread.
class HttpClient final {
public:
    explicit HttpClient(HttpOptions options = {});
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;
    // No request may be under way.
    ~HttpClient();

    // The answer, whatever its status. Errors:
    //   SSRF_BLOCKED       permanent: the URL is odd or leads to an address that is not allowed;
    //   VALIDATION_ERROR   permanent: method or headers cannot be sent;
    //   TIMEOUT            retryable: no complete answer within the timeout, or `stop` was
    //                      requested (which ends the request at once);
    //   CONNECTION_FAILED  retryable: no such name, refused, lost, or an answer that is no HTTP or
    //                      breaks the header limits; permanent: a certificate that is not trusted.
    // `outcome_unknown` is true once any byte of the request was sent.
    [[nodiscard]] Result<HttpResponse> send(const HttpRequest& request,
                                            const std::stop_token& stop = {});

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace jobforge::connect
