// Run handlers for jobs.
//
//     jobforge::Worker worker({.database_url = url, .slots = 16});
//     worker.on("send_email", [](jobforge::JobContext& context) -> jobforge::Outcome {
//         return jobforge::Done{};
//     });
//     auto status = worker.run();   // until stop(), e.g. from a signal
//
// A handler runs at least once per attempt; what it writes in context.transaction() takes effect
// exactly once. It runs on a thread of the worker's pool and should look at the stop token now and
// then: it is asked to stop when the job is cancelled, the lease is lost, the time limit has passed
// or the worker drains. Whatever a handler throws is caught, stored as the job's error, and
// retried.
//
// Threads: on() before start(); stop() and the getters from any thread and from signal-driven code.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/job.h>
#include <jobforge/log.h>
#include <jobforge/outcome.h>
#include <jobforge/transaction.h>

namespace jobforge {

enum class StopReason { none, cancelled, lease_lost, timeout, draining };

class JobContext {
public:
    virtual ~JobContext() = default;
    [[nodiscard]] virtual const Job& job() const noexcept = 0;
    [[nodiscard]] virtual std::stop_token stop_token() const noexcept = 0;
    [[nodiscard]] virtual StopReason stop_reason() const noexcept = 0;
    [[nodiscard]] virtual const Logger& log() const noexcept = 0;
    // The completion transaction, begun at the first call. DB_UNAVAILABLE when none can be had.
    [[nodiscard]] virtual Result<Transaction*> transaction() = 0;
};

using Handler = std::function<Outcome(JobContext&)>;

struct TypeOptions {
    std::optional<int> concurrency = std::nullopt;  // at most this many at once in this worker
    std::optional<std::chrono::seconds> timeout =
        std::nullopt;  // default: the type's policy, or none
};

struct WorkerOptions {
    std::string database_url;
    std::string worker_id = {};  // default: host-pid-random
    int slots = 0;               // handlers at once; 0: cores x 4
    int prefetch = 1000;         // most jobs claimed ahead of slots, used only for very short jobs
    // The share of the slots that jobs of one tenant may take while there are other tenants, so
    // that long jobs of one leave slots for the others; at least one slot, 1: no bound. It holds
    // for short jobs as well, because nothing says how long the next one of a type takes.
    double tenant_share = 0.8;
    std::chrono::milliseconds poll_interval{1000};
    std::chrono::seconds lease{60};        // per-type policy wins
    std::chrono::seconds lease_renew{30};  // at most half the lease
    // What stop() takes at most, at least 3 s. Its last 2.2 s are for giving back and storing what
    // has ended; running handlers get the rest.
    std::chrono::seconds drain_grace{30};
    int pool_size = 10;                     // connections for handlers' transactions
    std::vector<Uuid> tenants = {};         // empty: all
    bool listen = true;                     // LISTEN for wake-ups (needs a direct connection)
    std::string listen_url = {};            // direct connection when database_url is a PgBouncer
    bool maintenance = true;                // take back leases, run schedules, prune
    bool tenant_metrics = true;             // tenant_id labels in metrics_text()
    std::vector<std::string> secrets = {};  // blanked out of stored errors
    Logger log = {};
};

// Counters since start, for metrics. Monotonic.
struct WorkerNumbers {
    std::uint64_t acquired = 0, succeeded = 0, retried = 0, snoozed = 0, failed = 0, cancelled = 0;
    std::uint64_t dead_lettered = 0, lease_renewals = 0, leases_lost = 0, reconnects = 0;
    int running = 0;
    int pool_in_use = 0;
};

class Worker final {
public:
    explicit Worker(WorkerOptions options);
    // stop() and wait, also for handlers that ignore their stop token: they use the worker's parts.
    // A program that must end calls wait(), and if numbers().running is not 0 then, std::_Exit().
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // Registers the handler of a type. Precondition: not started; one handler per type.
    Worker& on(const std::string& type, Handler handler, TypeOptions options = {});
    // Typed payload: T needs `static Result<T> from_json(const Json&)`. A payload that does not fit
    // is JOB_PAYLOAD_INVALID and FAILED at once, with from_json's message.
    template <typename T>
    Worker& on(const std::string& type, std::function<Outcome(JobContext&, const T&)> handler,
               TypeOptions options = {});

    // Connects, registers, starts its threads. Errors: CONFIG_MISSING, DB_UNAVAILABLE, UNAUTHORIZED
    // ...
    [[nodiscard]] Status start();
    // start(), then wait until stopped.
    [[nodiscard]] Status run();
    // Asks for a graceful end: no new claims, handlers get drain_grace, the rest is released
    // without counting the attempt. Returns at once; async-signal-safe is request_stop() only.
    void stop();
    void request_stop() noexcept;
    // Waits until the worker has stopped: everything finished is stored, everything else given
    // back. A handler that ignores its stop token may still run then; its answer is refused, and
    // ~Worker waits for it to return.
    void wait();
    // Look now (a trigger arrived from elsewhere).
    void wake() noexcept;

    [[nodiscard]] const std::string& worker_id() const noexcept;
    [[nodiscard]] WorkerNumbers numbers() const noexcept;
    [[nodiscard]] bool ready() const noexcept;  // connected and claiming
    // Prometheus text of this worker and, where it can be read, of the database.
    [[nodiscard]] std::string metrics_text();

private:
    struct State;
    std::unique_ptr<State> state_;
};

template <typename T>
Worker& Worker::on(const std::string& type, std::function<Outcome(JobContext&, const T&)> handler,
                   TypeOptions options) {
    return on(type, Handler([handler = std::move(handler)](JobContext& context) -> Outcome {
                  Result<T> payload = T::from_json(context.job().payload);
                  if (!payload) {
                      return Fail{JobError("JOB_PAYLOAD_INVALID", payload.error().message)};
                  }
                  return handler(context, *payload);
              }),
              options);
}

}  // namespace jobforge
