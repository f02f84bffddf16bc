// Keeps one connection to the broker alive on a thread of its own: connect, serve, and after every
// fault wait a little longer and try again, until stopped.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include <jobforge/error.h>

#include "connect/amqp/amqp_connection.h"
#include "connect/amqp/amqp_outage.h"

namespace jobforge::connect {

// How long to wait after `failures` (from 1) failed tries in a row: doubles from `shortest` to
// `longest`, and of that between half and all, by `random` in [0, 1): a fleet whose broker restarts
// must not come back as one wave. Pure.
[[nodiscard]] std::chrono::milliseconds amqp_reconnect_delay(int failures,
                                                             std::chrono::milliseconds shortest,
                                                             std::chrono::milliseconds longest,
                                                             double random) noexcept;

struct AmqpSessionOptions {
    AmqpConnectionOptions connection;
    std::chrono::milliseconds reconnect_min{100};
    std::chrono::milliseconds reconnect_max{30000};
    AmqpOutage* outage = nullptr;  // outlives the session
    std::size_t part = 0;          // our number in the outage
};

// What a session does with its connection. All calls come from the session's thread.
class AmqpDuty {
public:
    virtual ~AmqpDuty() = default;
    // After each connect: declare what is needed.
    [[nodiscard]] virtual Status prepare(AmqpConnection& connection) = 0;
    // Everything is set up: step() follows.
    virtual void connected() = 0;
    // A bounded piece of work, again and again. An error ends the connection.
    [[nodiscard]] virtual Status step(AmqpConnection& connection) = 0;
    // A try to connect failed, or the connection is gone.
    virtual void disconnected() = 0;
    // Stopping while connected: last words.
    virtual void finish(AmqpConnection& connection) = 0;
};

class AmqpSession final {
public:
    // Starts the thread. `duty` outlives the session.
    AmqpSession(AmqpSessionOptions options, AmqpDuty& duty);
    AmqpSession(const AmqpSession&) = delete;
    AmqpSession& operator=(const AmqpSession&) = delete;
    ~AmqpSession();

    // Asks the thread to end; it closes in order if it can do so at once.
    void request_stop() noexcept;
    // Waits for it until `deadline`, then cuts the connection and waits for the rest, which is
    // short: nothing the thread does outlives a cut connection.
    void join(std::chrono::steady_clock::time_point deadline);

    [[nodiscard]] bool connected() const noexcept { return connected_; }
    // Tries to connect that failed, and connections that were lost.
    [[nodiscard]] std::uint64_t failures() const noexcept { return failures_; }
    void wake() noexcept { connection_.wake(); }

private:
    void run();
    [[nodiscard]] Status serve();
    [[nodiscard]] Status connect();
    void pause(int failures);

    AmqpSessionOptions options_;
    AmqpDuty& duty_;
    AmqpConnection connection_;
    std::atomic<bool> stopping_ = false;
    std::atomic<bool> connected_ = false;
    std::atomic<std::uint64_t> failures_ = 0;
    std::chrono::steady_clock::time_point since_;  // of this connection; the thread's own
    std::mutex mutex_;
    std::condition_variable ended_signal_;
    bool ended_ = false;
    std::thread thread_;
};

}  // namespace jobforge::connect
