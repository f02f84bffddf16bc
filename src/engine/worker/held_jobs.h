// Every job whose lease this worker holds: claimed and waiting, running, or ended and not yet
// flushed.
//
// A claim's answer stays in memory as one block (HeldBatch) and its jobs are slices of it: a job
// costs no allocation of its own. The registry owns the blocks; a block goes when its last job
// does.
//
// A HeldJob may be used by the part that has been handed it (queue, slot, completer), until it
// calls settled() or passes it on. Others reach it through the registry's methods, under its lock.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <jobforge/job.h>

#include "engine/worker/job_type.h"
#include "engine/worker/signal.h"
#include "pg/rows.h"

namespace jobforge::engine {

class HeldBatch;

enum class Phase : std::uint8_t { buffered, running, ended, gone };

struct HeldJob {
    Uuid tenant_id;
    Uuid job_id;
    std::int64_t lease_token = 0;
    Uuid claim_id;
    JobType* type = nullptr;
    HeldBatch* batch = nullptr;
    int row = 0;  // of the batch
    std::chrono::microseconds lease{0};
    std::optional<std::chrono::seconds> timeout;  // nullopt: none
    std::atomic<Phase> phase{Phase::buffered};
    // The lease is gone: whatever the handler answers is dropped.
    std::atomic<bool> lost{false};
    // Renewals end here: a handler that ignores its time limit keeps its slot, not its job.
    std::atomic<Clock::time_point> renew_until{Clock::time_point::max()};
};

// One claim's answer. Threads: constant after construction, apart from the jobs' atomics.
class HeldBatch final {
public:
    // `rows` as kClaimJobs returns them; every type must be known.
    HeldBatch(pg::Rows rows, const JobTypes& types);
    [[nodiscard]] std::span<HeldJob> jobs() noexcept { return {jobs_.get(), count_}; }
    // When the answer was read: the leases began a little earlier.
    [[nodiscard]] Clock::time_point claimed() const noexcept { return claimed_; }
    // Fills in the job as its handler sees it, without the payload if the answer left it out.
    // JOB_PAYLOAD_INVALID when the payload is JSON that Postgres takes and we do not (nested too
    // deep).
    [[nodiscard]] Status read(int row, Job& job) const;
    // False: it is large, and the thread that runs the job reads it (read_payload).
    [[nodiscard]] bool has_payload(int row) const;
    [[nodiscard]] std::int64_t scheduled_us(int row) const;
    [[nodiscard]] int priority(int row) const;
    [[nodiscard]] int attempt_no(int row) const;
    [[nodiscard]] int interruptions(int row) const;
    [[nodiscard]] std::string_view trace_id(int row) const;    // empty: none
    [[nodiscard]] std::string_view created_by(int row) const;  // empty: unknown

private:
    friend class HeldJobs;
    Clock::time_point claimed_ = Clock::now();
    pg::Rows rows_;
    std::size_t count_;
    std::unique_ptr<HeldJob[]> jobs_;
    std::atomic<std::size_t> open_;
};

// The payload from its text. JOB_PAYLOAD_INVALID as above.
[[nodiscard]] Status parse_payload(std::string_view text, Job& job);

class HeldJobs final {
public:
    struct Lease {
        Uuid tenant_id;
        Uuid job_id;
        std::int64_t lease_token;
        Uuid claim_id;
    };
    [[nodiscard]] static Lease lease_of(const HeldJob& job) {
        return {job.tenant_id, job.job_id, job.lease_token, job.claim_id};
    }

    // Takes the batch in. The jobs stay valid until settled().
    std::span<HeldJob> add(std::unique_ptr<HeldBatch> batch);
    // The job's lease is over: committed, refused or given back. The last use of `job`.
    void settled(HeldJob& job) noexcept;

    [[nodiscard]] int count() const noexcept { return count_.load(std::memory_order_relaxed); }
    // The leases to renew now, and the shortest lease among all held.
    [[nodiscard]] std::vector<Lease> renewable(Clock::time_point now) const;
    [[nodiscard]] std::optional<std::chrono::microseconds> shortest_lease() const;
    // How many jobs of each tenant wait for a slot or have one.
    [[nodiscard]] std::map<Uuid, int> by_tenant() const;
    // Whether jobs of other tenants than this one wait for a slot or have one.
    [[nodiscard]] bool has_others(const Uuid& tenant_id) const;
    // Marks a lease as lost unless its outcome is already on its way (the flush will find out).
    // True: it was marked now.
    bool lose(const Uuid& job_id, std::int64_t lease_token);
    // When the last renewal of everything held that worked began.
    void renewed(Clock::time_point at) noexcept { renewed_.store(at, std::memory_order_relaxed); }
    [[nodiscard]] Clock::time_point renewed() const noexcept {
        return renewed_.load(std::memory_order_relaxed);
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<HeldBatch>> batches_;
    std::atomic<int> count_{0};
    std::atomic<Clock::time_point> renewed_{Clock::time_point::min()};
};

}  // namespace jobforge::engine
