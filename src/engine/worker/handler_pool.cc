#include "engine/worker/handler_pool.h"

#include <algorithm>
#include <exception>

#include "engine/worker/job_context.h"
#include "engine/worker/large_payload.h"

namespace jobforge::engine {

namespace {

using namespace std::chrono_literals;

// How often the watch looks while something runs, and how long a run may hold up the tiny jobs that
// were taken with it.
constexpr auto kWatchStep = 10ms;
constexpr auto kSlowNeighbour = 2ms;

bool discards_writes(const Outcome& outcome) {
    const auto* retry = std::get_if<Retry>(&outcome);
    return retry != nullptr && retry->discard_writes;
}

Outcome unknown_failure(std::string message) {
    return Retry{JobError("INTERNAL_ERROR", std::move(message))};
}

}  // namespace

HandlerPool::HandlerPool(Options options, ReadyQueue& queue, HeldJobs& held, Completer& completer,
                         SettlementReport& report, TransactionPool& pool)
    : options_(std::move(options)),
      queue_(queue),
      held_(held),
      completer_(completer),
      report_(report),
      pool_(pool) {
    for (int i = 0; i < options_.slots; ++i) {
        slots_.push_back(std::make_unique<Slot>());
    }
}

HandlerPool::~HandlerPool() {
    join();
}

void HandlerPool::join() {
    close();
    for (std::thread& thread : threads_) {
        thread.join();
    }
    threads_.clear();
    watch_signal_.stop();
    if (watcher_.joinable()) {
        watcher_.join();
    }
}

void HandlerPool::start() {
    for (const auto& slot : slots_) {
        threads_.emplace_back([this, slot = slot.get()] { run(*slot); });
    }
    watcher_ = std::thread([this] { watch(); });
}

void HandlerPool::submit(std::span<HeldJob> jobs) {
    active_.fetch_add(static_cast<int>(jobs.size()));
    queue_.push(jobs);
    if (watch_idle_.exchange(false)) {
        watch_signal_.notify();
    }
}

void HandlerPool::wake_when_active(int limit) {
    wake_at_.store(limit);
    if (active_.load() <= limit && wake_at_.exchange(-1) >= 0) {
        options_.on_slots_freed();
    }
}

void HandlerPool::run(Slot& slot) {
    std::vector<HeldJob*> taken;
    std::optional<Uuid> tenant;
    Job buffer;
    while (queue_.take(taken, tenant)) {
        slot.load(taken);
        while (HeldJob* job = queue_.closed() ? nullptr : slot.next()) {
            execute(slot, *job, buffer);
        }
    }
}

void HandlerPool::execute(Slot& slot, HeldJob& held, Job& job) {
    if (held.lost.load()) {
        dropped(held);
        held_.settled(held);
        return;
    }
    JobType& type = *held.type;
    const auto began = Clock::now();
    running_.fetch_add(1, std::memory_order_relaxed);
    slot.begin(held, began);
    {
        HandlerContext context(slot, held, job, options_.log, pool_);
        const Outcome outcome = read_and_call(held, job, context);
        const auto took = Clock::now() - began;
        type.measured(took);
        Settlement settlement = settlement_of(held, outcome, options_.redactor);
        settlement.duration = std::chrono::duration_cast<std::chrono::microseconds>(took);
        if (discards_writes(outcome) && context.opened() != nullptr) {
            context.opened()->rollback();
        }
        overrule(slot.end(), context, settlement);
        spare_the_attempt(context, settlement);
        settle(context, std::move(settlement));
    }
    running_.fetch_sub(1, std::memory_order_relaxed);
    ended(type);
}

// Past its time limit an attempt has failed, whatever the handler says. A handler that gave up
// because the worker stops has not: its job is released and the attempt is not counted.
void HandlerPool::overrule(StopReason reason, HandlerContext& context,
                           Settlement& settlement) const {
    if (reason == StopReason::timeout) {
        settlement.verdict = Verdict::retry;
        settlement.seconds.reset();
        settlement.json = error_json(JobError("TIMEOUT", "the handler exceeded its time limit"),
                                     true, options_.redactor);
    } else if (reason == StopReason::draining && settlement.verdict == Verdict::retry) {
        settlement.verdict = Verdict::release;
    } else {
        return;
    }
    if (context.opened() != nullptr) {
        context.opened()->rollback();
    }
}

// A payload that can never be read fails its job. One that cannot be read now (no connection, a
// server that is gone) is a shortage of our own and costs no attempt.
Outcome HandlerPool::read_and_call(const HeldJob& held, Job& job, HandlerContext& context) const {
    auto read = held.batch->read(held.row, job);
    if (read && !held.batch->has_payload(held.row)) {
        read = read_payload(pool_.connections(), held, job);
        if (!read && read.error().code != ErrorCode::JOB_PAYLOAD_INVALID) {
            auto fields = job_fields(held);
            fields.emplace_back("error", read.error().describe());
            options_.log.warn("the payload of a job could not be read; it is tried again", fields);
            return Snooze{kShortagePause};
        }
    }
    return read ? call_handler(held, context) : Outcome(Fail{JobError(read.error())});
}

Outcome HandlerPool::call_handler(const HeldJob& job, HandlerContext& context) const {
    try {
        Outcome outcome = job.type->handler(context);
        return outcome.valueless_by_exception() ? unknown_failure("the handler returned no outcome")
                                                : outcome;
    } catch (const std::exception& error) {
        if (context.opened() != nullptr) {
            context.opened()->rollback();
        }
        return unknown_failure(error.what());
    } catch (...) {
        if (context.opened() != nullptr) {
            context.opened()->rollback();
        }
        return unknown_failure("the handler threw something that is not a std::exception");
    }
}

void HandlerPool::ended(JobType& type) {
    type.active.fetch_sub(1, std::memory_order_relaxed);
    const int active = active_.fetch_sub(1) - 1;
    if (active <= wake_at_.load() && wake_at_.exchange(-1) >= 0) {
        options_.on_slots_freed();
    }
}

void HandlerPool::dropped(HeldJob& job) {
    ended(*job.type);
}

void HandlerPool::watch() {
    while (!watch_signal_.stopped()) {
        if (active() == 0) {
            watch_idle_.store(true);
            if (active() == 0) {
                watch_signal_.wait_for(1h);
            }
            continue;
        }
        watch_signal_.pause(kWatchStep);
        const auto now = Clock::now();
        // A worker that cannot renew will lose its leases, and its locks should go with them.
        const Clock::time_point renewed = held_.renewed();
        for (const auto& slot : slots_) {
            slot->check_deadline(now);
            slot->keep_transaction_alive(now, renewed);
            std::vector<HeldJob*> waiting = slot->give_back(now - kSlowNeighbour);
            queue_.put_back(waiting);
        }
        queue_.wake_one();
    }
}

void HandlerPool::request_stop(const Uuid& job_id, std::int64_t lease_token, StopReason reason) {
    for (const auto& slot : slots_) {
        if (slot->request_stop(job_id, lease_token, reason)) {
            return;
        }
    }
}

void HandlerPool::request_stop_all(StopReason reason) {
    for (const auto& slot : slots_) {
        slot->request_stop(reason);
    }
}

std::vector<HeldJob*> HandlerPool::take_unstarted() {
    for (const auto& slot : slots_) {
        std::vector<HeldJob*> waiting = slot->give_back();
        queue_.put_back(waiting);
    }
    return queue_.take_all();
}

std::vector<HeldJobs::Lease> HandlerPool::running_leases() const {
    std::vector<HeldJobs::Lease> leases;
    for (const auto& slot : slots_) {
        if (auto lease = slot->running()) {
            leases.push_back(*lease);
        }
    }
    return leases;
}

bool HandlerPool::runs_for(const JobType& type, std::chrono::microseconds time) const {
    const auto before = Clock::now() - time;
    return std::any_of(slots_.begin(), slots_.end(),
                       [&](const auto& slot) { return slot->runs_since(type, before); });
}

int HandlerPool::held_up(std::chrono::microseconds time) const {
    if (queue_.size() == 0) {
        return 0;
    }
    const auto before = Clock::now() - time;
    std::vector<Uuid> tenants;
    for (const auto& slot : slots_) {
        if (const auto tenant = slot->tenant_since(before)) {
            tenants.push_back(*tenant);
        }
    }
    return tenants.empty() ? 0 : queue_.held_up(tenants);
}

void HandlerPool::close() {
    queue_.close();
}

}  // namespace jobforge::engine
