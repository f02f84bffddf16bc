#include "connect/amqp/amqp_outage.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace jobforge::connect {

AmqpOutage::AmqpOutage(std::size_t parts, std::string broker, AmqpLog log)
    : broker_(std::move(broker)), log_(std::move(log)), parts_(parts, State::starting) {}

void AmqpOutage::up(std::size_t part) {
    const std::lock_guard guard(mutex_);
    parts_[part] = State::up;
    const bool whole =
        std::all_of(parts_.begin(), parts_.end(), [](State state) { return state == State::up; });
    if (!outage_ || !whole) {
        return;
    }
    outage_ = false;
    const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - since_;
    if (log_) {
        log_(LogLevel::info,
             fmt::format("RabbitMQ at {} is back after {:.1f} s: it wakes workers again", broker_,
                         lasted.count()));
    }
}

void AmqpOutage::down(std::size_t part, std::string_view reason) {
    const std::lock_guard guard(mutex_);
    parts_[part] = State::down;
    if (std::exchange(outage_, true)) {
        return;
    }
    since_ = std::chrono::steady_clock::now();
    if (log_) {
        log_(LogLevel::warn, fmt::format("RabbitMQ at {} does not wake workers: {}. Jobs are found "
                                         "by polling until it is back",
                                         broker_, reason));
    }
}

}  // namespace jobforge::connect
