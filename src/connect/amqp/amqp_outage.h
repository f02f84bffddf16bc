// One warning when the broker goes, one line when it is back, however many connections we hold and
// however often they try.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/log.h>

namespace jobforge::connect {

using AmqpLog = std::function<void(LogLevel, std::string_view)>;

// Several parts (a consumer, a publisher) report here. The outage begins with the first part that
// goes down and ends when all are up: flapping of one while the other is away says nothing new.
// Threads: any. The log is called under the lock, so that its lines come in the order of the
// changes; it must not call back.
class AmqpOutage final {
public:
    AmqpOutage(std::size_t parts, std::string broker, AmqpLog log);

    void up(std::size_t part);
    // `reason` names the fault, for people.
    void down(std::size_t part, std::string_view reason);

private:
    enum class State { starting, up, down };

    std::string broker_;
    AmqpLog log_;
    mutable std::mutex mutex_;
    std::vector<State> parts_;
    bool outage_ = false;
    std::chrono::steady_clock::time_point since_;
};

}  // namespace jobforge::connect
