#include "pg/pool.h"
#include "statements/session.h"

#include <poll.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <libpq-fe.h>

namespace jobforge::pg {

struct Pool::Shared {
    PoolOptions options;
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::vector<Connection> idle;  // the last one back goes out first: it is the warmest
    int in_use = 0;
    int waiting = 0;  // in acquire()
    bool closed = false;

    // The warmest idle connection that is alive; others go to `dead`, to be closed without the
    // lock. Under the lock.
    std::optional<Connection> take_idle(std::vector<Connection>& dead);

    void release_slot() {
        {
            const std::lock_guard guard(mutex);
            --in_use;
        }
        changed.notify_one();
    }
};

namespace {

// An idle session sends nothing: if its socket is readable, the server has ended the session or
// closed it. Seen without a round trip. (A reload of the server's configuration may also be
// announced that way; a new connection is a small price for that.)
bool looks_alive(Connection& connection) {
    if (!connection.alive()) {
        return false;
    }
    pollfd entry{PQsocket(connection.native()), POLLIN, 0};
    return ::poll(&entry, 1, 0) == 0;
}

}  // namespace

std::optional<Connection> Pool::Shared::take_idle(std::vector<Connection>& dead) {
    while (!idle.empty()) {
        Connection candidate = std::move(idle.back());
        idle.pop_back();
        if (looks_alive(candidate)) {
            return candidate;
        }
        dead.push_back(std::move(candidate));
    }
    return std::nullopt;
}

Pool::Pool(PoolOptions options) : shared_(std::make_shared<Shared>()) {
    shared_->options = std::move(options);
}

Pool::~Pool() {
    close();
}

// Waits for a slot, then takes an idle connection or opens one outside the lock.
Result<PooledConnection> Pool::acquire() {
    Shared& shared = *shared_;
    std::vector<Connection> dead;  // closed after the lock is gone
    std::optional<Connection> found;
    {
        std::unique_lock lock(shared.mutex);
        ++shared.waiting;
        const bool free = shared.changed.wait_for(lock, shared.options.acquire_timeout, [&] {
            return shared.closed || shared.in_use < shared.options.max_size;
        });
        --shared.waiting;
        if (shared.closed) {
            Error error = Error::of(ErrorCode::DB_UNAVAILABLE, "the connection pool is closed");
            error.retryable = false;
            return error;
        }
        if (!free) {
            return Error::of(
                ErrorCode::TIMEOUT,
                fmt::format("all {} connections were in use for {} ms", shared.options.max_size,
                            shared.options.acquire_timeout.count()));
        }
        ++shared.in_use;
        found = shared.take_idle(dead);
    }
    if (found) {
        return PooledConnection(shared_, *std::move(found));
    }
    auto opened = Connection::connect(shared.options.connect);
    if (!opened.ok()) {
        shared.release_slot();
        return opened.error();
    }
    return PooledConnection(shared_, *std::move(opened));
}

std::optional<PooledConnection> Pool::acquire_idle(int leave) {
    std::vector<Connection> dead;  // closed after the lock is gone
    std::optional<Connection> found;
    {
        const std::lock_guard guard(shared_->mutex);
        if (shared_->waiting == 0 && shared_->in_use + leave < shared_->options.max_size) {
            found = shared_->take_idle(dead);
        }
        shared_->in_use += found ? 1 : 0;
    }
    if (!found) {
        return std::nullopt;
    }
    return PooledConnection(shared_, *std::move(found));
}

void Pool::drop_idle() {
    std::vector<Connection> closing;
    const std::lock_guard guard(shared_->mutex);
    closing.swap(shared_->idle);
}

void Pool::close() {
    std::vector<Connection> closing;
    {
        const std::lock_guard guard(shared_->mutex);
        shared_->closed = true;
        closing.swap(shared_->idle);
    }
    shared_->changed.notify_all();
}

int Pool::in_use() const {
    const std::lock_guard guard(shared_->mutex);
    return shared_->in_use;
}

int Pool::idle() const {
    const std::lock_guard guard(shared_->mutex);
    return static_cast<int>(shared_->idle.size());
}

int Pool::waiting() const {
    const std::lock_guard guard(shared_->mutex);
    return shared_->waiting;
}

PooledConnection::PooledConnection(std::shared_ptr<Pool::Shared> shared, Connection connection)
    : shared_(std::move(shared)), connection_(std::move(connection)) {}

PooledConnection::PooledConnection(PooledConnection&&) noexcept = default;

PooledConnection& PooledConnection::operator=(PooledConnection&& other) noexcept {
    if (this != &other) {
        give_back();
        shared_ = std::move(other.shared_);
        connection_ = std::move(other.connection_);
    }
    return *this;
}

PooledConnection::~PooledConnection() {
    give_back();
}

void PooledConnection::give_back() noexcept {
    const std::shared_ptr<Pool::Shared> shared = std::move(shared_);
    shared_.reset();
    if (!shared) {
        return;
    }
    if (connection_.alive()) {
        connection_.await_ping();
        PQsetnonblocking(connection_.native(), 1);  // code that speaks libpq may have changed it
    }
    if (connection_.alive() && connection_.in_transaction()) {
        (void)connection_.script(statements::session::kRollback);
    }
    const bool reusable =
        connection_.alive() && PQtransactionStatus(connection_.native()) == PQTRANS_IDLE;
    {
        Connection returned = std::move(connection_);  // closed here, while its slot still counts
        const std::lock_guard guard(shared->mutex);
        if (reusable && !shared->closed) {
            shared->idle.push_back(std::move(returned));
        }
    }
    shared->release_slot();
}

}  // namespace jobforge::pg
