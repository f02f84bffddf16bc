// The threads that run handlers, one per slot, and the boundary that nothing a handler does
// crosses.
//
// A job comes in by submit(), runs, and leaves as a Settlement to the completer, or is settled here
// with its handler's transaction. A watch thread asks runs to stop at their time limit and takes
// tiny jobs back from behind a run that turned out slow.
// Threads: all public methods from any.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/settle/completer.h"
#include "engine/settle/transaction_pool.h"
#include "engine/worker/ready_queue.h"
#include "engine/worker/slot.h"

namespace jobforge::engine {

class HandlerContext;

class HandlerPool final {
public:
    struct Options {
        int slots = 1;
        std::string worker_id;
        Logger log;
        Redactor redactor;
        // Called when active() has fallen to what wake_when_active() asked for.
        std::function<void()> on_slots_freed;
    };
    HandlerPool(Options options, ReadyQueue& queue, HeldJobs& held, Completer& completer,
                SettlementReport& report, TransactionPool& pool);
    ~HandlerPool();  // join()

    void start();
    void submit(std::span<HeldJob> jobs);
    // Jobs that were submitted and have not ended.
    [[nodiscard]] int active() const noexcept { return active_.load(std::memory_order_relaxed); }
    [[nodiscard]] int running() const noexcept { return running_.load(std::memory_order_relaxed); }
    // Calls on_slots_freed once, as soon as active() is at most `limit` (possibly at once).
    void wake_when_active(int limit);

    // Asks this run to stop, if it runs here.
    void request_stop(const Uuid& job_id, std::int64_t lease_token, StopReason reason);
    void request_stop_all(StopReason reason);
    // Takes away what has not started. After close() nothing else will start.
    [[nodiscard]] std::vector<HeldJob*> take_unstarted();
    // The job will not run: it is no longer active here.
    void dropped(HeldJob& job);
    [[nodiscard]] std::vector<HeldJobs::Lease> running_leases() const;
    // Whether a job of this type has been running for so long.
    [[nodiscard]] bool runs_for(const JobType& type, std::chrono::microseconds time) const;
    // How many jobs wait here for a slot of their tenant's share while its jobs run for so long:
    // they do not stand in the way of other tenants' jobs, and must not keep these from coming.
    [[nodiscard]] int held_up(std::chrono::microseconds time) const;
    // No more work: threads end when their handler returns.
    void close();
    // close(), and wait for the handlers to return.
    void join();

private:
    void run(Slot& slot);
    void execute(Slot& slot, HeldJob& job, Job& buffer);
    [[nodiscard]] Outcome read_and_call(const HeldJob& held, Job& job,
                                        HandlerContext& context) const;
    [[nodiscard]] Outcome call_handler(const HeldJob& job, HandlerContext& context) const;
    void settle(HandlerContext& context, Settlement settlement);
    // A transaction that could not begin, for lack of a connection, costs no attempt.
    void spare_the_attempt(HandlerContext& context, Settlement& settlement) const;
    void come_again(Settlement& settlement, const Error& shortage) const;
    void overrule(StopReason reason, HandlerContext& context, Settlement& settlement) const;
    void ended(JobType& type);
    void watch();

    // After a shortage of our own (no connection for a payload or a transaction) a job comes again
    // after this, its attempt not counted.
    static constexpr std::chrono::seconds kShortagePause{1};

    const Options options_;
    ReadyQueue& queue_;
    HeldJobs& held_;
    Completer& completer_;
    SettlementReport& report_;
    TransactionPool& pool_;
    std::vector<std::unique_ptr<Slot>> slots_;
    std::vector<std::thread> threads_;
    std::thread watcher_;
    Signal watch_signal_;
    std::atomic<bool> watch_idle_{false};
    std::atomic<int> active_{0};
    std::atomic<int> running_{0};
    std::atomic<int> wake_at_{-1};
};

}  // namespace jobforge::engine
