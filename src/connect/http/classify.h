// What an answer, or its absence, means for the job that asked. Pure; any thread.
#pragma once

#include <chrono>
#include <optional>

#include <jobforge/error.h>

#include "connect/http/outgoing_message.h"

namespace jobforge::connect {

struct Classified {
    enum class Kind {
        ok,         // 2xx
        retry,      // may work later: 5xx, 408, 425, 429, no connection, no answer in time
        permanent,  // will not: other 4xx, 3xx, refused by the guard, a bad certificate
    };
    // What it says about the peer, for its breaker. A 404 is a permanent failure of the job, given
    // by a peer that works; an address the guard refused says nothing about anybody.
    enum class Peer { healthy, failing, unknown };

    Kind kind = Kind::permanent;
    Peer peer = Peer::unknown;
    // Only with retry: the peer's Retry-After, or the wait of a governor that refused. At most
    // kLongestRetryAfter (retry_after.h).
    std::optional<std::chrono::milliseconds> retry_after;

    [[nodiscard]] bool ok() const noexcept { return kind == Kind::ok; }
};

// `now` is what a Retry-After date is counted from.
[[nodiscard]] Classified classify(const Result<HttpResponse>& outcome,
                                  std::chrono::sys_seconds now);
[[nodiscard]] Classified classify(const HttpResponse& response, std::chrono::sys_seconds now);
// An error's own `retryable` decides.
[[nodiscard]] Classified classify(const Error& error);

// 5xx, 408, 425 and 429: the same request may get another answer later.
[[nodiscard]] bool is_retryable_status(int status) noexcept;

}  // namespace jobforge::connect
