#include "connect/amqp/amqp_session.h"

#include <algorithm>
#include <random>
#include <utility>

namespace jobforge::connect {

namespace {

using Clock = std::chrono::steady_clock;

// A connection that lived this long was a good one: the next fault is a new story. Without it, a
// broker that takes connections and drops them would be asked ten times a second.
constexpr std::chrono::seconds kGoodLife{10};

double random_fraction() {
    thread_local std::minstd_rand generator{std::random_device{}()};
    return std::uniform_real_distribution<double>(0, 1)(generator);
}

}  // namespace

std::chrono::milliseconds amqp_reconnect_delay(int failures, std::chrono::milliseconds shortest,
                                               std::chrono::milliseconds longest,
                                               double random) noexcept {
    auto delay = std::min(shortest, longest);
    for (int i = 1; i < failures && delay < longest; ++i) {
        delay = std::min(delay * 2, longest);
    }
    const auto half = static_cast<double>(delay.count()) / 2;
    return std::chrono::milliseconds(static_cast<std::int64_t>(half + half * random));
}

AmqpSession::AmqpSession(AmqpSessionOptions options, AmqpDuty& duty)
    : options_(std::move(options)), duty_(duty), connection_(options_.connection) {
    thread_ = std::thread([this] { run(); });
}

AmqpSession::~AmqpSession() {
    request_stop();
    join(Clock::now());
}

void AmqpSession::request_stop() noexcept {
    stopping_ = true;
    connection_.wake();
}

void AmqpSession::join(Clock::time_point deadline) {
    if (!thread_.joinable()) {
        return;
    }
    {
        std::unique_lock lock(mutex_);
        (void)ended_signal_.wait_until(lock, deadline, [this] { return ended_; });
    }
    connection_.interrupt();
    thread_.join();
}

void AmqpSession::run() {
    int failures = 0;  // in a row
    while (!stopping_) {
        const Status status = serve();
        const bool good = connected_.exchange(false) && Clock::now() - since_ > kGoodLife;
        connection_.close();
        if (stopping_) {
            break;
        }
        ++failures_;
        duty_.disconnected();
        options_.outage->down(options_.part, status.ok() ? "" : status.error().message);
        failures = good ? 1 : failures + 1;
        pause(failures);
    }
    const std::lock_guard guard(mutex_);
    ended_ = true;
    ended_signal_.notify_all();
}

Status AmqpSession::connect() {
    if (Status status = connection_.open(); !status.ok()) {
        return status;
    }
    return duty_.prepare(connection_);
}

// One life of the connection: ends with the error that ended it, or ok when stopping.
Status AmqpSession::serve() {
    Status status = connect();
    if (!status.ok() || stopping_) {
        return status;
    }
    since_ = Clock::now();
    connected_ = true;
    duty_.connected();
    options_.outage->up(options_.part);
    while (status.ok() && !stopping_) {
        status = duty_.step(connection_);
    }
    if (status.ok()) {
        duty_.finish(connection_);
    }
    return status;
}

void AmqpSession::pause(int failures) {
    const auto until =
        Clock::now() + amqp_reconnect_delay(failures, options_.reconnect_min,
                                            options_.reconnect_max, random_fraction());
    while (!stopping_ && Clock::now() < until) {
        connection_.wait(std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()));
    }
}

}  // namespace jobforge::connect
