// The threads that may block, and the one bounded queue before them.
//
// Bounded in number, because memory is, and in time: work that could only begin after its client
// has given up is refused while refusing is still cheap.
//
// Work goes to one thread, the last that lay down, and nobody else is woken for it. Only a few at a
// time, the eager ones, get some at once: short work soon finds one of them free, and the
// processors switch less. More join for work that has waited a little, so that a few slow requests
// do not hold up the others. (Two cores, ten connections that read, medians of eight runs in turn:
// 4,400 answers a second and 2.7 context switches for each if ten threads may begin at once, 5,400
// and 1.8 if four may, 4,400 if two.)
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
    // A thread and its bed. Who wakes it says why: something to do, the watch, or the end.
    struct Worker {
        std::condition_variable woken;
        Work work;  // given to it, not begun
        std::thread thread;
    };
    void serve(Worker& self);
    void run(Worker& self, std::unique_lock<std::mutex>& lock);
    void rest(Worker& self, std::unique_lock<std::mutex>& lock);
    [[nodiscard]] bool may_begin() const;
    [[nodiscard]] Worker* next_watcher();

    const WorkQueueOptions options_;
    mutable std::mutex mutex_;
    std::deque<Waiting> waiting_;
    std::vector<Worker*> idle_;  // the last one to lie down gets up first: it is the warmest
    Worker* watcher_ = nullptr;  // keeps an eye on the patience of the oldest
    std::size_t running_ = 0;
    bool stopped_ = false;
    std::mutex joining_;
    std::deque<Worker> workers_;
};

}  // namespace jobforge::api
