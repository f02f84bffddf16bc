#include "api/work_queue.h"

#include <utility>

namespace jobforge::api {

WorkQueue::WorkQueue(WorkQueueOptions options) : options_(options) {
    try {
        for (int i = 0; i < options_.threads; ++i) {
            Worker& worker = workers_.emplace_back();
            worker.thread = std::thread([this, &worker] { serve(worker); });
        }
    } catch (...) {  // the system has no more threads for us
        stop();
        throw;
    }
}

WorkQueue::~WorkQueue() {
    stop();
}

bool WorkQueue::push(Work work) {
    const auto now = Clock::now();
    Worker* sleeper = nullptr;
    {
        const std::lock_guard guard(mutex_);
        const bool stuck = !waiting_.empty() && now - waiting_.front().since > options_.shed_after;
        if (stopped_ || stuck || waiting_.size() >= options_.limit) {
            return false;
        }
        if (running_ < options_.eager && !idle_.empty()) {  // then nothing waits before it
            sleeper = idle_.back();
            idle_.pop_back();
            sleeper->work = std::move(work);
            ++running_;
        } else {
            waiting_.push_back({now, std::move(work)});
            sleeper = next_watcher();
        }
    }
    if (sleeper != nullptr) {
        sleeper->woken.notify_one();
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

void WorkQueue::serve(Worker& self) {
    std::unique_lock lock(mutex_);
    for (;;) {
        if (self.work) {
            run(self, lock);
        } else if (stopped_) {
            return;
        } else if (may_begin()) {
            self.work = std::move(waiting_.front().work);
            waiting_.pop_front();
            ++running_;
        } else {
            rest(self, lock);
        }
    }
}

bool WorkQueue::may_begin() const {
    return !waiting_.empty() && (running_ < options_.eager ||
                                 Clock::now() - waiting_.front().since >= options_.patience);
}

void WorkQueue::run(Worker& self, std::unique_lock<std::mutex>& lock) {
    Work work = std::exchange(self.work, nullptr);
    if (watcher_ == &self) {
        watcher_ = nullptr;  // woken to watch, it found something that had waited long enough
    }
    Worker* const watcher = next_watcher();
    lock.unlock();
    if (watcher != nullptr) {
        watcher->woken.notify_one();
    }
    work();
    work = nullptr;  // what it owns is destroyed without the lock, and before it counts as done
    lock.lock();
    --running_;
}

// A sleeper who must be woken to watch, because something waits and nobody does. Under the lock.
WorkQueue::Worker* WorkQueue::next_watcher() {
    if (waiting_.empty() || watcher_ != nullptr || idle_.empty()) {
        return nullptr;
    }
    watcher_ = idle_.back();
    idle_.pop_back();
    return watcher_;
}

void WorkQueue::rest(Worker& self, std::unique_lock<std::mutex>& lock) {
    if (!waiting_.empty() && watcher_ == nullptr) {
        watcher_ = &self;
    }
    if (watcher_ == &self) {
        if (!waiting_.empty()) {
            self.woken.wait_until(lock, waiting_.front().since + options_.patience);
        }
        watcher_ = nullptr;
        return;
    }
    idle_.push_back(&self);
    self.woken.wait(lock, [&] { return self.work || watcher_ == &self || stopped_; });
}

void WorkQueue::stop() {
    std::deque<Waiting> dropped;
    {
        const std::lock_guard guard(mutex_);
        stopped_ = true;
        dropped.swap(waiting_);
        idle_.clear();
    }
    for (Worker& worker : workers_) {
        worker.woken.notify_one();
    }
    dropped.clear();  // without the lock, and before the wait for what runs
    const std::lock_guard guard(joining_);
    for (Worker& worker : workers_) {
        if (worker.thread.joinable()) {
            worker.thread.join();
        }
    }
}

}  // namespace jobforge::api
