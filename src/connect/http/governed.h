// A transport that asks its governor first and tells it afterwards.
#pragma once

#include <functional>

#include "connect/http/governor.h"
#include "connect/http/transport.h"

namespace jobforge::connect {

// The clock that Retry-After dates are counted from.
using WallClock = std::function<std::chrono::sys_seconds()>;
[[nodiscard]] WallClock system_wall_clock();

// Threads: as its parts, any number.
class Governed final : public Transport {
public:
    // Both must outlive it.
    Governed(Transport& inner, Governor& governor, WallClock clock = system_wall_clock());

    // Not sent: refused() of the verdict (governor.h), or the governor's own error. Sent: what
    // `inner` says. A report that fails does not change the answer: the peer has acted, and a
    // breaker that misses one result learns from the next.
    // Reported is what the answer says about the peer (classify.h): a 404 is a healthy peer, a 503
    // or a refused connection is not. Nothing is reported when nothing was learnt: a stop, an
    // address that the guard refused.
    [[nodiscard]] Result<HttpResponse> send(const HttpRequest& request,
                                            const std::stop_token& stop = {}) override;

private:
    Transport& inner_;
    Governor& governor_;
    WallClock clock_;
};

}  // namespace jobforge::connect
