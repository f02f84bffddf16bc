// A receiver of webhooks for the demonstration: a server on loopback that checks each signature as
// docs/webhooks.md tells receivers to, and counts.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <jobforge/error.h>

namespace jobforge::cli {

class DemoReceiver final {
public:
    // Listens on a free port. INTERNAL_ERROR with the system's reason.
    [[nodiscard]] static Result<std::unique_ptr<DemoReceiver>> start();
    DemoReceiver(const DemoReceiver&) = delete;
    DemoReceiver& operator=(const DemoReceiver&) = delete;
    ~DemoReceiver();

    [[nodiscard]] std::string url() const;
    // Signatures are checked from here on.
    void expect_secret(std::string secret);
    // Types of the events that came with a good signature, in order.
    [[nodiscard]] std::vector<std::string> verified() const;
    [[nodiscard]] int refused() const noexcept { return refused_.load(); }

private:
    DemoReceiver(int listener, int port);
    void serve(const std::stop_token& stop);
    [[nodiscard]] bool accept_one(const std::string& request);

    const int listener_;
    const int port_;
    mutable std::mutex mutex_;
    std::string secret_;
    std::vector<std::string> verified_;
    std::atomic<int> refused_{0};
    std::jthread thread_;
};

}  // namespace jobforge::cli
