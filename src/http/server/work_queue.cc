#include "http/server/work_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobforge::http {

namespace {

constexpr std::size_t kPartiesKept = 1024;  // idle ones above it are forgotten

}  // namespace

thread_local WorkQueue::Worker* WorkQueue::current = nullptr;

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

bool WorkQueue::push(Work work, std::string_view party) {
    const auto now = Clock::now();
    Worker* sleeper = nullptr;
    {
        const std::lock_guard guard(mutex_);
        Party& whose = party_of(party);
        const bool stuck =
            !whose.line.empty() && now - whose.line.front().since > options_.shed_after;
        if (stopped_ || stuck || whose.line.size() >= options_.limit) {
            return false;
        }
        if (running_ < options_.eager && !idle_.empty() && whose.line.empty() && may_take(whose)) {
            sleeper = idle_.back();
            idle_.pop_back();
            sleeper->work = std::move(work);
            sleeper->party = &whose;
            take(whose);
            ++running_;
        } else {
            if (whose.line.empty()) {
                lines_.push_back(&whose);
            }
            whose.line.push_back({now, std::move(work)});
            ++waiting_;
            sleeper = next_watcher();
        }
    }
    if (sleeper != nullptr) {
        sleeper->woken.notify_one();
    }
    return true;
}

bool WorkQueue::try_take(std::string_view party) {
    const std::lock_guard guard(mutex_);
    Party& whose = party_of(party);
    if (whose.limited && (!whose.line.empty() || !may_take(whose))) {
        return false;
    }
    take(whose);
    return true;
}

void WorkQueue::give_back(std::string_view party) {
    Worker* sleeper = nullptr;
    {
        const std::lock_guard guard(mutex_);
        release(party_of(party));
        sleeper = sleeper_for_lines();
    }
    if (sleeper != nullptr) {
        sleeper->woken.notify_one();
    }
}

bool WorkQueue::move_to(std::string_view party) {
    Worker* sleeper = nullptr;
    {
        const std::lock_guard guard(mutex_);
        if (current == nullptr) {
            return true;  // it has no slot that could be another's
        }
        Party& whose = party_of(party);
        Party& before = *current->party;
        if (&before != &whose) {
            if (!may_take(whose, before.limited ? 1 : 0)) {
                return false;
            }
            release(before);
            take(whose);
            current->party = &whose;
            sleeper = sleeper_for_lines();
        }
    }
    if (sleeper != nullptr) {
        sleeper->woken.notify_one();
    }
    return true;
}

bool WorkQueue::is_held_back(std::string_view party) const {
    const std::lock_guard guard(mutex_);
    const auto found = parties_.find(std::string(party));
    return found != parties_.end() && taken_ < options_.slots && !may_take(found->second);
}

std::size_t WorkQueue::waiting() const {
    const std::lock_guard guard(mutex_);
    return waiting_;
}

std::size_t WorkQueue::running() const {
    const std::lock_guard guard(mutex_);
    return running_;
}

WorkQueue::Party& WorkQueue::party_of(std::string_view name) {
    const auto [found, is_new] = parties_.try_emplace(std::string(name));
    if (is_new) {
        found->second.limited = !name.empty() && options_.slots > 0;
        if (parties_.size() > kPartiesKept) {
            found->second.held = 1;  // not idle: it is about to be used
            forget_idle_parties();
            found->second.held = 0;
        }
    }
    return found->second;
}

// With `given_up` slots that would be given back for it.
bool WorkQueue::may_take(const Party& party, std::size_t given_up) const {
    if (!party.limited) {
        return true;
    }
    const std::size_t free = options_.slots + given_up - std::min(taken_, options_.slots);
    const std::size_t for_others = std::max<std::size_t>(options_.slots / 4, 1);
    return party.held == 0 ? free >= 1 : free > for_others && party.held < 2 * free;
}

void WorkQueue::take(Party& party) {
    ++party.held;
    taken_ += party.limited ? 1 : 0;
}

void WorkQueue::release(Party& party) {
    --party.held;
    taken_ -= party.limited ? 1 : 0;
}

void WorkQueue::forget_idle_parties() {
    std::erase_if(parties_, [](const auto& entry) {
        return entry.second.held == 0 && entry.second.line.empty();
    });
}

void WorkQueue::serve(Worker& self) {
    current = &self;
    std::unique_lock lock(mutex_);
    for (;;) {
        if (self.work) {
            run(self, lock);
        } else if (stopped_) {
            return;
        } else if (Party* const party = next_party()) {
            self.work = std::move(party->line.front().work);
            self.party = party;
            party->line.pop_front();
            if (party->line.empty()) {
                std::erase(lines_, party);
            }
            --waiting_;
            take(*party);
            ++running_;
        } else {
            rest(self, lock);
        }
    }
}

// The party whose line goes on now; null: none.
WorkQueue::Party* WorkQueue::next_party() const {
    if (lines_.empty()) {
        return nullptr;
    }
    const auto now = Clock::now();
    Party* best = nullptr;
    for (Party* const party : lines_) {
        const bool due =
            running_ < options_.eager || now - party->line.front().since >= options_.patience;
        if (!due || !may_take(*party)) {
            continue;
        }
        const auto rank = [](const Party& p) {
            return std::pair(p.limited ? p.held : 0, p.line.front().since);
        };
        if (best == nullptr || rank(*party) < rank(*best)) {
            best = party;
        }
    }
    return best;
}

std::optional<WorkQueue::Clock::time_point> WorkQueue::oldest_of_those_that_may_begin() const {
    std::optional<Clock::time_point> oldest;
    for (const Party* const party : lines_) {
        const auto since = party->line.front().since;
        if (may_take(*party) && (!oldest || since < *oldest)) {
            oldest = since;
        }
    }
    return oldest;
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
    release(*std::exchange(self.party, nullptr));
    --running_;
}

// A slot has become free: the thread that looks whether a line can go on. Under the lock.
WorkQueue::Worker* WorkQueue::sleeper_for_lines() {
    return watcher_ != nullptr && !lines_.empty() ? watcher_ : next_watcher();
}

// A sleeper that must be woken to watch, because something waits and no thread watches. Under the
// lock.
WorkQueue::Worker* WorkQueue::next_watcher() {
    if (watcher_ != nullptr || idle_.empty() || !oldest_of_those_that_may_begin()) {
        return nullptr;
    }
    watcher_ = idle_.back();
    idle_.pop_back();
    return watcher_;
}

void WorkQueue::rest(Worker& self, std::unique_lock<std::mutex>& lock) {
    const auto oldest = oldest_of_those_that_may_begin();
    if (oldest && watcher_ == nullptr) {
        watcher_ = &self;
    }
    if (watcher_ == &self) {
        if (oldest) {
            self.woken.wait_until(lock, *oldest + options_.patience);
        }
        watcher_ = nullptr;
        return;
    }
    idle_.push_back(&self);
    self.woken.wait(lock, [&] { return self.work || watcher_ == &self || stopped_; });
}

void WorkQueue::stop() {
    std::vector<std::deque<Waiting>> dropped;
    {
        const std::lock_guard guard(mutex_);
        stopped_ = true;
        for (Party* const party : std::exchange(lines_, {})) {
            dropped.push_back(std::exchange(party->line, {}));
        }
        waiting_ = 0;
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

}  // namespace jobforge::http
