// One HTTP request to the outside world: guarded, bounded, stoppable.
//
// Every outgoing call of the program goes through an HttpClient. A request passes only if its URL
// is plain (url_check.h) and every address its name has is globally routable or allowed
// (address_guard.h); the name is resolved once, the addresses that were judged are the ones that
// are dialled, and each socket is judged again at the moment it is opened or reused. Redirects are
// answers like any other, proxies in the environment are ignored, answers are not decompressed:
// transport.h says what may be put around it.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <jobforge/error.h>

#include "connect/guard/ip_address.h"
#include "connect/guard/resolve.h"
#include "connect/http/transport.h"

namespace jobforge::connect {

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
class HttpClient final : public Transport {
public:
    explicit HttpClient(HttpOptions options = {});
    // No request may be under way.
    ~HttpClient() override;

    // The answer, whatever its status. Errors:
    //   SSRF_BLOCKED       permanent: the URL is odd or leads to an address that is not allowed;
    //   VALIDATION_ERROR   permanent: method or headers cannot be sent;
    //   TIMEOUT            retryable: no complete answer within the timeout, or `stop` was
    //                      requested (which ends the request at once);
    //   CONNECTION_FAILED  retryable: no such name, refused, lost, or an answer that is not HTTP or
    //                      breaks the header limits; permanent: a certificate that is not trusted;
    //   RATE_LIMITED       shortage() (governor.h): this program has no slot, memory, thread or
    //   file
    //                      descriptor for it, and the peer was not asked.
    // `outcome_unknown` is true once any byte of the request was sent.
    [[nodiscard]] Result<HttpResponse> send(const HttpRequest& request,
                                            const std::stop_token& stop = {}) override;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace jobforge::connect
