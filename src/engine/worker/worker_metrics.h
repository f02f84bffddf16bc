// Prometheus text (exposition format 0.0.4) of one worker and of the database it works on.
// Threads: text() from any; what comes from the database is at most 5 s old.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "base/prometheus_text.h"
#include "engine/worker/job_type.h"
#include "engine/worker/signal.h"
#include "engine/worker/worker_counters.h"
#include "pg/pool.h"

namespace jobforge::engine {

class Metrics final {
public:
    struct Options {
        std::string worker_id;
        bool tenant_labels = true;
    };
    Metrics(Options options, const JobTypes& types, const WorkerCounters& counters, pg::Pool& pool)
        : options_(std::move(options)), types_(types), counters_(counters), pool_(pool) {}

    [[nodiscard]] std::string text();

private:
    void add_worker(PrometheusText& out) const;
    void add_durations(PrometheusText& out) const;
    // Empty when the database cannot be asked: half an answer would look like a drop to zero.
    [[nodiscard]] std::string database_text();

    const Options options_;
    const JobTypes& types_;
    const WorkerCounters& counters_;
    pg::Pool& pool_;
    std::mutex mutex_;
    std::string cached_;
    Clock::time_point cached_at_{};
};

}  // namespace jobforge::engine
