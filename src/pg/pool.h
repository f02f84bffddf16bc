// A bounded pool of connections, opened when first needed.
//
// Threads: all methods may be called from any thread. Ownership: a PooledConnection is one
// borrowed connection and gives it back on destruction; it may outlive the Pool, then it is closed
// instead. What comes back in a transaction is rolled back; what comes back broken is dropped.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include <jobforge/error.h>

#include "pg/connection.h"

namespace jobforge::pg {

struct PoolOptions {
    ConnectOptions connect;
    int max_size = 10;                                // 1..1000; connections open at a time
    std::chrono::milliseconds acquire_timeout{5000};  // wait for a free one; 0: do not wait
};

class PooledConnection;

class Pool final {
public:
    explicit Pool(PoolOptions options);
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool();  // close()

    // An idle connection that is not known to be dead, or a new one. TIMEOUT if all are in use for
    // acquire_timeout; the connect error (DB_UNAVAILABLE, UNAUTHORIZED, ...) at once if a new one
    // cannot be opened; DB_UNAVAILABLE, not retryable, after close().
    [[nodiscard]] Result<PooledConnection> acquire();

    // One that is idle right now, for a thread that must not wait. Nothing if there is none, if
    // a caller waits in acquire() (it was first), or if then fewer than `leave` could be acquired.
    [[nodiscard]] std::optional<PooledConnection> acquire_idle(int leave = 0);

    // Closes the idle connections: their server is gone, and they would be found to be lost one by
    // one.
    void drop_idle();

    // Closes idle connections and refuses further ones; waiting callers return at once.
    void close();

    [[nodiscard]] int in_use() const;  // gauge: borrowed or being opened right now
    [[nodiscard]] int idle() const;
    [[nodiscard]] int waiting() const;  // callers in acquire()

private:
    friend class PooledConnection;
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

// Use like a pointer to a Connection. Move only; one thread at a time.
class PooledConnection final {
public:
    PooledConnection(PooledConnection&&) noexcept;
    PooledConnection& operator=(PooledConnection&&) noexcept;
    ~PooledConnection();

    [[nodiscard]] Connection& operator*() noexcept { return connection_; }
    [[nodiscard]] Connection* operator->() noexcept { return &connection_; }
    [[nodiscard]] const Connection* operator->() const noexcept { return &connection_; }

private:
    friend class Pool;
    PooledConnection(std::shared_ptr<Pool::Shared> shared, Connection connection);
    void give_back() noexcept;

    std::shared_ptr<Pool::Shared> shared_;  // empty: moved from
    Connection connection_;
};

}  // namespace jobforge::pg
