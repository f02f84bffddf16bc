// A started worker: its parts, wired together, and the order in which they start and end.
//
//   listener --wake--> dispatcher --claims--> pool --outcomes--> completer
//   heartbeat renews everything held and tells the pool what is lost; maintenance is on its own.
//
// Threads: start() and drain() from one; the rest from any.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <jobforge/worker.h>

#include "engine/settle/completer.h"
#include "engine/worker/dispatcher.h"
#include "engine/worker/handler_pool.h"
#include "engine/worker/heartbeat.h"
#include "engine/worker/maintenance.h"
#include "engine/worker/worker_metrics.h"
#include "pg/listener.h"

namespace jobforge::engine {

class WorkerRuntime final {
public:
    // `options` are complete (worker_id, slots) and checked; `types` outlives the runtime. On the
    // handlers' connections no call of the engine's own (begin, settle and commit, rollback, a
    // payload) takes longer than `longest_call`.
    WorkerRuntime(WorkerOptions options, JobTypes& types,
                  std::chrono::milliseconds longest_call = kLongestCall);
    ~WorkerRuntime();  // waits for handlers that still run

    // Checks the schema, registers the worker, starts the threads.
    [[nodiscard]] Status start();
    // The graceful end (PROTOCOL.md, Draining). Blocks until done: within drain_grace, or three
    // seconds if that is less, whatever the database does. Handlers may still run then.
    void drain();

    void wake() noexcept { dispatcher_.wake(); }
    [[nodiscard]] WorkerNumbers numbers() const noexcept;
    [[nodiscard]] bool ready() const noexcept {
        return dispatcher_.claiming() && health_.healthy();
    }
    [[nodiscard]] std::string metrics_text() { return metrics_.text(); }

private:
    // As the worker's own sessions: an outcome of 16 MiB may need its time.
    static constexpr std::chrono::milliseconds kLongestCall{60'000};

    [[nodiscard]] pg::ConnectOptions connect_options(std::string_view part) const;
    [[nodiscard]] pg::ConnectOptions handler_connect_options() const;
    [[nodiscard]] Status register_worker(pg::Connection& connection) const;
    void listen();
    void on_notification(const pg::Notification& notification);
    void release(std::span<const HeldJobs::Lease> leases, Clock::time_point deadline);
    void release_unstarted(Clock::time_point deadline);
    void release_running(Clock::time_point deadline);
    void give_back(pg::Connection& connection);

    const WorkerOptions options_;
    const std::chrono::milliseconds longest_call_;
    JobTypes& types_;
    const Logger log_;
    DbHealth health_;
    WorkerCounters counters_;
    SettlementReport report_;
    HeldJobs held_;
    ReadyQueue queue_;
    Signal handlers_;  // stopped when handlers' statements are no longer waited for
    pg::Pool connections_;
    TransactionPool transactions_;
    Completer completer_;
    HandlerPool pool_;
    Heartbeat heartbeat_;
    Dispatcher dispatcher_;
    Maintenance maintenance_;
    Metrics metrics_;
    std::optional<pg::Listener> listener_;
    std::atomic<bool> listening_{false};
};

}  // namespace jobforge::engine
