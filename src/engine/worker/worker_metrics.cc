#include "engine/worker/worker_metrics.h"

#include <map>

#include <fmt/format.h>

#include "statements/operations.h"

namespace jobforge::engine {

namespace {

using namespace std::chrono_literals;

constexpr auto kDatabaseTextAge = 5s;

double relaxed(const WorkerCounters::Counter& counter) {
    return static_cast<double>(counter.load(std::memory_order_relaxed));
}

// Sums by label values, so that leaving the tenant out still gives one sample per series.
using Series = std::map<std::vector<std::string>, double>;

void add_series(PrometheusText& out, std::string_view name, const Series& series,
                const std::vector<std::string_view>& names) {
    for (const auto& [values, value] : series) {
        PrometheusText::Labels labels;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!values[i].empty()) {
                labels.emplace_back(names[i], values[i]);
            }
        }
        out.sample(name, labels, value);
    }
}

}  // namespace

std::string Metrics::text() {
    PrometheusText out;
    add_worker(out);
    add_durations(out);
    return out.take() + database_text();
}

void Metrics::add_worker(PrometheusText& out) const {
    out.family("bpc_jobs_acquired_total", "counter", "Jobs claimed by this worker.");
    for (const auto& [name, type] : types_) {
        out.sample("bpc_jobs_acquired_total", {{"type", name}}, relaxed(type->acquired));
    }
    Series completed;
    for (const auto& [key, counts] : counters_.finished_jobs()) {
        const std::string tenant = options_.tenant_labels ? key.tenant_id.to_string() : "";
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (counts[i] > 0) {
                completed[{tenant, key.type->name, std::string(kFinalStatusNames[i])}] +=
                    static_cast<double>(counts[i]);
            }
        }
    }
    out.family("bpc_jobs_completed_total", "counter", "Jobs this worker brought to their end.");
    add_series(out, "bpc_jobs_completed_total", completed, {"tenant_id", "job_type", "status"});
    out.family("bpc_lease_renewals_total", "counter", "Leases renewed.");
    out.sample("bpc_lease_renewals_total", {{"worker_id", options_.worker_id}},
               relaxed(counters_.lease_renewals));
    out.family("bpc_lease_lost_total", "counter", "Leases lost before the job was settled.");
    out.sample("bpc_lease_lost_total", {{"worker_id", options_.worker_id}},
               relaxed(counters_.leases_lost));
    out.family("bpc_db_pool_in_use", "gauge", "Connections that handlers' transactions use now.");
    out.sample("bpc_db_pool_in_use", {}, pool_.in_use());
}

void Metrics::add_durations(PrometheusText& out) const {
    constexpr std::string_view kBucket = "bpc_job_duration_seconds_bucket";
    out.family("bpc_job_duration_seconds", "histogram", "How long handlers ran.");
    for (const auto& [name, type] : types_) {
        std::uint64_t count = 0;
        for (std::size_t i = 0; i < type->duration_counts.size(); ++i) {
            count += type->duration_counts[i].load(std::memory_order_relaxed);
            const std::string bound =
                i < JobType::kBuckets.size() ? fmt::format("{}", JobType::kBuckets[i]) : "+Inf";
            out.sample(kBucket, {{"job_type", name}, {"le", bound}}, static_cast<double>(count));
        }
        out.sample("bpc_job_duration_seconds_sum", {{"job_type", name}},
                   relaxed(type->duration_sum_us) / 1e6);
        out.sample("bpc_job_duration_seconds_count", {{"job_type", name}},
                   static_cast<double>(count));
    }
}

std::string Metrics::database_text() {
    const std::lock_guard guard(mutex_);
    if (!cached_.empty() && Clock::now() - cached_at_ < kDatabaseTextAge) {
        return cached_;
    }
    auto connection = pool_.acquire();
    if (!connection) {
        return {};
    }
    auto counters = (*connection)->exec(statements::operations::kMetricCounters);
    auto running = (*connection)->exec(statements::operations::kMetricRunning);
    auto oldest = (*connection)->exec(statements::operations::kMetricOldest);
    if (!counters || !running || !oldest) {
        return {};
    }
    const auto tenant = [&](const pg::Rows& rows, int row) {
        return options_.tenant_labels ? rows.uuid(row, 0).to_string() : std::string();
    };
    Series enqueued;
    Series dead_letters;
    for (int row = 0; row < counters->size(); ++row) {
        const auto value = static_cast<double>(counters->integer(row, 3));
        if (counters->text(row, 2) == "enqueued") {
            enqueued[{tenant(*counters, row), std::string(counters->text(row, 1))}] += value;
        } else if (counters->text(row, 2) == "dead_letters_left") {
            dead_letters[{tenant(*counters, row)}] += value;
        }
    }
    Series now_running;
    for (int row = 0; row < running->size(); ++row) {
        now_running[{tenant(*running, row), std::string(running->text(row, 1))}] +=
            static_cast<double>(running->integer(row, 2));
    }
    PrometheusText out;
    out.family("bpc_jobs_enqueued_total", "counter", "Jobs enqueued, by any client.");
    add_series(out, "bpc_jobs_enqueued_total", enqueued, {"tenant_id", "job_type"});
    out.family("bpc_jobs_running", "gauge", "Jobs that run now, on any worker.");
    add_series(out, "bpc_jobs_running", now_running, {"tenant_id", "job_type"});
    out.family("bpc_jobs_dead_letter", "gauge", "Jobs that wait for a person.");
    add_series(out, "bpc_jobs_dead_letter", dead_letters, {"tenant_id"});
    out.family("bpc_queue_oldest_seconds", "gauge", "Age of the oldest due job.");
    for (int row = 0; row < oldest->size(); ++row) {
        out.sample("bpc_queue_oldest_seconds", {{"type", oldest->text(row, 0)}},
                   oldest->real(row, 1));
    }
    cached_ = out.take();
    cached_at_ = Clock::now();
    return cached_;
}

}  // namespace jobforge::engine
