// The one way out, and what may be put around it.
//
// HttpClient (http_request.h) is the innermost Transport: it judges the URL and every address, and
// dials. Each further concern is a small Transport around another one, taking the inner one and its
// own interest by constructor, so that a caller puts together what it needs and a test replaces any
// layer:
//
//     Traced -> Governed -> Redirects -> Allowlisted -> Decompress -> HttpClient
//     one span   one permit   each hop     each hop       each hop      guard, limits, deadline
//
// The order is the meaning: what stands inside Redirects happens to every hop, what stands outside
// happens once. No layer repeats a request: whether to try again is the job's decision, and
// classify.h says what the answer means for it.
//
// Layers hold references: the inner one must outlive the outer. They are cheap to build (no
// allocation beyond their own members), so a handler may build them on its stack for one request.
#pragma once

#include <stop_token>

#include <jobforge/error.h>

#include "connect/http/outgoing_message.h"

namespace jobforge::connect {

class Transport {
public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    // The answer, whatever its status, or why there is none. Blocks the caller, at most for
    // request.timeout; a requested stop ends it at once with TIMEOUT. Any number of threads may
    // send at the same time.
    [[nodiscard]] virtual Result<HttpResponse> send(const HttpRequest& request,
                                                    const std::stop_token& stop = {}) = 0;
};

}  // namespace jobforge::connect
