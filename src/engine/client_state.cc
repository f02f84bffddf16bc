#include "engine/client_state.h"

#include <algorithm>
#include <random>
#include <thread>

#include "core/backoff.h"

namespace jobforge {

namespace {

using Clock = std::chrono::steady_clock;

// true as third argument: until the end of this transaction, never of the session.
constexpr pg::Statement kSetTenant{"set_tenant",
                                   "select pg_catalog.set_config('app.tenant_id', $1, true)"};

pg::PoolOptions pool_options(const ClientOptions& options) {
    pg::PoolOptions pool;
    pool.connect.url = options.database_url;
    pool.connect.application_name = "jobforge client";
    pool.connect.prepare_statements = true;
    pool.connect.connect_timeout = std::clamp(options.timeout, std::chrono::milliseconds(1000),
                                              std::chrono::milliseconds(60000));
    pool.max_size = options.pool_size;
    pool.acquire_timeout = options.timeout;
    return pool;
}

// Whether the same call may be sent again. A refusal (JFxxx, constraint, rights) never is.
bool may_repeat(const Error& error, Repeat repeat) {
    if (error.code != ErrorCode::DB_UNAVAILABLE || !error.retryable) {
        return false;
    }
    return !error.outcome_unknown || repeat == Repeat::always;
}

double random_part() {
    thread_local std::minstd_rand generator{std::random_device{}()};
    return std::uniform_real_distribution<double>(0.0, 1.0)(generator);
}

}  // namespace

Client::State::State(ClientOptions given)
    : options(std::move(given)), pool(pool_options(options)) {}

Result<std::vector<pg::Rows>> Client::State::run_on(pg::Connection& connection,
                                                    std::span<const ClientCall> calls) const {
    if (options.tenant_id) {
        connection.queue(kSetTenant, std::move(pg::Params().text(options.tenant_id->to_string())));
    }
    for (const ClientCall& call : calls) {
        connection.queue(call.statement, call.params);
    }
    auto rows = connection.flush();
    if (rows.ok() && options.tenant_id) {
        rows->erase(rows->begin());
    }
    return rows;
}

Result<std::vector<pg::Rows>> Client::State::run(std::span<const ClientCall> calls, Repeat repeat) {
    const auto deadline = Clock::now() + options.timeout;
    for (int failures = 1;; ++failures) {
        Error error;
        if (auto connection = pool.acquire(); !connection.ok()) {
            error = std::move(connection).error();
        } else if (auto rows = run_on(**connection, calls); rows.ok()) {
            return rows;
        } else {
            error = std::move(rows).error();
        }
        const std::chrono::milliseconds pause(reconnect_delay_ms(failures, random_part()));
        if (!may_repeat(error, repeat) || Clock::now() + pause >= deadline) {
            return error;
        }
        std::this_thread::sleep_for(pause);
    }
}

Result<pg::Rows> Client::State::run_one(const pg::Statement& statement, pg::Params params,
                                        Repeat repeat) {
    const ClientCall call{statement, std::move(params)};
    auto rows = run(std::span(&call, 1), repeat);
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    return std::move(rows->front());
}

void Client::State::announce(std::span<const Enqueued> jobs) const noexcept {
    if (!options.after_enqueue) {
        return;
    }
    try {
        std::vector<Uuid> added;
        for (const Enqueued& job : jobs) {
            if (!job.deduplicated) {
                added.push_back(job.job_id);
            }
        }
        if (!added.empty()) {
            options.after_enqueue(added);
        }
    } catch (...) {  // NOLINT(bugprone-empty-catch): a hint that failed; polling finds the jobs
    }
}

TimePoint to_time(pg::Timestamp at) noexcept {
    return TimePoint(std::chrono::microseconds(at.unix_us));
}

pg::Timestamp to_timestamp(TimePoint at) noexcept {
    return pg::Timestamp{at.time_since_epoch().count()};
}

std::optional<pg::Timestamp> to_timestamp(const std::optional<TimePoint>& at) noexcept {
    return at ? std::optional(to_timestamp(*at)) : std::nullopt;
}

}  // namespace jobforge
