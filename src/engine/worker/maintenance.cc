#include "engine/worker/maintenance.h"

#include <algorithm>

#include "statements/access.h"
#include "statements/claims.h"
#include "statements/jobs.h"
#include "statements/operations.h"

namespace jobforge::engine {

using namespace std::chrono_literals;

namespace {

pg::Params seconds_param(std::chrono::seconds time) {
    pg::Params params;
    params.int4(static_cast<std::int32_t>(time.count()));
    return params;
}

}  // namespace

Maintenance::Maintenance(pg::ConnectOptions connect, std::chrono::seconds frozen, DbHealth& health)
    : session_("maintenance", std::move(connect), health, signal_),
      tasks_({
          {statements::claims::kReclaimExpired, 1s, 10s, 200},
          {statements::operations::kRunSchedules, 1s, 10s, 100},
          {statements::operations::kEndFrozenSessions, 1s, 30s, 0, seconds_param(frozen)},
          {statements::operations::kFoldCounters, 10s, 60s, 0},
          {statements::jobs::kPruneWakeRequests, 60s, 10min, 0},
          {statements::operations::kPruneFinished, 60s, 60s, 1000},
          {statements::operations::kPruneWorkers, 10min, 10min, 0},
          {statements::operations::kPruneGovernors, 10min, 10min, 1000},
          {statements::access::kPruneApiRequests, 60s, 10min, 1000},
          {statements::access::kFlushAccessDenied, 60s, 10min, 100},
      }) {}

Maintenance::~Maintenance() {
    stop();
}

void Maintenance::start() {
    thread_ = std::thread([this] { run(); });
}

void Maintenance::stop() {
    if (thread_.joinable()) {
        signal_.stop();
        thread_.join();
    }
}

void Maintenance::run() {
    while (!signal_.stopped()) {
        pg::Connection* connection = session_.connection();
        if (connection == nullptr) {
            continue;
        }
        if (auto done = run_due(*connection); !done) {
            session_.failed(done.error());
            continue;
        }
        session_.succeeded();
        const auto next =
            std::min_element(tasks_.begin(), tasks_.end(),
                             [](const auto& a, const auto& b) { return a.due < b.due; });
        signal_.wait_until(next->due);
    }
}

Status Maintenance::run_due(pg::Connection& connection) {
    for (Task& task : tasks_) {
        if (Clock::now() >= task.due && !signal_.stopped()) {
            if (auto done = run_task(connection, task); !done) {
                // The others must not wait for one that always fails.
                task.due = Clock::now() + task.interval;
                return done;
            }
        }
    }
    return ok_status();
}

Status Maintenance::run_task(pg::Connection& connection, Task& task) {
    const auto began = Clock::now();
    auto rows = connection.exec(task.statement, task.params);
    if (!rows) {
        return rows.error();
    }
    const auto now = Clock::now();
    const bool more =
        task.full_batch > 0 && !rows->is_null(0, 0) && rows->integer(0, 0) >= task.full_batch;
    const auto pause = std::clamp<Clock::duration>(20 * (now - began), task.interval, task.longest);
    task.due = more ? now : now + pause;
    return ok_status();
}

}  // namespace jobforge::engine
