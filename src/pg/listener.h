// LISTEN on a connection of its own, for as long as the object lives.
//
// On every connect and reconnect the order is: LISTEN, then on_connected(), then notifications.
// A notification sent while the connection was down is lost for ever, so on_connected() must take
// a full look at what the notifications are about; because LISTEN came first, nothing falls between
// the look and the first notification. The connection never sits in a transaction (that would fill
// the server's notify queue). It must be direct: a pooler in transaction mode drops LISTEN.
//
// Threads: one of its own, which calls all callbacks; they must not throw, block for long, or
// destroy the Listener. Failures are retried for ever with pauses from min_pause, doubling, to
// max_pause, each with up to 50 % jitter so that many workers do not return in one wave.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <jobforge/error.h>

#include "pg/connection.h"

namespace jobforge::pg {

struct ListenerOptions {
    ConnectOptions connect;
    std::vector<std::string> channels;
    std::chrono::milliseconds min_pause{50};
    std::chrono::milliseconds max_pause{1000};
    std::function<void()> on_connected;
    std::function<void(const Notification&)> on_notification;
    std::function<void(const Error&)> on_disconnected;  // once per lost or failed connection
};

class Listener final {
public:
    // Returns at once; the first connection is made by the thread.
    explicit Listener(ListenerOptions options);
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    ~Listener();  // stop()

    // Ends the thread, promptly also while it waits for a server. No callback runs after it
    // returned.
    void stop();

    [[nodiscard]] bool connected() const noexcept;  // LISTEN is in effect, as far as we know

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace jobforge::pg
