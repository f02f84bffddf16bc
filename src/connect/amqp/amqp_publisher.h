// Sends wake-ups from a bounded queue, so that the sender never waits for a broker.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include <jobforge/uuid.h>

#include "connect/amqp/amqp_session.h"

namespace jobforge::connect {

class AmqpPublisher final : public AmqpDuty {
public:
    struct Counts {
        std::uint64_t published = 0;  // given to the broker's connection
        std::uint64_t dropped = 0;    // queue full, broker away, or connection lost with it
        std::uint64_t waiting = 0;    // in the queue now
    };

    // `outage` is told when the broker blocks us, as part number `part`; it outlives the publisher.
    AmqpPublisher(std::string exchange, std::string routing_key, std::size_t capacity,
                  AmqpOutage& outage, std::size_t part);

    // Queues a wake-up; true if the session should be woken to send it. Any thread.
    [[nodiscard]] bool put(const Uuid& job_id);
    // True once nothing is waiting or being sent; false after `limit`. Any thread.
    [[nodiscard]] bool flush(std::chrono::milliseconds limit);
    [[nodiscard]] Counts counts() const;
    [[nodiscard]] bool blocked() const noexcept { return blocked_; }

    [[nodiscard]] Status prepare(AmqpConnection& connection) override;
    void connected() override;
    [[nodiscard]] Status step(AmqpConnection& connection) override;
    void disconnected() override;
    void finish(AmqpConnection& connection) override;

private:
    // A wake-up is worth nothing a minute later: while the broker is away none are kept.
    enum class State { starting, connected, away };

    [[nodiscard]] bool something_to_send();
    [[nodiscard]] Status send_one(AmqpConnection& connection);
    void watch_blocking(const AmqpEvent& event);

    std::string exchange_;
    std::string routing_key_;
    std::size_t capacity_;
    AmqpOutage& outage_;
    std::size_t part_;
    std::atomic<bool> blocked_ = false;

    mutable std::mutex mutex_;
    std::condition_variable idle_;
    State state_ = State::starting;
    std::deque<Uuid> queue_;
    bool sending_ = false;
    std::uint64_t published_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace jobforge::connect
