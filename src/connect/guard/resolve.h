// Names to addresses, bounded in time.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <jobforge/error.h>

#include "connect/guard/ip_address.h"
#include "connect/guard/tenant_slots.h"

namespace jobforge::connect {

using Deadline = std::chrono::steady_clock::time_point;

struct NameQuery {
    std::string host;
    std::string tenant = {};  // on whose behalf: whose share of the look-ups it takes
    Deadline deadline = Deadline::max();
    std::stop_token stop = {};
};

// All addresses of a host name, never empty. Fails with CONNECTION_FAILED (retryable) when the name
// has none, TIMEOUT after the deadline or once a stop is requested, and shortage() (governor.h) if
// this program has no slot, thread or file descriptor for it. Called from many threads.
using Resolver = std::function<Result<std::vector<IpAddress>>(const NameQuery&)>;

// One look-up that blocks its thread for as long as it takes; fails as a Resolver.
using BlockingLookup = std::function<Result<std::vector<IpAddress>>(const std::string& host)>;

// Runs each look-up on a thread of its own, because the machine's cannot be interrupted: when the
// caller gives up, the thread is left to finish by itself, and holds its slot until then. So a
// tenant whose names hang loses its own share of `slots`, whatever timeout its requests have.
[[nodiscard]] Resolver threaded_resolver(BlockingLookup look_up,
                                         std::shared_ptr<TenantSlots> slots);

// At most so many look-ups of the machine's resolver at a time, in all HTTP clients together.
inline constexpr int kMostLookups = 64;

// The machine's resolver (getaddrinfo).
[[nodiscard]] Resolver system_resolver();

// Fixed answers, for tests and `jobforge net check --resolve`; "*" answers for every name that has
// no entry of its own. Other names fail.
[[nodiscard]] Resolver fixed_resolver(std::map<std::string, std::vector<IpAddress>> answers);

}  // namespace jobforge::connect
