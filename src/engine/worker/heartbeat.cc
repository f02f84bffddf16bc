#include "engine/worker/heartbeat.h"

#include <algorithm>

#include "statements/claims.h"
#include "statements/operations.h"

namespace jobforge::engine {

namespace {

using namespace std::chrono_literals;

constexpr auto kRegistryInterval = 10s;
constexpr auto kLookAround = 500ms;
constexpr auto kBetweenChecks = 100ms;
constexpr std::size_t kRenewalBatch = 2000;
// As the dispatcher's.
constexpr auto kUnableGrace = 3s;

}  // namespace

Heartbeat::Heartbeat(Options options, HeldJobs& held, WorkerCounters& counters, DbHealth& health)
    : options_(std::move(options)),
      held_(held),
      counters_(counters),
      session_("heartbeat", options_.connect, health, signal_) {
    interval_us_ = std::chrono::duration_cast<std::chrono::microseconds>(interval()).count();
}

Heartbeat::~Heartbeat() {
    stop();
}

void Heartbeat::start() {
    thread_ = std::thread([this] { run(); });
}

void Heartbeat::state(std::string state) {
    const std::lock_guard guard(mutex_);
    state_ = std::move(state);
    registered_ = Clock::time_point::min();
    signal_.notify();
}

void Heartbeat::stop() {
    if (!thread_.joinable()) {
        return;
    }
    signal_.stop_at_once();
    thread_.join();
}

void Heartbeat::check_running() {
    check_running_ = true;
    signal_.notify();
}

void Heartbeat::check_all() {
    renew_now_ = true;
    signal_.notify();
}

void Heartbeat::note_lease(std::chrono::microseconds lease) {
    if (lease.count() / 2 < interval_us_.load(std::memory_order_relaxed)) {
        interval_us_.store(lease.count() / 2);
        signal_.notify();
    }
}

Clock::duration Heartbeat::interval() const {
    const std::chrono::microseconds wanted = options_.renew;
    const auto shortest = held_.shortest_lease();
    return shortest ? std::min(wanted, std::max<std::chrono::microseconds>(*shortest / 2, 100ms))
                    : wanted;
}

void Heartbeat::run() {
    while (!signal_.stopped()) {
        session_.drop_if_closed();
        // Before the wait: the dispatcher claims only when leases can be renewed.
        if (session_.connection() == nullptr) {
            continue;
        }
        Clock::time_point registered;
        {
            const std::lock_guard guard(mutex_);
            registered = registered_;
        }
        const auto renewal = renew_now_.load()
                                 ? Clock::now()  // after a failure: claims wait for one that works
                                 : renewed_ + std::chrono::microseconds(interval_us_.load());
        const auto registry =
            registered == Clock::time_point::min() ? Clock::now() : registered + kRegistryInterval;
        // An idle one looks now and then whether another session has found the server gone.
        const auto check = Clock::now() + (check_running_.load() ? kBetweenChecks : kLookAround);
        signal_.wait_until(std::min({renewal, registry, check}));
        pg::Connection* connection = session_.connection();
        if (connection == nullptr) {
            continue;
        }
        in_flight_.begin();
        auto done = beat(*connection);
        in_flight_.end();
        works_ = done.ok();
        if (done) {
            session_.succeeded();
        } else {
            renew_now_ = true;
            session_.failed(done.error());
        }
    }
    // The registry's last word is a courtesy: one try, of half a second at most.
    pg::ConnectOptions last = options_.connect;
    last.give_up = [until = Clock::now() + 500ms] { return Clock::now() >= until; };
    if (auto connection = pg::Connection::connect(last)) {
        (void)register_beat(*connection, "STOPPED");
    }
}

// What can be renewed and not settled would stay here for ever: the dispatcher gives it back, but
// after a restart of the server it may be the one without a connection.
void Heartbeat::give_back_unsettled(pg::Connection& connection) {
    if (options_.can_settle()) {
        unable_since_ = Clock::time_point::max();
        return;
    }
    unable_since_ = std::min(unable_since_, Clock::now());
    if (Clock::now() - unable_since_ >= kUnableGrace) {
        options_.give_back(connection);
    }
}

Status Heartbeat::beat(pg::Connection& connection) {
    give_back_unsettled(connection);
    const auto now = Clock::now();
    if (check_running_.load() && now >= checked_running_ + kBetweenChecks) {
        check_running_ = false;
        checked_running_ = now;
        if (auto renewed = renew(connection, options_.running_leases()); !renewed) {
            return renewed;
        }
    }
    if (renew_now_.exchange(false) ||
        now >= renewed_ + std::chrono::microseconds(interval_us_.load())) {
        if (auto renewed = renew(connection, held_.renewable(now)); !renewed) {
            return renewed;
        }
        renewed_ = now;
        held_.renewed(now);
        interval_us_ = std::chrono::duration_cast<std::chrono::microseconds>(interval()).count();
    }
    std::string state;
    {
        const std::lock_guard guard(mutex_);
        if (registered_ != Clock::time_point::min() && now < registered_ + kRegistryInterval) {
            return ok_status();
        }
        registered_ = now;
        state = state_;
    }
    return register_beat(connection, state);
}

Status Heartbeat::renew(pg::Connection& connection, const std::vector<HeldJobs::Lease>& leases) {
    for (std::size_t begin = 0; begin < leases.size(); begin += kRenewalBatch) {
        const std::size_t end = std::min(leases.size(), begin + kRenewalBatch);
        std::vector<Uuid> tenants;
        std::vector<Uuid> job_ids;
        std::vector<std::int64_t> tokens;
        std::vector<Uuid> claim_ids;
        for (std::size_t i = begin; i < end; ++i) {
            tenants.push_back(leases[i].tenant_id);
            job_ids.push_back(leases[i].job_id);
            tokens.push_back(leases[i].lease_token);
            claim_ids.push_back(leases[i].claim_id);
        }
        pg::Params params;
        params.text(options_.worker_id).uuid_array(tenants).uuid_array(job_ids).int8_array(tokens);
        params.int4(static_cast<std::int32_t>(options_.lease.count())).uuid_array(claim_ids);
        auto gone = connection.exec(statements::claims::kHeartbeatJobs, params);
        if (!gone) {
            return gone.error();
        }
        counters_.lease_renewals.fetch_add(end - begin - static_cast<std::size_t>(gone->size()));
        for (int row = 0; row < gone->size(); ++row) {
            const Uuid job_id = gone->uuid(row, 0);
            const std::int64_t token = gone->integer(row, 1);
            const bool cancelled = gone->text(row, 2) == "CANCELLED";
            // Settled meanwhile: not held any more, and nothing is lost.
            if (held_.lose(job_id, token)) {
                counters_.leases_lost.fetch_add(cancelled ? 0 : 1);
                options_.log.warn(cancelled ? "the job was cancelled: its handler is told to stop"
                                            : "the lease is lost: its handler is told to stop",
                                  {{"job_id", job_id.to_string()}});
                options_.on_lost(job_id, token,
                                 cancelled ? StopReason::cancelled : StopReason::lease_lost);
            }
        }
    }
    return ok_status();
}

Status Heartbeat::register_beat(pg::Connection& connection, const std::string& state) {
    pg::Params params;
    params.text(options_.worker_id).int4(options_.running()).text(state);
    auto beaten = connection.exec(statements::operations::kWorkerHeartbeat, params);
    return beaten ? ok_status() : Status(beaten.error());
}

}  // namespace jobforge::engine
