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

// What this worker does with jobs of one type. The type's policy in the database (docs/jobs.md)
// holds for all workers; these options can only be stricter or fill in.
struct TypeOptions {
    // How many jobs of the type run at once in this worker. At least 1; default: no bound but the
    // slots. Use it for what a machine has few of (memory, licences); a bound over all workers is
    // the type's concurrency_limit.
    std::optional<int> concurrency = std::nullopt;
    // The time limit of one attempt: then its stop token is set, and whatever the handler answers
    // the attempt ends as Retry with the code TIMEOUT. At least 1 s. Default: the type's
    // timeout_seconds, or no limit. A handler that ignores its stop token keeps its slot.
    std::optional<std::chrono::seconds> timeout = std::nullopt;
};

// Checked by Worker::start(): a value out of its range is CONFIG_MISSING, naming option and range.
struct WorkerOptions {
    // The database: a libpq URI or keyword string, several hosts for failover. Required. The login
    // needs the role jobforge_worker. May point to a PgBouncer in transaction mode (see
    // listen_url).
    std::string database_url;

    // The name that the worker registers with and that leases carry; must differ between workers
    // that live at the same time. Up to 200 characters. Default: host-pid-random.
    std::string worker_id = {};

    // How many handlers run at once, each on a thread of its own. 1 to 10000; default 0: four for
    // each core, which suits handlers that wait for the network. For handlers that only compute,
    // take the number of cores.
    int slots = 0;

    // The most jobs that are claimed ahead of the slots. 0 to 10000; default 1000. Used for types
    // whose jobs take milliseconds, to save round trips: jobs claimed ahead are out of reach of
    // other workers until this one runs them or gives them back. 0: claims for free slots only,
    // which bounds the rate to about slots / round trip.
    int prefetch = 1000;

    // The share of the slots that jobs of one tenant may take while there are other tenants, so
    // that long jobs of one leave slots for the others; always at least one slot. Above 0, at most
    // 1; default 0.8; 1: no bound. Costs one tenant up to a fifth of its rate beside others. It
    // holds for short jobs as well, because nothing says how long the next one of a type takes.
    double tenant_share = 0.8;

    // The longest pause between two looks for work of an idle worker. 1 ms to 24 h; default 1 s.
    // With `listen` a new job is found at once all the same, so a long interval costs no latency
    // but that of jobs that become due later. Each look is one statement of well under a
    // millisecond.
    std::chrono::milliseconds poll_interval{1000};

    // How long a job belongs to this worker after the last renewal. 1 s to 24 h; default 60 s; the
    // lease_seconds of a type's policy wins. It is the time after which work goes on elsewhere when
    // this worker dies, and the longest pause (a stopped process, a lost network) that it
    // survives without losing its jobs.
    std::chrono::seconds lease{60};

    // How often leases are renewed: one statement for all jobs that are held. 1 s to half the
    // lease; default 30 s.
    std::chrono::seconds lease_renew{30};

    // How long stop() waits for running handlers, at most. 0 s to 24 h; default 30 s; less than
    // 3 s counts as 3 s. The last 2.2 s of it are for giving back and storing what has ended;
    // handlers get the rest. What still runs then is released without counting the attempt.
    std::chrono::seconds drain_grace{30};

    // Connections for the transactions of handlers, opened when needed. 1 to 1000; default 10. A
    // handler that opens its transaction while all are in use waits up to five seconds, and then
    // its job is tried again without counting the attempt. The worker's own threads have a
    // connection each besides.
    int pool_size = 10;

    // Run only jobs of these tenants. Default: empty, all.
    std::vector<Uuid> tenants = {};

    // LISTEN on a connection of its own, so that a new job is found within milliseconds. Default
    // true. Without it, or while it is broken, the worker polls (docs/wakeups.md).
    bool listen = true;
    // A direct connection for LISTEN when database_url is a PgBouncer. Default: empty, the same as
    // database_url.
    std::string listen_url = {};

    // Take part in what keeps the database in order: taking back expired leases, running schedules,
    // deleting what is past its retention. Default true. At least one worker of a database must;
    // one connection and a few statements a second, of which one worker at a time does the work.
    bool maintenance = true;

    // Series with a tenant_id label in metrics_text(). Default true; false where tenants are many:
    // each costs about thirty lines a scrape.
    bool tenant_metrics = true;

    // Texts that are blanked out of errors before they are stored, besides the passwords in the
    // URLs above. Default: none. Each costs a search of every stored error.
    std::vector<std::string> secrets = {};

    // Where the worker's lines go. Default: nowhere. At `info` each job that ends is a line.
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

    // Connects, registers, starts its threads. CONFIG_MISSING (an option out of its range, no
    // handler), DB_UNAVAILABLE, UNAUTHORIZED, SCHEMA_MISSING, INVALID_TRANSITION (the database is
    // of another release, or the worker was started before).
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
