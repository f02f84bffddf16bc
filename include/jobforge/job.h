// A job as a handler and a client see it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <jobforge/json.h>
#include <jobforge/uuid.h>

namespace jobforge {

// A point in time, microseconds since 1970-01-01T00:00:00Z. Always the database's clock.
using TimePoint = std::chrono::sys_time<std::chrono::microseconds>;

// A claimed job: what a handler is given. Immutable.
struct Job {
    Uuid tenant_id;
    Uuid job_id;
    std::string type;
    Json payload;        // always an object
    int attempt_no = 1;  // the attempt that runs now, from 1; repeats after a snooze
    int max_attempts = 5;
    int priority = 2;
    bool interrupted = false;      // an earlier attempt lost its worker; this one is in quarantine
    std::int64_t lease_token = 0;  // the fence: grows with every claim
    Uuid claim_id;                 // random, of the claim that gave it: never the same again
    TimePoint scheduled_at{};
    TimePoint created_at{};
    std::string idempotency_key;  // empty: none
    std::string trace_id;         // empty: none
    std::string created_by;       // empty: unknown
};

inline constexpr std::size_t kLongestTraceId = 200;  // characters

// A job to enqueue. Only `type` is required.
struct NewJob {
    std::string type;
    Json payload = Json::object();
    std::optional<int> priority = std::nullopt;  // 0 critical .. 3 low; default: the type's
    std::optional<TimePoint> scheduled_at = std::nullopt;  // default: now
    std::optional<std::string> idempotency_key =
        std::nullopt;                                // unique per (tenant, type) while retained
    std::optional<int> max_attempts = std::nullopt;  // 1..1000; default: the type's
    std::string trace_id = {};  // at most kLongestTraceId characters; empty: none
};

// The answer to an enqueue.
struct Enqueued {
    Uuid job_id;
    bool deduplicated = false;  // the key was known: this is the earlier job
};

}  // namespace jobforge
