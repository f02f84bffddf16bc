// Names to addresses, bounded in time.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include <jobforge/error.h>

#include "connect/ip_address.h"

namespace jobforge::connect {

using Deadline = std::chrono::steady_clock::time_point;

// All addresses of a host name, never empty. Fails with CONNECTION_FAILED (retryable) when the name
// has none, TIMEOUT after the deadline or once a stop is requested. Called from many threads.
using Resolver = std::function<Result<std::vector<IpAddress>>(const std::string& host, Deadline,
                                                              std::stop_token)>;

// The machine's resolver (getaddrinfo), which cannot be interrupted: it runs on a thread of its
// own that is left to finish by itself when the caller gives up. At most 64 such threads exist;
// beyond, names fail at once, so that a dead name server cannot eat the machine.
[[nodiscard]] Resolver system_resolver();

// Fixed answers, for tests and `jobforge net check --resolve`; "*" answers for every name that has
// no entry of its own. Other names fail.
[[nodiscard]] Resolver fixed_resolver(std::map<std::string, std::vector<IpAddress>> answers);

}  // namespace jobforge::connect
