#include "engine/worker/ready_queue.h"

#include <algorithm>
#include <utility>

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

bool ReadyQueue::at_limit(const Uuid& tenant) const {
    if (!limit_) {
        return false;
    }
    const auto running = threads_.find(tenant);
    return running != threads_.end() && running->second >= *limit_;
}

ReadyQueue::Place ReadyQueue::first_free() {
    return std::find_if(jobs_.begin(), jobs_.end(),
                        [this](const HeldJob* job) { return !at_limit(job->tenant_id); });
}

bool ReadyQueue::take(std::vector<HeldJob*>& taken, std::optional<Uuid>& tenant) {
    std::unique_lock lock(mutex_);
    const std::optional<Uuid> before = std::exchange(tenant, std::nullopt);
    if (before && --threads_[*before] == 0) {
        threads_.erase(*before);
    }
    Place first = first_free();
    if (first == jobs_.end() && !closed_) {
        idle_.fetch_add(1);
        filled_.wait(lock, [&] { return (first = first_free()) != jobs_.end() || closed_; });
        idle_.fetch_sub(1);
    }
    if (closed_) {
        return false;
    }
    ++takes_;
    tenant = (*first)->tenant_id;
    ++threads_[*tenant];
    do {
        taken.push_back(*first);
        first = jobs_.erase(first);
    } while (taken.back()->type->tiny() && taken.size() < kChunk && first != jobs_.end() &&
             (*first)->type->tiny() && (!limit_ || (*first)->tenant_id == *tenant));
    size_.store(static_cast<int>(jobs_.size()), std::memory_order_relaxed);
    // The place that was left is another thread's now, which may have waited for it.
    if (limit_ && before != tenant && !jobs_.empty() && idle_.load() > 0) {
        filled_.notify_one();
    }
    return true;
}

void ReadyQueue::limit_tenants(std::optional<int> threads) {
    {
        const std::lock_guard guard(mutex_);
        if (std::exchange(limit_, threads) == threads) {
            return;
        }
    }
    filled_.notify_all();
}

int ReadyQueue::held_up(const std::vector<Uuid>& tenants) const {
    const std::lock_guard guard(mutex_);
    return static_cast<int>(std::count_if(jobs_.begin(), jobs_.end(), [&](const HeldJob* job) {
        return at_limit(job->tenant_id) &&
               std::find(tenants.begin(), tenants.end(), job->tenant_id) != tenants.end();
    }));
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
