// Wake-ups through RabbitMQ: an enqueue sends a message, and workers look at once.
//
// An accelerator, never a dependency: jobs live in the database and polling finds every one of
// them. So messages are sent at most once, are not kept by the broker, and are dropped (and
// counted) rather than waited for. A broker that is down, slow, hung or full gives one warning,
// then silence until one line says that it is back; meanwhile reconnects are tried from 100 ms to
// 30 s apart.
//
// What comes in is not trusted: only {"job_id":"<uuid>"} wakes, its content is not used, and
// anything else is ignored and counted. on_wake is called at most once per wake_interval however
// much comes.
//
// Two connections, each with a thread: an alarm in the broker stops it reading from a connection
// that publishes, and must not stop deliveries too. See docs/wakeups.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <jobforge/error.h>
#include <jobforge/uuid.h>

#include "connect/amqp/amqp_outage.h"

namespace jobforge::connect {

struct AmqpTriggerOptions {
    std::string url = "amqp://guest:guest@localhost:5672/";  // see AmqpUrl
    std::string exchange = "bpc";  // used as it is; made as a durable topic if missing
    std::string routing_key = "jobs.trigger";
    int heartbeat_seconds = 10;  // 0..3600; 0: none. Gone after two silent ones

    // Called on the consumer's thread; must not throw and should only set a flag: while it runs, no
    // message is read. Empty: no consumer, for programs that only enqueue.
    std::function<void()> on_wake;
    // Called on either thread, one call at a time; must not throw or call the trigger. May be
    // empty.
    AmqpLog log;

    std::chrono::milliseconds wake_interval{10};       // at least this between two calls of on_wake
    std::chrono::milliseconds rebind_interval{30000};  // a deleted exchange is noticed after this
    std::size_t queue_capacity = 1024;                 // wake-ups that may wait to be sent
    std::chrono::milliseconds connect_timeout{5000};   // for TCP, and again for the handshake
    std::chrono::milliseconds request_timeout{5000};   // for each request to the broker
    std::chrono::milliseconds reconnect_min{100};
    std::chrono::milliseconds reconnect_max{30000};
    std::chrono::milliseconds stop_grace{500};  // for an orderly close in stop(), before it cuts
};

struct AmqpTriggerStats {
    std::uint64_t received = 0;   // messages that came, good and bad
    std::uint64_t ignored = 0;    // of those, no wake-ups
    std::uint64_t wakes = 0;      // calls of on_wake
    std::uint64_t published = 0;  // sent into the connection
    std::uint64_t dropped = 0;    // given to publish() and not sent
    std::uint64_t waiting = 0;    // in the queue now
    // Tries to connect that failed, and connections that were lost.
    std::uint64_t failures = 0;
    bool connected = false;  // as ready()
    bool blocked = false;    // the broker told us to stop publishing
};

// Threads: all methods from any thread.
class AmqpTrigger final {
public:
    // Checks the options and starts the threads; does not wait for a connection. VALIDATION_ERROR
    // for a bad URL (its password is not repeated), exchange, routing key or number.
    [[nodiscard]] static Result<std::unique_ptr<AmqpTrigger>> start(
        const AmqpTriggerOptions& options);

    AmqpTrigger(const AmqpTrigger&) = delete;
    AmqpTrigger& operator=(const AmqpTrigger&) = delete;
    ~AmqpTrigger();  // stop()

    // Tells the workers about a job: call it after the commit. Neither waits nor throws; dropped
    // when the queue is full, the broker is away, or after stop().
    void publish(const Uuid& job_id) noexcept;
    // Waits until all wake-ups are sent or dropped; false if `limit` passes first. For short
    // programs.
    [[nodiscard]] bool flush(std::chrono::milliseconds limit);

    // Whether all connections stand (a blocked one does).
    [[nodiscard]] bool ready() const noexcept;
    [[nodiscard]] AmqpTriggerStats stats() const;

    // Sends what is queued if the broker takes it at once, closes in order and ends the threads:
    // within stop_grace and a little. Afterwards on_wake and log are not called any more. May be
    // repeated.
    void stop();

private:
    struct Parts;
    explicit AmqpTrigger(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

}  // namespace jobforge::connect
