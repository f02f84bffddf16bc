#include "api/work_queue.h"

#include <utility>

namespace jobforge::api {

WorkQueue::WorkQueue(WorkQueueOptions options) : options_(options) {
    for (int i = 0; i < options_.threads; ++i) {
        threads_.emplace_back([this] { serve(); });
    }
}

WorkQueue::~WorkQueue() {
    stop();
}

bool WorkQueue::push(Work work) {
    const auto now = Clock::now();
    bool wake = false;
    {
        const std::lock_guard guard(mutex_);
        const bool stuck = !waiting_.empty() && now - waiting_.front().since > options_.shed_after;
        if (stopped_ || stuck || waiting_.size() >= options_.limit) {
            return false;
        }
        waiting_.push_back({now, std::move(work)});
        wake = running_ < options_.eager || !watched_;
    }
    if (wake) {
        changed_.notify_one();
    }
    return true;
}

std::size_t WorkQueue::waiting() const {
    const std::lock_guard guard(mutex_);
    return waiting_.size();
}

std::size_t WorkQueue::running() const {
    const std::lock_guard guard(mutex_);
    return running_;
}

void WorkQueue::serve() {
    std::unique_lock lock(mutex_);
    while (!stopped_) {
        if (may_begin()) {
            run_next(lock);
        } else if (!waiting_.empty() && !watched_) {
            watched_ = true;
            changed_.wait_until(lock, waiting_.front().since + options_.patience);
            watched_ = false;
        } else {
            changed_.wait(lock);
        }
    }
}

bool WorkQueue::may_begin() const {
    return !waiting_.empty() && (running_ < options_.eager ||
                                 Clock::now() - waiting_.front().since >= options_.patience);
}

void WorkQueue::run_next(std::unique_lock<std::mutex>& lock) {
    Work work = std::move(waiting_.front().work);
    waiting_.pop_front();
    ++running_;
    const bool unwatched = !waiting_.empty() && !watched_;
    lock.unlock();
    if (unwatched) {
        changed_.notify_one();
    }
    work();
    work = nullptr;  // what it owns is destroyed without the lock, and before it counts as done
    lock.lock();
    --running_;
}

void WorkQueue::stop() {
    std::deque<Waiting> dropped;
    {
        const std::lock_guard guard(mutex_);
        stopped_ = true;
        dropped.swap(waiting_);
    }
    changed_.notify_all();
    dropped.clear();  // without the lock, and before the wait for what runs
    const std::lock_guard guard(joining_);
    for (std::thread& thread : threads_) {
        thread.join();
    }
    threads_.clear();
}

}  // namespace jobforge::api
