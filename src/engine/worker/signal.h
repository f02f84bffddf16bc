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
            if (!stopped_) {
                stopped_at_ = Clock::now();
            }
            stopped_ = true;
        }
        changed_.notify_all();
    }

    // The same, and stopped_for() is true for every time: nothing is waited for any more.
    void stop_at_once() {
        {
            const std::lock_guard guard(mutex_);
            stopped_at_ = Clock::time_point::min();
            stopped_ = true;
        }
        changed_.notify_all();
    }

    [[nodiscard]] bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }

    // Whether stop() was called at least this long ago.
    [[nodiscard]] bool stopped_for(Clock::duration time) const noexcept {
        return stopped() && Clock::now() - time >= stopped_at_.load();
    }

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

    // The same, and look_again() ends it early if `enough` holds then.
    template <typename Enough>
    void pause_unless(std::chrono::nanoseconds time, Enough enough) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, time, [&] { return stopped_.load() || enough(); });
    }
    void look_again() {
        {
            const std::lock_guard guard(mutex_);
        }
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool notified_ = false;
    std::atomic<bool> stopped_ = false;
    std::atomic<Clock::time_point> stopped_at_{};
};

}  // namespace jobforge::engine
