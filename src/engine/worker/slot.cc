#include "engine/worker/slot.h"

#include "engine/settle/completion_transaction.h"

#include <algorithm>

namespace jobforge::engine {

void Slot::load(std::vector<HeldJob*>& taken) {
    const std::lock_guard guard(mutex_);
    waiting_.assign(taken.rbegin(), taken.rend());
    taken.clear();
}

HeldJob* Slot::next() {
    const std::lock_guard guard(mutex_);
    if (waiting_.empty()) {
        return nullptr;
    }
    HeldJob* job = waiting_.back();
    waiting_.pop_back();
    return job;
}

std::vector<HeldJob*> Slot::give_back(Clock::time_point before) {
    std::vector<HeldJob*> jobs;
    const std::lock_guard guard(mutex_);
    if (current_ != nullptr && began_ < before) {
        jobs.assign(waiting_.rbegin(), waiting_.rend());
        waiting_.clear();
    }
    return jobs;
}

std::vector<HeldJob*> Slot::give_back() {
    std::vector<HeldJob*> jobs;
    const std::lock_guard guard(mutex_);
    jobs.assign(waiting_.rbegin(), waiting_.rend());
    waiting_.clear();
    return jobs;
}

void Slot::begin(HeldJob& job, Clock::time_point now) {
    const std::lock_guard guard(mutex_);
    current_ = &job;
    began_ = now;
    if (job.timeout) {
        deadline_ = now + *job.timeout;
        job.renew_until.store(deadline_ + job.lease);
    }
    job.phase.store(Phase::running);
}

StopReason Slot::end() {
    const std::lock_guard guard(mutex_);
    current_ = nullptr;
    deadline_ = Clock::time_point::max();
    source_.reset();
    return reason_.exchange(StopReason::none);
}

std::stop_token Slot::stop_token() {
    const std::lock_guard guard(mutex_);
    if (!source_) {
        source_.emplace();
        if (reason_.load() != StopReason::none) {
            source_->request_stop();
        }
    }
    return source_->get_token();
}

void Slot::request_stop(StopReason reason) {
    std::unique_lock lock(mutex_);
    if (current_ != nullptr) {
        stop_locked(std::move(lock), reason);
    }
}

bool Slot::request_stop(const Uuid& job_id, std::int64_t lease_token, StopReason reason) {
    std::unique_lock lock(mutex_);
    if (current_ == nullptr || current_->job_id != job_id || current_->lease_token != lease_token) {
        return false;
    }
    stop_locked(std::move(lock), reason);
    return true;
}

void Slot::check_deadline(Clock::time_point now) {
    std::unique_lock lock(mutex_);
    if (current_ != nullptr && now >= deadline_) {
        stop_locked(std::move(lock), StopReason::timeout);
    }
}

// Stop callbacks are the handler's code and run in here: never under the lock.
void Slot::stop_locked(std::unique_lock<std::mutex> lock, StopReason reason) {
    auto none = StopReason::none;
    reason_.compare_exchange_strong(none, reason);
    std::optional<std::stop_source> source = source_;
    lock.unlock();
    if (source) {
        source->request_stop();
    }
}

void Slot::attach(CompletionTransaction* transaction) {
    const std::lock_guard guard(mutex_);
    transaction_ = transaction;
}

void Slot::keep_transaction_alive(Clock::time_point now, Clock::time_point renewed) {
    const std::lock_guard guard(mutex_);
    if (transaction_ == nullptr || current_ == nullptr || current_->lost.load()) {
        return;
    }
    // A lease that is no longer renewed (a run past its time limit that does not stop) is not
    // reported as lost either: its locks would stand in the way of the job's next attempt for ever.
    if (now >= current_->renew_until.load()) {
        return;
    }
    if (now - std::max(renewed, current_->batch->claimed()) < current_->lease) {
        transaction_->keep_alive(now);
    }
}

bool Slot::runs_since(const JobType& type, Clock::time_point before) const {
    const std::lock_guard guard(mutex_);
    return current_ != nullptr && current_->type == &type && began_ < before;
}

std::optional<HeldJobs::Lease> Slot::running() const {
    const std::lock_guard guard(mutex_);
    if (current_ == nullptr) {
        return std::nullopt;
    }
    return HeldJobs::lease_of(*current_);
}

}  // namespace jobforge::engine
