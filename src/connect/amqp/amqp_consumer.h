// Turns messages of the exchange into calls of on_wake().
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "connect/amqp/amqp_session.h"

namespace jobforge::connect {

// A burst gives a call at once and one more for the rest per interval: however fast a sender floods
// the exchange, the database is asked at most once per interval.
class AmqpConsumer final : public AmqpDuty {
public:
    struct Counts {
        std::uint64_t received = 0;  // messages, good and bad
        std::uint64_t ignored = 0;   // of those, not {"job_id":"<uuid>"}
        std::uint64_t wakes = 0;     // calls of on_wake
    };

    AmqpConsumer(std::string exchange, std::string routing_key,
                 std::chrono::milliseconds wake_interval, std::chrono::milliseconds rebind_interval,
                 std::function<void()> on_wake);

    [[nodiscard]] Counts counts() const noexcept;

    [[nodiscard]] Status prepare(AmqpConnection& connection) override;
    void connected() override;
    [[nodiscard]] Status step(AmqpConnection& connection) override;
    void disconnected() override {}
    void finish(AmqpConnection&) override {}

private:
    void take(const AmqpMessage& message);
    void wake_if_due();

    std::string exchange_;
    std::string routing_key_;
    std::chrono::milliseconds wake_interval_;
    std::chrono::milliseconds rebind_interval_;
    std::function<void()> on_wake_;
    bool reconnected_ = false;  // not the first connection
    bool pending_ = false;      // a wake-up waits for its interval
    std::chrono::steady_clock::time_point next_wake_;
    std::chrono::steady_clock::time_point next_rebind_;
    std::atomic<std::uint64_t> received_ = 0;
    std::atomic<std::uint64_t> ignored_ = 0;
    std::atomic<std::uint64_t> wakes_ = 0;
};

}  // namespace jobforge::connect
