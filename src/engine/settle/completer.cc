#include "engine/settle/completer.h"

#include <algorithm>

#include "engine/settle/settle_calls.h"

namespace jobforge::engine {

namespace {

using namespace std::chrono_literals;

// Enough outcomes to be worth a flush although more are coming; the wait for them is bounded.
constexpr std::size_t kWorthAFlush = 500;
constexpr auto kLinger = 3ms;
// How often an idle completer looks whether another session has found the server gone.
constexpr auto kLookAround = 500ms;
constexpr auto kParkedInterval = 500ms;
constexpr const char* kRefusedResult =
    "the handler's result cannot be stored: it is larger than 16 MiB, or has a number of more than "
    "400 digits";

bool is_locked(const Error& error) {
    return error.sqlstate == "55P03";
}

}  // namespace

Completer::Completer(Options options, HeldJobs& held, SettlementReport& report, DbHealth& health)
    : options_(std::move(options)),
      held_(held),
      report_(report),
      session_("completer", options_.connect, health, signal_) {}

Completer::~Completer() {
    finish(Clock::now());
}

void Completer::start() {
    thread_ = std::thread([this] { run(); });
}

void Completer::push(Settlement&& settlement) {
    settlement.job->phase.store(Phase::ended, std::memory_order_relaxed);
    bool wake = false;
    {
        std::unique_lock lock(mutex_);
        drained_.wait(lock, [this] { return pending_.size() < kMaxBacklog || signal_.stopped(); });
        pending_.push_back(std::move(settlement));
        wake = waiting_ &&
               (pending_.size() == 1 || pending_.size() >= kWorthAFlush || !options_.more_coming());
        waiting_ = waiting_ && !wake;
    }
    if (wake) {
        filled_.notify_one();
    }
}

std::size_t Completer::backlog() const {
    const std::lock_guard guard(mutex_);
    return pending_.size() + flushing_;
}

void Completer::finish(Clock::time_point deadline) {
    if (!thread_.joinable()) {
        return;
    }
    {
        std::unique_lock lock(mutex_);
        finishing_ = true;
        filled_.notify_one();
        drained_.wait_until(lock, deadline, [this] { return pending_.empty() && flushing_ == 0; });
    }
    signal_.stop_at_once();
    filled_.notify_one();
    drained_.notify_all();
    thread_.join();
}

void Completer::run() {
    std::vector<Settlement> batch;
    while (gather(batch)) {
        // Not only when there is an outcome: the dispatcher claims only while they can be stored.
        if (!session_.connected()) {
            (void)session_.connection();
        }
        in_flight_.begin();
        flush(batch);
        batch.clear();
        if (Clock::now() >= parked_due_) {
            retry_parked();
        }
        in_flight_.end();
        unstored_ = static_cast<std::size_t>(
            std::count_if(parked_.begin(), parked_.end(),
                          [](const Settlement& settlement) { return settlement.unstored; }));
        {
            const std::lock_guard guard(mutex_);
            flushing_ = parked_.size();
        }
        drained_.notify_all();
        batch.clear();
        options_.after_flush();
    }
}

bool Completer::gather(std::vector<Settlement>& batch) {
    std::unique_lock lock(mutex_);
    const auto wait_for_more = [&](auto until) {
        waiting_ = true;
        filled_.wait_until(lock, until, [this] { return !waiting_ || finishing_; });
        waiting_ = false;
    };
    while (pending_.empty() && !finishing_ && Clock::now() < parked_due_) {
        session_.drop_if_closed();
        if (!session_.connected() && !signal_.stopped()) {
            return true;  // with nothing: to connect
        }
        wait_for_more(std::min(parked_due_, Clock::now() + kLookAround));
    }
    if (!pending_.empty() && pending_.size() < kWorthAFlush && !finishing_ &&
        options_.more_coming()) {
        wait_for_more(Clock::now() + kLinger);
    }
    if ((pending_.empty() && finishing_ && parked_.empty()) || signal_.stopped()) {
        return false;
    }
    if (pending_.empty() && Clock::now() < parked_due_) {
        lock.unlock();
        signal_.pause(parked_due_ - Clock::now());
        return !signal_.stopped();
    }
    if (pending_.size() <= kBatch) {
        batch.swap(pending_);
    } else {
        const auto end = pending_.begin() + kBatch;
        batch.assign(std::make_move_iterator(pending_.begin()), std::make_move_iterator(end));
        pending_.erase(pending_.begin(), end);
    }
    flushing_ = batch.size() + parked_.size();
    return true;
}

void Completer::flush(std::vector<Settlement>& batch) {
    // In key order: renewals lock their rows in this order too, so the two cannot deadlock.
    std::sort(batch.begin(), batch.end(), [](const Settlement& a, const Settlement& b) {
        return std::tie(a.job->tenant_id, a.job->job_id) <
               std::tie(b.job->tenant_id, b.job->job_id);
    });
    bool again = false;
    auto on_locked = OnLocked::wait;
    while (!signal_.stopped() && !batch.empty()) {
        pg::Connection* connection = session_.connection();
        if (connection == nullptr) {
            continue;
        }
        auto sent = send(*connection, batch, again, on_locked);
        if (sent) {
            session_.succeeded();
            return;
        }
        if (is_locked(sent.error()) && on_locked == OnLocked::wait) {
            on_locked = OnLocked::skip;
            continue;
        }
        // Nothing waits while rows are skipped. If something does, its job is found and parked
        // alone.
        if (is_locked(sent.error())) {
            send_one_by_one(batch, again);
            return;
        }
        if (!sent.error().retryable && !sent.error().connection_lost) {
            send_one_by_one(batch, again);
            return;
        }
        again = again || sent.error().outcome_unknown;
        session_.failed(sent.error());
    }
}

// One transaction and one round trip for everything.
Status Completer::send(pg::Connection& connection, std::vector<Settlement>& batch, bool again,
                       OnLocked on_locked) {
    using Refusal = SettleCalls::Refusal;
    SettleCalls calls(options_.worker_id, batch);
    if (auto sent = calls.run(connection, on_locked); !sent) {
        return sent;
    }
    const LogBatch lines = report_.batch();
    for (std::size_t i = 0; i < batch.size(); ++i) {
        Settlement& settlement = batch[i];
        if (settlement.job == nullptr) {
            continue;
        }
        const Refusal refusal = calls.refusal(i);
        if (refusal == Refusal::locked) {
            settlement.unstored = false;
            park(settlement, again);
        } else if (refusal == Refusal::result) {
            settlement.verdict = Verdict::fail;
            settlement.json =
                error_json(JobError("JOB_PAYLOAD_INVALID", kRefusedResult), false, Redactor());
            park(settlement, again);
        } else if (refusal == Refusal::none) {
            report_.settled(settlement, settlement.verdict, calls.status(i));
            held_.settled(*std::exchange(settlement.job, nullptr));
        } else if (refusal == Refusal::settled && (again || settlement.maybe_settled)) {
            // An earlier sending, or the handler's own commit, has done it.
            report_.settled(settlement, settlement.maybe_settled.value_or(settlement.verdict));
            held_.settled(*std::exchange(settlement.job, nullptr));
        } else {
            finish_lost(settlement);
        }
    }
    return ok_status();
}

void Completer::finish_lost(Settlement& settlement) {
    report_.lost(settlement);
    held_.settled(*std::exchange(settlement.job, nullptr));
}

void Completer::park(Settlement& settlement, bool again) {
    if (again && !settlement.maybe_settled) {
        settlement.maybe_settled = settlement.verdict;
    }
    parked_.push_back(settlement);
    settlement.job = nullptr;
    parked_due_ = std::min(parked_due_, Clock::now() + kParkedInterval);
}

// All at once and without waiting: what is still locked is parked again.
void Completer::retry_parked() {
    std::vector<Settlement> batch;
    batch.swap(parked_);
    parked_due_ = Clock::time_point::max();
    pg::Connection* connection = session_.connection();
    Status sent = connection == nullptr
                      ? Status(Error::of(ErrorCode::DB_UNAVAILABLE, "not connected"))
                      : send(*connection, batch, false, OnLocked::skip);
    if (sent) {
        return;
    }
    if (is_locked(sent.error()) || (!sent.error().retryable && !sent.error().connection_lost)) {
        send_one_by_one(batch, false);
        return;
    }
    if (connection != nullptr) {
        session_.failed(sent.error());
    }
    for (Settlement& settlement : batch) {
        if (settlement.job != nullptr) {
            park(settlement, sent.error().outcome_unknown);
        }
    }
}

// The database refuses the batch, so some of them are to blame. A result that jsonb does not take
// (a number of a million digits): that job fails with the database's message.
void Completer::send_one_by_one(std::vector<Settlement>& batch, bool again) {
    std::vector<Settlement> one(1);
    for (Settlement& settlement : batch) {
        if (settlement.job != nullptr) {
            one[0] = std::move(settlement);
            send_alone(one, again);
        }
    }
}

void Completer::send_alone(std::vector<Settlement>& one, bool again) {
    bool replaced = false;
    while (one[0].job != nullptr && !signal_.stopped()) {
        pg::Connection* connection = session_.connection();
        if (connection == nullptr) {
            continue;
        }
        const auto sent = send(*connection, one, again, OnLocked::skip);
        if (sent) {
            return;
        }
        const Error& error = sent.error();
        if (is_locked(error)) {
            one[0].unstored = true;
            park(one[0], again);
        } else if (error.retryable || error.connection_lost) {
            again = again || error.outcome_unknown;
            session_.failed(error);
        } else if (!replaced) {
            replaced = true;
            one[0].verdict = Verdict::fail;
            one[0].json = error_json(JobError(error), false, Redactor());
        } else {
            report_.unstorable(one[0], error);
            held_.settled(*std::exchange(one[0].job, nullptr));
        }
    }
}

}  // namespace jobforge::engine
