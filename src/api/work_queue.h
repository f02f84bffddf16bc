// The threads that may block, and the one bounded queue before them.
//
// Bounded in number, because memory is, and in time: work that could only begin after its client
// has given up is refused while refusing is still cheap.
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

    const WorkQueueOptions options_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Waiting> waiting_;
    std::size_t running_ = 0;
    bool stopped_ = false;
    std::mutex joining_;
    std::vector<std::thread> threads_;
};

}  // namespace jobforge::api
