// A thread's own connection that comes back by itself, and the worker's view of the database.
//
// A statement that gets no answer is given up (pg/await.h), two seconds after the signal's stop()
// in any case: a hung server must not keep a worker from ending. Waits between attempts are bounded
// and jittered (50 ms .. 1 s), and the first session that connects again ends those of the others:
// a worker claims only when three of them are back. An outage is one warning, however many sessions
// see it and however often they try; the end of it is one line too.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>

#include <jobforge/log.h>

#include "engine/worker/signal.h"
#include "pg/connection.h"

namespace jobforge::engine {

// Whether what a thread does on its session takes too long: the session is there, but it cannot do
// its work. Threads: begin() and end() the owner's, overdue() any.
class InFlight final {
public:
    void begin() noexcept { overdue_.store(Clock::now() + kTooLong); }
    void end() noexcept { overdue_.store(Clock::time_point::max()); }
    [[nodiscard]] bool overdue() const noexcept { return Clock::now() >= overdue_.load(); }

private:
    static constexpr std::chrono::seconds kTooLong{5};
    std::atomic<Clock::time_point> overdue_{Clock::time_point::max()};
};

// Which sessions are without a connection. Threads: any.
class DbHealth final {
public:
    explicit DbHealth(Logger log) : log_(std::move(log)) {}
    void down(const std::string& session, const Error& error);
    void up(const std::string& session);
    [[nodiscard]] bool healthy() const;
    // Waits for `time`, or until a session that was down is up again and reconnects() is no longer
    // `seen`. Only for the thread of this signal, which is known from enter() to leave().
    void wait_for_another(Signal& signal, std::chrono::nanoseconds time, std::uint64_t seen) const;
    void enter(Signal& signal);
    void leave(Signal& signal);
    // A session found that its server hangs or is read-only: the others should not wait to find
    // out. `seen` is what servers_gone() was when it connected; only the first one to find out
    // counts.
    void server_gone(std::uint64_t seen);
    // Called by server_gone(). Set before the first session.
    void on_server_gone(std::function<void()> callback) { on_server_gone_ = std::move(callback); }
    [[nodiscard]] std::uint64_t servers_gone() const noexcept { return servers_gone_.load(); }
    [[nodiscard]] std::uint64_t reconnects() const noexcept { return reconnects_.load(); }
    [[nodiscard]] const Logger& log() const noexcept { return log_; }

private:
    const Logger log_;
    mutable std::mutex mutex_;
    std::set<std::string> down_;
    std::set<Signal*> signals_;
    std::atomic<std::uint64_t> reconnects_{0};
    std::atomic<std::uint64_t> servers_gone_{0};
    std::function<void()> on_server_gone_ = [] {};
};

// Threads: one. The health and the signal must outlive it; stop() of the signal ends its waits.
class DbSession final {
public:
    DbSession(std::string name, pg::ConnectOptions options, DbHealth& health, Signal& signal);
    ~DbSession();

    // The connection, made now if there is none. nullptr: it could not be made this time (the wait
    // before the next try is already over), or the signal is stopped.
    [[nodiscard]] pg::Connection* connection();
    // A statement failed: logs it, drops a lost connection, waits before the next try.
    void failed(const Error& error);
    // A statement worked: the next wait is short again.
    void succeeded() noexcept { failures_ = 0; }
    // Whether it has a connection. Threads: any.
    [[nodiscard]] bool connected() const noexcept {
        return connected_.load() && seen_gone_.load() == health_.servers_gone();
    }
    // Forgets a connection that the server has closed while nothing was asked of it.
    void drop_if_closed();
    // Closes the connection, so that its place on the server is free for another session.
    void disconnect();

private:
    [[nodiscard]] pg::ConnectOptions bounded(pg::ConnectOptions options) const;
    void wait_for_server();
    [[nodiscard]] std::chrono::milliseconds next_delay();

    const std::string name_;
    const pg::ConnectOptions options_;
    DbHealth& health_;
    Signal& signal_;
    std::optional<pg::Connection> connection_;
    std::atomic<bool> connected_{false};
    std::atomic<std::uint64_t> seen_gone_{0};  // of the health, when it connected
    std::uint64_t seen_reconnects_ = 0;        // of the health, when it last tried to connect
    int failures_ = 0;
    std::minstd_rand random_;
};

}  // namespace jobforge::engine
