#include "connect/amqp/amqp_trigger.h"

#include <atomic>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "connect/amqp/amqp_consumer.h"
#include "connect/amqp/amqp_publisher.h"
#include "connect/amqp/amqp_session.h"

namespace jobforge::connect {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kPublisherPart = 0;
constexpr std::size_t kConsumerPart = 1;
constexpr std::size_t kLongestName = 255;

Error refused(std::string_view what) {
    return Error::of(ErrorCode::VALIDATION_ERROR, fmt::format("RabbitMQ options: {}", what));
}

Status check(const AmqpTriggerOptions& options) {
    if (options.exchange.empty() || options.exchange.size() > kLongestName) {
        return refused("the exchange needs a name of 1 to 255 bytes");
    }
    if (options.routing_key.empty() || options.routing_key.size() > kLongestName) {
        return refused("the routing key needs 1 to 255 bytes");
    }
    if (options.heartbeat_seconds < 0 || options.heartbeat_seconds > 3600) {
        return refused("the heartbeat is 0 to 3600 seconds");
    }
    if (options.queue_capacity == 0) {
        return refused("the queue needs room for one wake-up");
    }
    const std::chrono::milliseconds zero{0};
    if (options.connect_timeout <= zero || options.request_timeout <= zero ||
        options.reconnect_min <= zero || options.reconnect_max < options.reconnect_min ||
        options.wake_interval < zero || options.rebind_interval <= zero ||
        options.stop_grace < zero) {
        return refused("times must be positive, and reconnect_max at least reconnect_min");
    }
    return ok_status();
}

AmqpSessionOptions session_options(const AmqpTriggerOptions& options, const AmqpUrl& url,
                                   std::string name, AmqpOutage& outage, std::size_t part) {
    AmqpSessionOptions result;
    result.connection.url = url;
    result.connection.name = std::move(name);
    result.connection.heartbeat_seconds = options.heartbeat_seconds;
    result.connection.connect_timeout = options.connect_timeout;
    result.connection.request_timeout = options.request_timeout;
    result.reconnect_min = options.reconnect_min;
    result.reconnect_max = options.reconnect_max;
    result.outage = &outage;
    result.part = part;
    return result;
}

}  // namespace

// In the order of their lives: the sessions' threads use all above them.
struct AmqpTrigger::Parts {
    Parts(const AmqpTriggerOptions& options, const AmqpUrl& url)
        : stop_grace(options.stop_grace),
          outage(options.on_wake ? 2 : 1, url.without_password(), options.log),
          publisher(options.exchange, options.routing_key, options.queue_capacity, outage,
                    kPublisherPart),
          consumer(options.exchange, options.routing_key, options.wake_interval,
                   options.rebind_interval, options.on_wake),
          publisher_session(
              session_options(options, url, "jobforge publisher", outage, kPublisherPart),
              publisher) {
        if (options.on_wake) {
            consumer_session = std::make_unique<AmqpSession>(
                session_options(options, url, "jobforge consumer", outage, kConsumerPart),
                consumer);
        }
    }

    std::chrono::milliseconds stop_grace;
    AmqpOutage outage;
    AmqpPublisher publisher;
    AmqpConsumer consumer;
    AmqpSession publisher_session;
    std::unique_ptr<AmqpSession> consumer_session;
    std::atomic<bool> stopped = false;
    std::mutex stop_mutex;
};

Result<std::unique_ptr<AmqpTrigger>> AmqpTrigger::start(const AmqpTriggerOptions& options) {
    if (Status status = check(options); !status.ok()) {
        return std::move(status).error();
    }
    auto url = AmqpUrl::parse(options.url);
    if (!url.ok()) {
        return std::move(url).error();
    }
    auto parts = std::make_unique<Parts>(options, *url);
    return std::unique_ptr<AmqpTrigger>(new AmqpTrigger(std::move(parts)));
}

AmqpTrigger::AmqpTrigger(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

AmqpTrigger::~AmqpTrigger() {
    stop();
}

void AmqpTrigger::publish(const Uuid& job_id) noexcept {
    try {
        if (!parts_->stopped && parts_->publisher.put(job_id)) {
            parts_->publisher_session.wake();
        }
    } catch (...) {
        // Out of memory: the job is committed and polling finds it; the caller must not suffer.
        return;
    }
}

bool AmqpTrigger::flush(std::chrono::milliseconds limit) {
    return parts_->publisher.flush(limit);
}

bool AmqpTrigger::ready() const noexcept {
    return parts_->publisher_session.connected() &&
           (!parts_->consumer_session || parts_->consumer_session->connected());
}

AmqpTriggerStats AmqpTrigger::stats() const {
    const auto in = parts_->consumer.counts();
    const auto out = parts_->publisher.counts();
    AmqpTriggerStats stats;
    stats.received = in.received;
    stats.ignored = in.ignored;
    stats.wakes = in.wakes;
    stats.published = out.published;
    stats.dropped = out.dropped;
    stats.waiting = out.waiting;
    stats.failures = parts_->publisher_session.failures() +
                     (parts_->consumer_session ? parts_->consumer_session->failures() : 0);
    stats.connected = ready();
    stats.blocked = parts_->publisher.blocked();
    return stats;
}

void AmqpTrigger::stop() {
    const std::lock_guard guard(parts_->stop_mutex);
    parts_->stopped = true;
    const auto deadline = Clock::now() + parts_->stop_grace;
    parts_->publisher_session.request_stop();
    if (parts_->consumer_session) {
        parts_->consumer_session->request_stop();
    }
    parts_->publisher_session.join(deadline);
    if (parts_->consumer_session) {
        parts_->consumer_session->join(deadline);
    }
}

}  // namespace jobforge::connect
