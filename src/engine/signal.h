// How one thread of the worker sleeps and is woken: a flag that notify() sets and a wait takes.
//
// Threads: one waits, any notify. A notify() before the wait is not lost: the wait returns at once.
// stop() is final: every wait from then on returns at once.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace jobforge::engine {

using Clock = std::chrono::steady_clock;

class Signal final {
public:
    void notify() {
        {
            const std::lock_guard guard(mutex_);
            notified_ = true;
        }
        changed_.notify_one();
    }

    void stop() {
        {
            const std::lock_guard guard(mutex_);
            stopped_ = true;
        }
        changed_.notify_all();
    }

    [[nodiscard]] bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }

    // Until notified, stopped or `deadline`. True: it was notified (and the flag is taken).
    bool wait_until(Clock::time_point deadline) {
        std::unique_lock lock(mutex_);
        changed_.wait_until(lock, deadline, [this] { return notified_ || stopped_; });
        return std::exchange(notified_, false);
    }
    bool wait_for(std::chrono::nanoseconds time) { return wait_until(Clock::now() + time); }

    // Sleeps through notifications, which stay set; only stop() ends it early.
    void pause(std::chrono::nanoseconds time) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, time, [this] { return stopped_.load(); });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool notified_ = false;
    std::atomic<bool> stopped_ = false;
};

}  // namespace jobforge::engine
