// A thread's own connection that comes back by itself, and the worker's view of the database.
//
// Waits between attempts are bounded and jittered (50 ms .. 5 s). An outage is one warning, however
// many sessions see it and however often they try; the end of it is one line too.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>

#include <jobforge/log.h>

#include "engine/signal.h"
#include "pg/connection.h"

namespace jobforge::engine {

// Which sessions are without a connection. Threads: any.
class DbHealth final {
public:
    explicit DbHealth(Logger log) : log_(std::move(log)) {}
    void down(const std::string& session, const Error& error);
    void up(const std::string& session);
    [[nodiscard]] bool healthy() const;
    [[nodiscard]] std::uint64_t reconnects() const noexcept { return reconnects_.load(); }
    [[nodiscard]] const Logger& log() const noexcept { return log_; }

private:
    const Logger log_;
    mutable std::mutex mutex_;
    std::set<std::string> down_;
    std::atomic<std::uint64_t> reconnects_{0};
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

private:
    void pause();

    const std::string name_;
    const pg::ConnectOptions options_;
    DbHealth& health_;
    Signal& signal_;
    std::optional<pg::Connection> connection_;
    int failures_ = 0;
    std::minstd_rand random_;
};

}  // namespace jobforge::engine
