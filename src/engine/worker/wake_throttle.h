// When a worker that has nothing to do may ask to be woken, and how long it naps.
//
// Naps start short and double: an enqueue that committed just before the request was seen is found
// by the next poll. A worker woken more than 200 times a second stops asking for a second and
// polls every millisecond instead: on a busy queue no enqueue pays for NOTIFY. A request holds for
// a second beyond its nap, so that the naps of a steady trickle share one. Pure; threads: one.
#pragma once

#include <algorithm>
#include <chrono>

#include "engine/worker/signal.h"

namespace jobforge::engine {

class WakeThrottle final {
public:
    static constexpr int kMaxWakesPerSecond = 200;
    static constexpr std::chrono::milliseconds kFirstNap{10};
    static constexpr std::chrono::milliseconds kBusyNap{1};
    static constexpr std::chrono::milliseconds kAskAhead{1000};

    explicit WakeThrottle(std::chrono::milliseconds poll_interval) : longest_(poll_interval) {}

    // A wake-up arrived.
    void woken(Clock::time_point now) {
        if (now - window_ >= std::chrono::seconds(1)) {
            window_ = now;
            wakes_ = 0;
        }
        if (++wakes_ > kMaxWakesPerSecond) {
            silent_until_ = now + std::chrono::seconds(1);
        }
    }
    [[nodiscard]] bool may_ask(Clock::time_point now) const { return now >= silent_until_; }
    // A request was made that holds until then.
    void asked(Clock::time_point until) { asked_until_ = until; }
    // Whether a nap until `end` needs neither another request nor another look: the claim before it
    // saw everything and found something while a request was in force, so whatever came later
    // notifies. A look that is due goes first: it finds jobs of the future and those that run
    // alone.
    [[nodiscard]] bool sleeps_at_once(Clock::time_point end, bool found_some, bool look_due) const {
        return found_some && !look_due && end <= asked_until_;
    }
    // Work was found: the next nap is short again.
    void found_work() { nap_ = kFirstNap; }
    // The next nap, which doubles the one after it.
    [[nodiscard]] std::chrono::milliseconds next_nap(Clock::time_point now) {
        if (!may_ask(now)) {
            return std::min(kBusyNap, longest_);
        }
        const auto nap = std::min(nap_, longest_);
        nap_ = std::min(nap_ * 2, longest_);
        return nap;
    }

private:
    const std::chrono::milliseconds longest_;
    std::chrono::milliseconds nap_ = kFirstNap;
    Clock::time_point window_{};
    Clock::time_point silent_until_{};
    Clock::time_point asked_until_{};
    int wakes_ = 0;
};

}  // namespace jobforge::engine
