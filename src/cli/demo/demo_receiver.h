// A receiver of webhooks for the demonstration: a server on loopback that checks each signature as
// docs/formats.md tells receivers to, and counts.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <jobforge/error.h>

#include "cli/demo/demo_server.h"

namespace jobforge::cli {

class DemoReceiver final {
public:
    // Listens on a free port. INTERNAL_ERROR with the system's reason.
    [[nodiscard]] static Result<std::unique_ptr<DemoReceiver>> start();

    [[nodiscard]] std::string url() const { return server_->url("/webhooks"); }
    // Signatures are checked from here on.
    void expect_secret(std::string secret);
    // Types of the events that came with a good signature, in order.
    [[nodiscard]] std::vector<std::string> verified() const;
    [[nodiscard]] int refused() const noexcept { return refused_.load(); }

private:
    DemoReceiver() = default;
    [[nodiscard]] bool accept_one(const std::string& request);

    mutable std::mutex mutex_;
    std::string secret_;                 // under mutex_
    std::vector<std::string> verified_;  // under mutex_
    std::atomic<int> refused_{0};
    std::unique_ptr<DemoServer> server_;  // last: its thread uses the others
};

}  // namespace jobforge::cli
