#include "connect/amqp/amqp_consumer.h"

#include <utility>

#include "connect/amqp/amqp_message.h"

namespace jobforge::connect {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kIdle{1000};  // so much a rebind may come late

}  // namespace

AmqpConsumer::AmqpConsumer(std::string exchange, std::string routing_key,
                           std::chrono::milliseconds wake_interval,
                           std::chrono::milliseconds rebind_interval, std::function<void()> on_wake)
    : exchange_(std::move(exchange)),
      routing_key_(std::move(routing_key)),
      wake_interval_(wake_interval),
      rebind_interval_(rebind_interval),
      on_wake_(std::move(on_wake)) {}

AmqpConsumer::Counts AmqpConsumer::counts() const noexcept {
    return {received_, ignored_, wakes_};
}

Status AmqpConsumer::prepare(AmqpConnection& connection) {
    if (Status status = connection.use_exchange(exchange_); !status.ok()) {
        return status;
    }
    return connection.consume(exchange_, routing_key_);
}

void AmqpConsumer::connected() {
    // What was sent while we were away went to no queue of ours: look once.
    pending_ = std::exchange(reconnected_, true);
    next_rebind_ = Clock::now() + rebind_interval_;
}

Status AmqpConsumer::step(AmqpConnection& connection) {
    wake_if_due();
    // Deleting the exchange deletes our binding, and the broker does not tell us.
    if (Clock::now() >= next_rebind_) {
        next_rebind_ = Clock::now() + rebind_interval_;
        if (Status status = connection.bind_again(exchange_, routing_key_); !status.ok()) {
            return status;
        }
    }
    const auto limit =
        pending_ ? std::chrono::ceil<std::chrono::milliseconds>(next_wake_ - Clock::now()) : kIdle;
    auto event = connection.receive(limit);
    if (!event.ok()) {
        return std::move(event).error();
    }
    if (const auto* message = std::get_if<AmqpMessage>(&*event)) {
        take(*message);
    }
    return ok_status();
}

void AmqpConsumer::take(const AmqpMessage& message) {
    ++received_;
    if (message.oversized || !is_wake_message(message.body)) {
        ++ignored_;
        return;
    }
    pending_ = true;
}

void AmqpConsumer::wake_if_due() {
    if (!pending_ || Clock::now() < next_wake_) {
        return;
    }
    pending_ = false;
    ++wakes_;
    on_wake_();
    next_wake_ = Clock::now() + wake_interval_;
}

}  // namespace jobforge::connect
