// A TCP connection that can be given up at any moment.
#pragma once

#include <chrono>
#include <string>

#include <jobforge/error.h>

namespace jobforge::connect {

// A connected, non-blocking socket without delay. QUEUE_UNAVAILABLE if no address of the host
// answers within `limit` together, or as soon as `stop_fd` is readable.
// The look-up of the name itself cannot be interrupted.
[[nodiscard]] Result<int> connect_tcp(const std::string& host, int port,
                                      std::chrono::milliseconds limit, int stop_fd);

}  // namespace jobforge::connect
