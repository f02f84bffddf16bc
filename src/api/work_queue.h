// The threads that may block, and the one bounded queue before them.
//
// Bounded in number, because memory is, and in time: work that could only begin after its client
// has given up is refused while refusing is still cheap.
//
// A few threads, the eager ones, take work at once: short work soon finds one of them free, and the
// processors switch less. More join for work that has waited a little, so that a few slow requests
// do not hold up the others. (On two cores, ten threads that all begin at once answered reads with
// a p99 of 27 to 44 ms, five with 5 to 15 ms, and a fifth more of them.)
//
// Threads: all members from any thread, but stop() and the destructor not from work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace jobforge::api {

struct WorkQueueOptions {
    int threads = 8;
    std::size_t limit = 256;                     // waiting, not yet begun
    std::chrono::milliseconds shed_after{1000};  // refuse while the oldest has waited longer
    std::size_t eager = 8;                       // more begin only for work that has waited
    std::chrono::milliseconds patience{10};      // so long
};

class WorkQueue final {
public:
    using Work = std::function<void()>;  // must not throw

    explicit WorkQueue(WorkQueueOptions options);
    WorkQueue(const WorkQueue&) = delete;
    WorkQueue& operator=(const WorkQueue&) = delete;
    ~WorkQueue();  // stop()

    // False, and the work is dropped, if the queue is full, stuck or stopped.
    [[nodiscard]] bool push(Work work);
    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] std::size_t running() const;
    // Drops what waits, waits for what runs. May be repeated.
    void stop();

private:
    using Clock = std::chrono::steady_clock;
    struct Waiting {
        Clock::time_point since;
        Work work;
    };
    void serve();
    void run_next(std::unique_lock<std::mutex>& lock);
    [[nodiscard]] bool may_begin() const;

    const WorkQueueOptions options_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Waiting> waiting_;
    std::size_t running_ = 0;
    bool watched_ = false;  // one idle thread watches the patience of the oldest
    bool stopped_ = false;
    std::mutex joining_;
    std::vector<std::thread> threads_;
};

}  // namespace jobforge::api
