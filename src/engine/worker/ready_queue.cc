#include "engine/worker/ready_queue.h"

#include <algorithm>

namespace jobforge::engine {

void ReadyQueue::push(std::span<HeldJob> jobs) {
    int wake = 0;
    {
        const std::lock_guard guard(mutex_);
        bool tiny = true;
        for (HeldJob& job : jobs) {
            jobs_.push_back(&job);
            tiny = tiny && job.type->tiny();
        }
        size_.store(static_cast<int>(jobs_.size()), std::memory_order_relaxed);
        const int wanted =
            tiny ? 1 + static_cast<int>(jobs.size() / (8 * kChunk)) : static_cast<int>(jobs.size());
        wake = std::min(idle_.load(), std::min(wanted, tiny ? 2 : wanted));
    }
    for (int i = 0; i < wake; ++i) {
        filled_.notify_one();
    }
}

void ReadyQueue::put_back(std::vector<HeldJob*>& jobs) {
    if (jobs.empty()) {
        return;
    }
    {
        const std::lock_guard guard(mutex_);
        jobs_.insert(jobs_.begin(), jobs.begin(), jobs.end());
        size_.store(static_cast<int>(jobs_.size()), std::memory_order_relaxed);
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        filled_.notify_one();
    }
    jobs.clear();
}

bool ReadyQueue::take(std::vector<HeldJob*>& taken) {
    std::unique_lock lock(mutex_);
    if (jobs_.empty() && !closed_) {
        idle_.fetch_add(1);
        filled_.wait(lock, [this] { return !jobs_.empty() || closed_; });
        idle_.fetch_sub(1);
    }
    if (closed_) {
        return false;
    }
    ++takes_;
    do {
        taken.push_back(jobs_.front());
        jobs_.pop_front();
    } while (taken.back()->type->tiny() && taken.size() < kChunk && !jobs_.empty() &&
             jobs_.front()->type->tiny());
    size_.store(static_cast<int>(jobs_.size()), std::memory_order_relaxed);
    return true;
}

std::vector<HeldJob*> ReadyQueue::take_all() {
    const std::lock_guard guard(mutex_);
    std::vector<HeldJob*> all(jobs_.begin(), jobs_.end());
    jobs_.clear();
    size_.store(0, std::memory_order_relaxed);
    return all;
}

void ReadyQueue::wake_one() {
    bool stuck = false;
    {
        const std::lock_guard guard(mutex_);
        stuck = !jobs_.empty() && takes_ == takes_at_wake_;
        takes_at_wake_ = takes_;
    }
    if (stuck) {
        filled_.notify_all();
    }
}

void ReadyQueue::close() {
    {
        const std::lock_guard guard(mutex_);
        closed_ = true;
    }
    filled_.notify_all();
}

}  // namespace jobforge::engine
