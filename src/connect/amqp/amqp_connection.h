// One connection to RabbitMQ, so that nothing else sees librabbitmq.
//
// Every call is bounded in time: connecting, the handshake and each request have a timeout, publish
// waits for room in the socket no longer than one, and interrupt() ends whatever is under way from
// another thread. Only the look-up of the host's name is left to the resolver's own limits.
//
// Threads: one owner calls everything; wake() and interrupt() may be called from any thread.
// Errors are QUEUE_UNAVAILABLE: the connection is then of no more use, close() and open() again.
// Their text may quote the broker (cut and cleaned) and never holds the password.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>

#include <jobforge/error.h>

#include "base/text/redact.h"
#include "connect/amqp/amqp_url.h"

struct amqp_connection_state_t_;

namespace jobforge::connect {

struct AmqpConnectionOptions {
    AmqpUrl url;
    std::string name;            // shown by the broker's list of connections
    int heartbeat_seconds = 10;  // a silent broker is gone after two of them; 0: never
    std::chrono::milliseconds connect_timeout{5000};  // for TCP, and again for the handshake
    std::chrono::milliseconds request_timeout{5000};
};

// What receive() found.
struct AmqpNothing {};
struct AmqpMessage {
    std::string body;        // empty if oversized
    bool oversized = false;  // longer than a wake-up can be: its bytes were thrown away
};
struct AmqpBlocked {
    std::string reason;
};
struct AmqpUnblocked {};
using AmqpEvent = std::variant<AmqpNothing, AmqpMessage, AmqpBlocked, AmqpUnblocked>;

class AmqpConnection final {
public:
    explicit AmqpConnection(AmqpConnectionOptions options);
    AmqpConnection(const AmqpConnection&) = delete;
    AmqpConnection& operator=(const AmqpConnection&) = delete;
    ~AmqpConnection();

    // Connects, logs in and opens a channel. Precondition: not open.
    [[nodiscard]] Status open();
    // Closes in order if the broker answers (at most a second), else at once. Harmless if not
    // open.
    void close() noexcept;

    // Takes the exchange as it is; if there is none, makes a durable topic exchange.
    [[nodiscard]] Status use_exchange(const std::string& exchange);
    // Starts deliveries to receive(): a nameless queue of our own, gone when we are, without
    // acknowledgements. At most once is enough, polling finds what gets lost.
    [[nodiscard]] Status consume(const std::string& exchange, const std::string& routing_key);
    // Binds the queue of consume() once more: harmless, and an error if the exchange is gone.
    [[nodiscard]] Status bind_again(const std::string& exchange, const std::string& routing_key);
    // A transient application/json message. An ok only says that the kernel has it.
    [[nodiscard]] Status publish(const std::string& exchange, const std::string& routing_key,
                                 const std::string& body);
    // Waits until something comes, wake() is called or `limit` (at most a second counts, so that
    // heartbeats go out) has passed.
    [[nodiscard]] Result<AmqpEvent> receive(std::chrono::milliseconds limit);
    // The broker told us to stop publishing and has not taken it back.
    [[nodiscard]] bool blocked() const noexcept { return blocked_; }

    // Lets a waiting receive() return.
    void wake() noexcept;
    // Ends all that is under way and all that follows, for good.
    void interrupt() noexcept;
    [[nodiscard]] bool interrupted() const noexcept { return interrupted_; }
    // Sleeps until `limit`, wake() or interrupt(); works without a connection.
    void wait(std::chrono::milliseconds limit) noexcept;

private:
    [[nodiscard]] Status log_in();
    [[nodiscard]] Status check_reply(std::string_view what);
    [[nodiscard]] Error failed(std::string_view what, std::string_view why) const;
    [[nodiscard]] bool wait_readable(std::chrono::milliseconds limit) noexcept;
    [[nodiscard]] Result<AmqpEvent> on_method(const void* method);
    [[nodiscard]] AmqpEvent message_if_complete();

    AmqpConnectionOptions options_;
    Redactor redactor_;
    amqp_connection_state_t_* state_ = nullptr;
    bool blocked_ = false;
    bool usable_ = false;  // no error yet: the broker would see an orderly close

    std::string queue_;  // the broker's name for the queue of consume()

    // The delivery being put together.
    bool in_message_ = false;
    std::uint64_t body_left_ = 0;
    AmqpMessage message_;

    int wake_fd_ = -1;  // readable after wake(), until the next wait
    int stop_fd_ = -1;  // readable for good after interrupt()
    std::atomic<bool> interrupted_ = false;
    std::mutex socket_mutex_;  // guards socket_ against a close() during interrupt()
    int socket_ = -1;
};

}  // namespace jobforge::connect
