// A witness of the log: a server outside that is given each new head and keeps it.
//
// The head is POSTed as it is (text/plain, the signed note; its first line names the log). Any
// answer of 2xx means that it was taken. Best effort on purpose: a witness that is down must not
// stop the log, and the next head covers all that the one before covered.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include <jobforge/error.h>

#include "connect/http/transport.h"

namespace jobforge::services {

using LogWitness = std::function<Status(const std::string& head, const std::stop_token& stop)>;

// The function may be called from any thread; it blocks for `timeout` at most.
[[nodiscard]] LogWitness log_witness(std::shared_ptr<connect::Transport> http, std::string url,
                                     std::chrono::milliseconds timeout);

}  // namespace jobforge::services
