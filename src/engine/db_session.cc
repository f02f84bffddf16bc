#include "engine/db_session.h"

#include <algorithm>

#include "core/backoff.h"

namespace jobforge::engine {

void DbHealth::down(const std::string& session, const Error& error) {
    bool first = false;
    {
        const std::lock_guard guard(mutex_);
        first = down_.empty();
        down_.insert(session);
    }
    if (first) {
        log_.warn("the database cannot be reached; trying again until it can",
                  {{"session", session}, {"error", error.describe()}});
    }
}

void DbHealth::up(const std::string& session) {
    bool last = false;
    {
        const std::lock_guard guard(mutex_);
        if (down_.erase(session) == 0) {
            return;
        }
        reconnects_.fetch_add(1);
        last = down_.empty();
    }
    if (last) {
        log_.info("the database is back", {{"session", session}});
    }
}

bool DbHealth::healthy() const {
    const std::lock_guard guard(mutex_);
    return down_.empty();
}

DbSession::DbSession(std::string name, pg::ConnectOptions options, DbHealth& health, Signal& signal)
    : name_(std::move(name)),
      options_(std::move(options)),
      health_(health),
      signal_(signal),
      random_(std::random_device{}()) {}

DbSession::~DbSession() {
    // A session that ends during an outage must not keep the health down for ever.
    if (failures_ > 0) {
        health_.up(name_);
    }
}

pg::Connection* DbSession::connection() {
    if (signal_.stopped()) {
        return nullptr;
    }
    if (connection_) {
        return &*connection_;
    }
    auto connected = pg::Connection::connect(options_);
    if (!connected) {
        health_.down(name_, connected.error());
        pause();
        return nullptr;
    }
    connection_.emplace(std::move(*connected));
    health_.up(name_);
    return &*connection_;
}

void DbSession::failed(const Error& error) {
    if (error.connection_lost) {
        connection_.reset();
        health_.down(name_, error);
    } else {
        health_.log().warn("a statement failed", {{"session", name_}, {"error", error.describe()}});
    }
    pause();
}

void DbSession::pause() {
    ++failures_;
    const double random = static_cast<double>(random_() - std::minstd_rand::min()) /
                          static_cast<double>(std::minstd_rand::max());
    signal_.pause(std::chrono::milliseconds(reconnect_delay_ms(std::min(failures_, 30), random)));
}

}  // namespace jobforge::engine
