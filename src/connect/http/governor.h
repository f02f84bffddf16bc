// Whether a source may be called now: all workers ask in one place.
//
// A governor is the shared state of one peer (a price source, a webhook endpoint, a host): its
// pause, its breaker and its rate limit. The truth is in the database (jobforge.governor_enter and
// governor_report), so that all workers together keep one limit; this interface is what the
// transport knows of it, and what tests replace.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <jobforge/error.h>

namespace jobforge::connect {

// Leave to send one request. Never refunded: a token that was taken is spent.
struct Permit {
    // Of the breaker when the permit was given; a report with an older one is late, and ignored.
    std::int64_t generation = 0;
    // The breaker is half open, and this request is the one that decides.
    bool probe = false;
};

struct Verdict {
    enum class Kind {
        go,        // send, then report with `permit`
        wait,      // no token, or the breaker is open: come back after `wait`
        paused,    // by a person or by Retry-After: come back after `wait`
        disabled,  // not at all
    };
    Kind kind = Kind::go;
    std::chrono::milliseconds wait{0};
    Permit permit;
    std::string reason;  // for people; empty for go
};

// How the request ended, as far as the peer is concerned.
struct Report {
    bool ok = false;
    // The peer asked to be left alone so long.
    std::optional<std::chrono::milliseconds> retry_after;
};

class Governor {
public:
    Governor() = default;
    Governor(const Governor&) = delete;
    Governor& operator=(const Governor&) = delete;
    virtual ~Governor() = default;

    // Breaker first, then the limit, as one step: a refusal takes no token. Fails as the database
    // does (DB_UNAVAILABLE...); then nothing may be sent.
    [[nodiscard]] virtual Result<Verdict> enter() = 0;
    // At most once a permit. Not reporting is allowed (a worker that dies cannot): a probe that
    // is not reported times out.
    [[nodiscard]] virtual Status report(const Permit& permit, const Report& report) = 0;
};

// The error of a request that was not sent because of `verdict`, which is not go:
// RATE_LIMITED (wait) or SOURCE_PAUSED (paused), retryable, details {"retry_after_ms", "reason"};
// SOURCE_DISABLED (disabled), permanent. A handler that gets one of the first two snoozes for
// refused_for(): waiting for leave is not a failed attempt.
[[nodiscard]] Error refused(const Verdict& verdict);

// The error of a request that was not sent because this program lacks something of its own: a slot
// (tenant_slots.h), a thread, memory, a file descriptor, a connection. RATE_LIMITED, retryable,
// with the same details: the job is snoozed and spends no attempt. classify() says nothing about
// the peer, so no breaker counts it: the peer was not asked.
[[nodiscard]] Error shortage(std::string_view what,
                             std::chrono::milliseconds wait = std::chrono::seconds(1));

// After how long a request that was refused(), or met a shortage(), should come back; nullopt for
// every other error.
[[nodiscard]] std::optional<std::chrono::milliseconds> refused_for(const Error& error);

}  // namespace jobforge::connect
