// Claimed jobs on their way to the handler threads: one mutex, chunks for tiny jobs.
//
// A thread that takes a job of a type whose runs are tiny takes up to kChunk of them at once, and
// only a thread or two are woken for such work: at 50,000 jobs a second each wake-up saved counts.
// What was taken and not started can be put back (a run turned out slow).
//
// While there are several tenants, the jobs of one occupy at most limit_tenants() threads, however
// short they have been so far: a slot cannot be taken back from a job that turns out long, so the
// others' slots must be free before.
// Threads: all methods from any thread. Jobs are not owned.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engine/worker/held_jobs.h"

namespace jobforge::engine {

class ReadyQueue final {
public:
    static constexpr std::size_t kChunk = 32;

    void push(std::span<HeldJob> jobs);
    void put_back(std::vector<HeldJob*>& jobs);  // to the front, in order; leaves `jobs` empty
    // Waits for work. `taken` gets 1 job, or several tiny ones. False: the queue was closed.
    // `tenant` is the caller's from call to call: whose jobs its thread runs.
    [[nodiscard]] bool take(std::vector<HeldJob*>& taken, std::optional<Uuid>& tenant);
    // How many threads may run jobs of one tenant; nullopt: all.
    void limit_tenants(std::optional<int> threads);
    // The jobs here of those of these tenants that occupy all threads that one may have.
    [[nodiscard]] int held_up(const std::vector<Uuid>& tenants) const;
    // Everything that no thread has taken.
    [[nodiscard]] std::vector<HeldJob*> take_all();
    // Wakes one more thread if work has been waiting and no thread has come for it since the last
    // call.
    void wake_one();
    // Hands nothing out any more; what is left waits for take_all().
    void close();
    [[nodiscard]] bool closed() const noexcept { return closed_.load(std::memory_order_relaxed); }
    [[nodiscard]] int size() const noexcept { return size_.load(std::memory_order_relaxed); }
    [[nodiscard]] int idle_threads() const noexcept {
        return idle_.load(std::memory_order_relaxed);
    }

private:
    using Place = std::deque<HeldJob*>::iterator;

    [[nodiscard]] bool at_limit(const Uuid& tenant) const;
    // The first job that may run now.
    [[nodiscard]] Place first_free();

    mutable std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<HeldJob*> jobs_;
    std::atomic<int> size_{0};
    std::atomic<int> idle_{0};
    std::optional<int> limit_;
    std::map<Uuid, int> threads_;  // that run jobs of each tenant
    std::uint64_t takes_ = 0;
    std::uint64_t takes_at_wake_ = 0;
    std::atomic<bool> closed_ = false;
};

}  // namespace jobforge::engine
