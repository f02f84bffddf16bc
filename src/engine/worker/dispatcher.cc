#include "engine/worker/dispatcher.h"

#include <algorithm>
#include <cmath>

#include "engine/settle/settlement_report.h"

namespace jobforge::engine {

namespace {

using namespace std::chrono_literals;

// How much work to have at hand beyond the slots, for very short jobs.
constexpr double kAheadSeconds = 0.05;
// A claim's largest size; beyond a thousand nothing is gained and locks are held longer.
constexpr int kLargestClaim = 1000;
// Wake-ups while work is known bring the next look forward, but not closer than this.
constexpr auto kWokenLookInterval = 2ms;
// A request to be woken outlives the nap it is for by this much.
constexpr auto kWakeMargin = 5ms;
// How long the sessions for renewals and outcomes may be away before what was claimed for nothing
// is given back, and how often the dispatcher looks whether they are there.
constexpr auto kUnableGrace = 3s;
constexpr auto kUnableStep = 100ms;
// How soon it is seen that what fills the slots turned out long (Claimer::kShort).
constexpr auto kRoomStep = 100ms;
// While a limit blocks due jobs: polls come at least this often, because no notification comes.
constexpr auto kLimitedNap = 100ms;

}  // namespace

Dispatcher::Dispatcher(Options options, Claimer::Options claimer, const JobTypes& types,
                       HandlerPool& pool, HeldJobs& held, Completer& completer,
                       WorkerCounters& counters, DbHealth& health)
    : options_(std::move(options)),
      types_(types),
      pool_(pool),
      held_(held),
      completer_(completer),
      counters_(counters),
      claimer_(std::move(claimer), types),
      throttle_(options_.poll_interval),
      session_("dispatcher", options_.connect, health, signal_) {}

Dispatcher::~Dispatcher() {
    stop();
}

void Dispatcher::start() {
    thread_ = std::thread([this] { run(); });
}

void Dispatcher::stop() {
    if (thread_.joinable()) {
        signal_.stop();
        thread_.join();
    }
}

void Dispatcher::wake() noexcept {
    woken_ = true;
    signal_.notify();
}

void Dispatcher::slots_freed() noexcept {
    signal_.notify();
}

void Dispatcher::flushed() noexcept {
    if (limited_.load(std::memory_order_relaxed)) {
        signal_.notify();
    }
}

void Dispatcher::requeued() noexcept {
    if (!requeued_.exchange(true)) {
        signal_.notify();
    }
}

// A worker that claims what it cannot renew or settle keeps it from the others: with too few
// connections for all sessions one was seen to hold 20,585 jobs while a healthy one was idle.
bool Dispatcher::may_claim() {
    if (options_.can_settle()) {
        unable_since_ = Clock::time_point::max();
        return true;
    }
    if (unable_since_ == Clock::time_point::max()) {
        unable_since_ = Clock::now();
    }
    lost_touch();
    session_.drop_if_closed();
    if (session_.connected() && Clock::now() - unable_since_ >= kUnableGrace) {
        if (pg::Connection* connection = session_.connection(); connection != nullptr) {
            options_.give_back(*connection);
        }
        session_.disconnect();
    }
    signal_.wait_for(kUnableStep);
    return false;
}

void Dispatcher::run() {
    while (!signal_.stopped()) {
        if (!may_claim()) {
            continue;
        }
        pg::Connection* connection = session_.connection();
        if (connection == nullptr) {
            lost_touch();
            continue;
        }
        if (auto done = step(*connection); done) {
            session_.succeeded();
            claiming_ = true;
        } else {
            lost_touch();
            session_.failed(done.error());
        }
    }
    claiming_ = false;
}

void Dispatcher::lost_touch() {
    claiming_ = false;
    needs_look_ = true;
    nothing_due_ = false;
    found_some_ = false;
}

Status Dispatcher::step(pg::Connection& connection) {
    if (claimer_.has_pending()) {
        return submit(claimer_.read_pending(connection));
    }
    auto lanes = claimer_.claimable();
    // A tenant whose jobs turned out long may have many more here, of a type that was short.
    const int held_up = pool_.held_up(Claimer::kShort);
    const int ahead = held_up > 0 ? 0 : prefetch(lanes);
    const int free_slots = options_.slots + ahead - (pool_.active() - held_up);
    // With work ahead a claim waits until half of it is used up: large claims are cheap ones.
    const int worth = ahead > 0 ? (options_.slots + ahead) / 2 : 1;
    if (free_slots < worth || completer_.backlog() >= Completer::kMaxBacklog) {
        wait_for_slots(options_.slots + ahead + held_up - worth);
        return ok_status();
    }
    if (limited_.load()) {
        return nap(connection);
    }
    if (lanes.empty() && std::exchange(nothing_due_, false) && !woken_.load()) {
        return nap(connection);
    }
    const bool woken = lanes.empty() && woken_.exchange(false);
    if (woken) {
        throttle_.woken(Clock::now());
    }
    if (woken || (lanes.empty() && std::exchange(poll_, false) && !look_is_due())) {
        return claim_anywhere(connection, std::min(free_slots, kLargestClaim));
    }
    if (look_is_due() || lanes.empty()) {
        if (auto looked = look(connection); !looked) {
            return looked;
        }
        lanes = claimer_.claimable();
        if (lanes.empty() && claimer_.lanes().interrupted_due(claimer_.now_us())) {
            limited_ =
                true;  // unless the claim gives some: the quarantine is full, or a limit reached
            return claim_anywhere(connection, std::min(free_slots, kLargestClaim));
        }
    }
    return lanes.empty()
               ? nap(connection)
               : claim(connection, std::min(free_slots, kLargestClaim), lanes, held_up > 0);
}

void Dispatcher::wait_for_slots(int limit) {
    pool_.wake_when_active(std::max(0, limit));
    signal_.wait_for(completer_.backlog() >= Completer::kMaxBacklog ? 5ms : kRoomStep);
}

bool Dispatcher::look_is_due() const {
    const auto since = Clock::now() - looked_;
    return needs_look_ || since >= look_interval_ || (woken_.load() && since >= kWokenLookInterval);
}

Status Dispatcher::look(pg::Connection& connection) {
    if (woken_.exchange(false)) {
        throttle_.woken(Clock::now());
    }
    requeued_ = false;
    return looked(claimer_.look(connection));
}

Status Dispatcher::looked(Result<std::chrono::microseconds> cost) {
    if (!cost) {
        return cost.error();
    }
    needs_look_ = false;
    looked_ = Clock::now();
    look_interval_ = look_interval(*cost);
    return ok_status();
}

Status Dispatcher::claim(pg::Connection& connection, int free_slots,
                         const std::vector<const Lane*>& lanes, bool capped) {
    auto batch = claimer_.claim(connection, free_slots, lanes, capped);
    if (batch) {
        const int got = *batch ? static_cast<int>((*batch)->jobs().size()) : 0;
        needs_look_ = needs_look_ || got < free_slots;
        limited_ = got == 0;
    }
    return submit(std::move(batch));
}

// Finds the lanes itself. Less than asked for: nothing else is due, so a nap may follow, which
// looks again if it asks to be woken; else the look's own interval does.
Status Dispatcher::claim_anywhere(pg::Connection& connection, int limit) {
    auto batch = claimer_.claim_anywhere(connection, limit);
    if (batch) {
        const int got = *batch ? static_cast<int>((*batch)->jobs().size()) : 0;
        nothing_due_ = got < limit;
        limited_ = limited_.load() && got == 0;
        found_some_ = got > 0;
        needs_look_ = needs_look_ || !nothing_due_;
    }
    return submit(std::move(batch));
}

Status Dispatcher::submit(Result<std::unique_ptr<HeldBatch>> batch) {
    if (!batch) {
        return batch.error();
    }
    if (*batch) {
        throttle_.found_work();
        pool_.submit(take_in(std::move(*batch)));
    }
    return ok_status();
}

std::span<HeldJob> Dispatcher::take_in(std::unique_ptr<HeldBatch> batch) {
    const std::span<HeldJob> jobs = held_.add(std::move(batch));
    counters_.acquired.fetch_add(jobs.size(), std::memory_order_relaxed);
    const auto shortest = std::min_element(
        jobs.begin(), jobs.end(), [](const auto& a, const auto& b) { return a.lease < b.lease; });
    options_.on_lease(shortest->lease);
    warn_of_interrupted(jobs);
    return jobs;
}

void Dispatcher::warn_of_interrupted(std::span<HeldJob> jobs) const {
    for (const HeldJob& job : jobs) {
        if (const int times = job.batch->interruptions(job.row); times > 0) {
            auto fields = job_fields(job);
            fields.emplace_back("interruptions", times);
            options_.log.warn("a job that lost its worker runs again, in quarantine", fields);
        }
    }
}

// The slowest type decides: jobs claimed ahead wait behind each other, and other workers cannot
// have them. A type that has never run counts as slow.
int Dispatcher::prefetch(const std::vector<const Lane*>& lanes) const {
    double slowest = 0;
    const JobType* last = nullptr;
    for (const Lane* lane : lanes) {
        if (last == nullptr || last->name != lane->type) {
            last = types_.find(lane->type);
            const double mean = last->mean_seconds.load(std::memory_order_relaxed);
            slowest = std::max(slowest, mean < 0 ? kAheadSeconds : mean);
        }
    }
    if (lanes.empty() || slowest >= kAheadSeconds) {
        return 0;
    }
    const double ahead = options_.slots * kAheadSeconds / std::max(slowest, 1e-6);
    return static_cast<int>(std::min<double>(ahead, options_.prefetch));
}

Status Dispatcher::ask_and_look(pg::Connection& connection, Clock::time_point end) {
    const auto now = Clock::now();
    const auto until = end + WakeThrottle::kAskAhead;
    const auto time = std::chrono::ceil<std::chrono::milliseconds>(until - now);
    requeued_ = false;
    auto seen = looked(claimer_.ask_for_wake_and_look(connection, time));
    if (seen) {
        throttle_.asked(until);
    }
    return seen;
}

// A handler's end does not end a nap, unless a limit may have kept a due job waiting: the
// looks after each job of a trickle stood in the way of the next one (p50 2.2 to 2.5 ms instead
// of 1.7 to 2.3 on the same server).
void Dispatcher::sleep_until(Clock::time_point end, bool slots_matter) {
    if (slots_matter) {
        pool_.wake_when_active(pool_.active() - 1);
        signal_.wait_until(end);
        return;
    }
    while (!woken_.load() && !requeued_.load() && !signal_.stopped() && Clock::now() < end) {
        signal_.wait_until(end);
    }
}

// Asks to be woken, looks once more (an enqueue may have come in between), then sleeps.
Status Dispatcher::nap(pg::Connection& connection) {
    const auto now = Clock::now();
    auto nap = throttle_.next_nap(now);
    const bool limited = limited_.load();
    if (limited) {
        nap = std::min<std::chrono::milliseconds>(nap, kLimitedNap);
    }
    const bool asks = options_.listening() && throttle_.may_ask(now);
    const auto end = now + nap + kWakeMargin;
    // Should the request be lost with its server: the nap after work is short, the next one asks.
    const bool look_due = look_is_due() || requeued_.load();
    if (asks && !throttle_.sleeps_at_once(end, std::exchange(found_some_, false), look_due)) {
        if (auto seen = ask_and_look(connection, end); !seen) {
            return seen;
        }
        if (!limited && (!claimer_.claimable().empty() ||
                         claimer_.lanes().interrupted_due(claimer_.now_us()))) {
            needs_look_ = claimer_.claimable().empty();
            return ok_status();
        }
    }
    auto until = Clock::now() + nap;
    if (const auto next = claimer_.lanes().next_due(claimer_.now_us())) {
        until = std::min(
            until, Clock::now() + std::chrono::microseconds(*next - claimer_.now_us()) + 200us);
    }
    sleep_until(until, limited || claimer_.has_limits());
    if (woken_.load()) {
        throttle_.found_work();
    }
    limited_ = false;
    poll_ = !asks && !throttle_.may_ask(now);
    needs_look_ = needs_look_ || !(poll_ || woken_.load());
    return ok_status();
}

}  // namespace jobforge::engine
