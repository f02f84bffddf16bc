// Following redirects, each hop judged like a first request.
#pragma once

#include <string>
#include <vector>

#include "connect/http/transport.h"

namespace jobforge::connect {

inline constexpr int kMostRedirects = 10;

// Follows 301, 302, 303, 307 and 308 with a Location, up to request.follow_redirects times, by
// sending a new request to `inner`: the URL is checked, the name resolved and every address judged
// anew, so that a redirect leads nowhere a first request could not go.
//
// As browsers do (WHATWG fetch): 303, and 301 or 302 after a POST, become a GET without a body and
// its headers; all else keeps method and body. All hops share one deadline and the stop.
//
// Stricter than browsers: a redirect from https to http is refused, and another origin (scheme,
// host or port) gets only the headers of a safelist: accept, accept-encoding, accept-language,
// content-encoding, content-language, content-type, traceparent, tracestate, user-agent. All others
// are dropped for good: cookies, credentials, and whatever header an API has for its keys.
//
// Threads: any number.
class Redirects final : public Transport {
public:
    // `inner` must outlive it. `credentials`: headers that carry a secret, any case; they do not
    // leave their origin even if the safelist names them.
    explicit Redirects(Transport& inner, std::vector<std::string> credentials = {});

    // As `inner`, and: VALIDATION_ERROR for follow_redirects outside 0..10; SSRF_BLOCKED for a
    // Location that is not an http or https URL, or that leads from https to http;
    // CONNECTION_FAILED, permanent, for one redirect more than allowed or one that leads back to
    // where the chain has been with the same method. With follow_redirects 0 a redirect is an
    // answer like any other.
    [[nodiscard]] Result<HttpResponse> send(const HttpRequest& request,
                                            const std::stop_token& stop = {}) override;

private:
    Transport& inner_;
    std::vector<std::string> credentials_;
};

}  // namespace jobforge::connect
