#include "engine/worker/held_jobs.h"

#include <algorithm>

namespace jobforge::engine {

namespace {

// Columns of statements::kClaimJobs.
enum Column {
    kTenantId,
    kJobId,
    kType,
    kPayload,
    kAttempts,
    kMaxAttempts,
    kPriority,
    kScheduledAt,
    kCreatedAt,
    kStartedAt,
    kLeaseToken,
    kLeaseExpiresAt,
    kInterruptions,
    kIdempotencyKey,
    kTraceId,
    kCreatedBy,
    kTimeoutSeconds,
    kClaimId
};

TimePoint time_point(pg::Timestamp at) {
    return TimePoint(std::chrono::microseconds(at.unix_us));
}

void assign_text(std::string& target, const pg::Rows& rows, int row, int column) {
    if (rows.is_null(row, column)) {
        target.clear();
    } else {
        target.assign(rows.text(row, column));
    }
}

}  // namespace

HeldBatch::HeldBatch(pg::Rows rows, const JobTypes& types)
    : rows_(std::move(rows)),
      count_(static_cast<std::size_t>(rows_.size())),
      jobs_(std::make_unique<HeldJob[]>(count_)),
      open_(count_) {
    JobType* type = nullptr;
    for (std::size_t i = 0; i < count_; ++i) {
        const int row = static_cast<int>(i);
        HeldJob& job = jobs_[i];
        const std::string_view name = rows_.text(row, kType);
        if (type == nullptr || type->name != name) {
            type = types.find(name);
        }
        job.tenant_id = rows_.uuid(row, kTenantId);
        job.job_id = rows_.uuid(row, kJobId);
        job.lease_token = rows_.integer(row, kLeaseToken);
        job.claim_id = rows_.uuid(row, kClaimId);
        job.type = type;
        job.batch = this;
        job.row = row;
        // Leases are whole seconds.
        job.lease = std::chrono::round<std::chrono::seconds>(
            std::chrono::microseconds(rows_.timestamp(row, kLeaseExpiresAt).unix_us -
                                      rows_.timestamp(row, kStartedAt).unix_us));
        job.timeout = type->options.timeout;
        if (!job.timeout && !rows_.is_null(row, kTimeoutSeconds)) {
            job.timeout = std::chrono::seconds(rows_.integer(row, kTimeoutSeconds));
        }
    }
}

Status HeldBatch::read(int row, Job& job) const {
    job.tenant_id = rows_.uuid(row, kTenantId);
    job.job_id = rows_.uuid(row, kJobId);
    job.type.assign(rows_.text(row, kType));
    job.attempt_no = static_cast<int>(rows_.integer(row, kAttempts));
    job.max_attempts = static_cast<int>(rows_.integer(row, kMaxAttempts));
    job.priority = priority(row);
    job.interrupted = interruptions(row) > 0;
    job.lease_token = rows_.integer(row, kLeaseToken);
    job.claim_id = rows_.uuid(row, kClaimId);
    job.scheduled_at = time_point(rows_.timestamp(row, kScheduledAt));
    job.created_at = time_point(rows_.timestamp(row, kCreatedAt));
    assign_text(job.idempotency_key, rows_, row, kIdempotencyKey);
    assign_text(job.trace_id, rows_, row, kTraceId);
    assign_text(job.created_by, rows_, row, kCreatedBy);
    if (!has_payload(row)) {
        job.payload = Json::object();
        return ok_status();
    }
    return parse_payload(rows_.json(row, kPayload), job);
}

bool HeldBatch::has_payload(int row) const {
    return !rows_.is_null(row, kPayload);
}

std::int64_t HeldBatch::scheduled_us(int row) const {
    return rows_.timestamp(row, kScheduledAt).unix_us;
}

int HeldBatch::priority(int row) const {
    return static_cast<int>(rows_.integer(row, kPriority));
}

int HeldBatch::attempt_no(int row) const {
    return static_cast<int>(rows_.integer(row, kAttempts));
}

int HeldBatch::interruptions(int row) const {
    return static_cast<int>(rows_.integer(row, kInterruptions));
}

std::string_view HeldBatch::trace_id(int row) const {
    return rows_.is_null(row, kTraceId) ? std::string_view() : rows_.text(row, kTraceId);
}

std::string_view HeldBatch::created_by(int row) const {
    return rows_.is_null(row, kCreatedBy) ? std::string_view() : rows_.text(row, kCreatedBy);
}

Status parse_payload(std::string_view text, Job& job) {
    auto payload = Json::parse(text);
    if (!payload) {
        job.payload = Json::object();
        return Error::of(ErrorCode::JOB_PAYLOAD_INVALID,
                         "the payload cannot be read: " + payload.error().message);
    }
    job.payload = std::move(*payload);
    return ok_status();
}

std::span<HeldJob> HeldJobs::add(std::unique_ptr<HeldBatch> batch) {
    const std::span<HeldJob> jobs = batch->jobs();
    const std::lock_guard guard(mutex_);
    std::erase_if(batches_,
                  [](const auto& old) { return old->open_.load(std::memory_order_acquire) == 0; });
    batches_.push_back(std::move(batch));
    count_.fetch_add(static_cast<int>(jobs.size()));
    return jobs;
}

void HeldJobs::settled(HeldJob& job) noexcept {
    HeldBatch* batch = job.batch;
    job.phase.store(Phase::gone, std::memory_order_relaxed);
    batch->open_.fetch_sub(1, std::memory_order_release);
    // From here on add() may free the batch.
    count_.fetch_sub(1);
}

std::vector<HeldJobs::Lease> HeldJobs::renewable(Clock::time_point now) const {
    std::vector<Lease> leases;
    const std::lock_guard guard(mutex_);
    for (const auto& batch : batches_) {
        for (const HeldJob& job : batch->jobs()) {
            if (job.phase.load(std::memory_order_relaxed) != Phase::gone &&
                !job.lost.load(std::memory_order_relaxed) && now < job.renew_until.load()) {
                leases.push_back(lease_of(job));
            }
        }
    }
    return leases;
}

std::optional<std::chrono::microseconds> HeldJobs::shortest_lease() const {
    std::optional<std::chrono::microseconds> shortest;
    const std::lock_guard guard(mutex_);
    for (const auto& batch : batches_) {
        for (const HeldJob& job : batch->jobs()) {
            if (job.phase.load(std::memory_order_relaxed) != Phase::gone &&
                (!shortest || job.lease < *shortest)) {
                shortest = job.lease;
            }
        }
    }
    return shortest;
}

std::map<Uuid, int> HeldJobs::by_tenant() const {
    std::map<Uuid, int> counts;
    const std::lock_guard guard(mutex_);
    for (const auto& batch : batches_) {
        for (const HeldJob& job : batch->jobs()) {
            const Phase phase = job.phase.load(std::memory_order_relaxed);
            if (phase == Phase::buffered || phase == Phase::running) {
                ++counts[job.tenant_id];
            }
        }
    }
    return counts;
}

bool HeldJobs::has_others(const Uuid& tenant_id) const {
    const std::lock_guard guard(mutex_);
    return std::any_of(batches_.begin(), batches_.end(), [&](const auto& batch) {
        const std::span<HeldJob> jobs = batch->jobs();
        return std::any_of(jobs.begin(), jobs.end(), [&](const HeldJob& job) {
            const Phase phase = job.phase.load(std::memory_order_relaxed);
            return (phase == Phase::buffered || phase == Phase::running) &&
                   job.tenant_id != tenant_id;
        });
    });
}

bool HeldJobs::lose(const Uuid& job_id, std::int64_t lease_token) {
    const std::lock_guard guard(mutex_);
    for (const auto& batch : batches_) {
        for (HeldJob& job : batch->jobs()) {
            if (job.job_id == job_id && job.lease_token == lease_token) {
                const Phase phase = job.phase.load();
                return (phase == Phase::buffered || phase == Phase::running) &&
                       !job.lost.exchange(true);
            }
        }
    }
    return false;
}

}  // namespace jobforge::engine
