#include "engine/worker/db_session.h"

#include <algorithm>

#include "base/backoff.h"
#include "pg/sign_of_life.h"

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
        for (Signal* signal : signals_) {
            signal->look_again();
        }
    }
    if (last) {
        log_.info("the database is back", {{"session", session}});
    }
}

void DbHealth::wait_for_another(Signal& signal, std::chrono::nanoseconds time,
                                std::uint64_t seen) const {
    signal.pause_unless(time, [this, seen] { return reconnects_.load() != seen; });
}

void DbHealth::enter(Signal& signal) {
    const std::lock_guard guard(mutex_);
    signals_.insert(&signal);
}

void DbHealth::leave(Signal& signal) {
    const std::lock_guard guard(mutex_);
    signals_.erase(&signal);
}

void DbHealth::server_gone(std::uint64_t seen) {
    if (servers_gone_.compare_exchange_strong(seen, seen + 1)) {
        on_server_gone_();
    }
}

bool DbHealth::healthy() const {
    const std::lock_guard guard(mutex_);
    return down_.empty();
}

namespace {

using namespace std::chrono_literals;

// What an answer may take after the session was told to stop.
constexpr auto kStopGrace = 1s;
constexpr auto kAnswerTimeout = 4s;
// No statement of the engine takes this long unless its server process is stuck.
constexpr auto kLongestAnswer = 60s;

// The net below SKIP LOCKED: what spans all tenants waits for no transaction of one. Behind a
// pooler, whose sessions are shared, nothing is set.
Status bound_lock_waits(pg::Connection& connection) {
    pg::Params params;
    params.int4(connection.backend_pid());
    auto rows = connection.exec({"bound_lock_waits",
                                 "select pg_catalog.set_config('lock_timeout', '2000', false) "
                                 "where pg_catalog.pg_backend_pid() = $1"},
                                params);
    return rows ? ok_status() : Status(std::move(rows).error());
}

}  // namespace

pg::ConnectOptions DbSession::bounded(pg::ConnectOptions options) const {
    options.answer_timeout = kAnswerTimeout;
    options.longest_answer = kLongestAnswer;
    options.give_up = [this] {
        return signal_.stopped_for(kStopGrace) || seen_gone_.load() != health_.servers_gone();
    };
    return options;
}

DbSession::DbSession(std::string name, pg::ConnectOptions options, DbHealth& health, Signal& signal)
    : name_(std::move(name)),
      options_(bounded(std::move(options))),
      health_(health),
      signal_(signal),
      random_(std::random_device{}()) {
    health_.enter(signal_);
}

DbSession::~DbSession() {
    health_.leave(signal_);
    // A session that ends during an outage must not keep the health down for ever.
    if (failures_ > 0) {
        health_.up(name_);
    }
}

pg::Connection* DbSession::connection() {
    if (signal_.stopped()) {
        return nullptr;
    }
    if (connection_ && seen_gone_.load() == health_.servers_gone()) {
        return &*connection_;
    }
    disconnect();
    seen_gone_ = health_.servers_gone();
    seen_reconnects_ = health_.reconnects();
    auto connected = pg::Connection::connect(options_);
    if (!connected) {
        health_.down(name_, connected.error());
        wait_for_server();
        return nullptr;
    }
    if (auto bound = bound_lock_waits(*connected); !bound) {
        health_.down(name_, bound.error());
        wait_for_server();
        return nullptr;
    }
    connection_.emplace(std::move(*connected));
    connected_ = true;
    health_.up(name_);
    return &*connection_;
}

void DbSession::failed(const Error& error) {
    if (error.connection_lost) {
        disconnect();
        health_.down(name_, error);
        // The server is silent, or says that it is read-only. One statement that takes too long on
        // a server that lives is this session's own trouble.
        if (error.sqlstate == "25006" || error.message.ends_with(pg::kNoSignOfLife)) {
            health_.server_gone(seen_gone_.load());
        }
        seen_reconnects_ = health_.reconnects();
        wait_for_server();
    } else {
        health_.log().warn("a statement failed", {{"session", name_}, {"error", error.describe()}});
        signal_.pause(next_delay());
    }
}

void DbSession::drop_if_closed() {
    if (connection_ && connection_->closed_by_server()) {
        disconnect();
    }
}

void DbSession::disconnect() {
    connected_ = false;
    connection_.reset();
}

void DbSession::wait_for_server() {
    health_.wait_for_another(signal_, next_delay(), seen_reconnects_);
}

std::chrono::milliseconds DbSession::next_delay() {
    ++failures_;
    const double random = static_cast<double>(random_() - std::minstd_rand::min()) /
                          static_cast<double>(std::minstd_rand::max());
    return std::chrono::milliseconds(reconnect_delay_ms(std::min(failures_, 30), random));
}

}  // namespace jobforge::engine
