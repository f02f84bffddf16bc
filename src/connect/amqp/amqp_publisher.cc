#include "connect/amqp/amqp_publisher.h"

#include <utility>

#include <fmt/format.h>

#include "connect/amqp/amqp_message.h"

namespace jobforge::connect {

namespace {

constexpr std::chrono::milliseconds kIdle{1000};

}  // namespace

AmqpPublisher::AmqpPublisher(std::string exchange, std::string routing_key, std::size_t capacity,
                             AmqpOutage& outage, std::size_t part)
    : exchange_(std::move(exchange)),
      routing_key_(std::move(routing_key)),
      capacity_(capacity),
      outage_(outage),
      part_(part) {}

bool AmqpPublisher::put(const Uuid& job_id) {
    const std::lock_guard guard(mutex_);
    if (state_ == State::away || queue_.size() >= capacity_) {
        ++dropped_;
        return false;
    }
    queue_.push_back(job_id);
    return queue_.size() == 1;
}

bool AmqpPublisher::flush(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    return idle_.wait_for(lock, limit, [this] { return queue_.empty() && !sending_; });
}

AmqpPublisher::Counts AmqpPublisher::counts() const {
    const std::lock_guard guard(mutex_);
    return {published_, dropped_, queue_.size()};
}

Status AmqpPublisher::prepare(AmqpConnection& connection) {
    return connection.use_exchange(exchange_);
}

void AmqpPublisher::connected() {
    const std::lock_guard guard(mutex_);
    state_ = State::connected;
}

Status AmqpPublisher::step(AmqpConnection& connection) {
    // Incoming first: "blocked" must be read before the next message goes out.
    const bool sendable = !connection.blocked() && something_to_send();
    auto event = connection.receive(sendable ? std::chrono::milliseconds(0) : kIdle);
    if (!event.ok()) {
        return std::move(event).error();
    }
    watch_blocking(*event);
    return sendable && !connection.blocked() ? send_one(connection) : ok_status();
}

void AmqpPublisher::disconnected() {
    const std::lock_guard guard(mutex_);
    state_ = State::away;
    blocked_ = false;
    dropped_ += queue_.size();
    queue_.clear();
    idle_.notify_all();
}

// What is queued and goes out at once is sent; a blocked broker would not take it.
void AmqpPublisher::finish(AmqpConnection& connection) {
    Status status = ok_status();
    while (status.ok() && !connection.blocked() && !connection.interrupted() &&
           something_to_send()) {
        status = send_one(connection);
    }
}

bool AmqpPublisher::something_to_send() {
    const std::lock_guard guard(mutex_);
    return !queue_.empty();
}

Status AmqpPublisher::send_one(AmqpConnection& connection) {
    std::string body;
    {
        const std::lock_guard guard(mutex_);
        body = wake_message(queue_.front());
        queue_.pop_front();
        sending_ = true;
    }
    Status status = connection.publish(exchange_, routing_key_, body);
    const std::lock_guard guard(mutex_);
    sending_ = false;
    ++(status.ok() ? published_ : dropped_);
    idle_.notify_all();
    return status;
}

void AmqpPublisher::watch_blocking(const AmqpEvent& event) {
    if (const auto* blocked = std::get_if<AmqpBlocked>(&event)) {
        blocked_ = true;
        outage_.down(part_, fmt::format("it blocks publishers ({})", blocked->reason));
    } else if (std::holds_alternative<AmqpUnblocked>(event)) {
        blocked_ = false;
        outage_.up(part_);
    }
}

}  // namespace jobforge::connect
