// An AmqpTrigger that counts its wake-ups and keeps its log.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "connect/amqp/amqp_trigger.h"
#include "wait_until.h"

namespace jobforge::test {

class TriggerProbe final {
public:
    // on_wake and log of the options are replaced by ours.
    explicit TriggerProbe(connect::AmqpTriggerOptions options) {
        options.on_wake = [this] { ++wakes_; };
        options.log = [this](LogLevel level, std::string_view text) {
            const std::lock_guard guard(mutex_);
            (level == LogLevel::warn ? warnings_ : infos_).emplace_back(text);
        };
        trigger_ = std::move(connect::AmqpTrigger::start(std::move(options))).value();
    }

    [[nodiscard]] connect::AmqpTrigger& trigger() { return *trigger_; }
    [[nodiscard]] connect::AmqpTrigger* operator->() { return trigger_.get(); }
    [[nodiscard]] int wakes() const { return wakes_; }
    [[nodiscard]] std::vector<std::string> warnings() const {
        const std::lock_guard guard(mutex_);
        return warnings_;
    }
    [[nodiscard]] std::vector<std::string> infos() const {
        const std::lock_guard guard(mutex_);
        return infos_;
    }

    [[nodiscard]] bool wait_ready() {
        return wait_until([this] { return trigger_->ready(); });
    }
    [[nodiscard]] bool wait_wakes(int count) {
        return wait_until([&] { return wakes_ >= count; });
    }

private:
    std::atomic<int> wakes_ = 0;
    mutable std::mutex mutex_;
    std::vector<std::string> warnings_;
    std::vector<std::string> infos_;
    std::unique_ptr<connect::AmqpTrigger> trigger_;  // last: its threads use all above
};

}  // namespace jobforge::test
