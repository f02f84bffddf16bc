#include "engine/settle_calls.h"

#include <algorithm>
#include <optional>

#include "engine/statements.h"

namespace jobforge::engine {

namespace {

constexpr std::string_view kRefused = "LEASE_LOST";

// Parallel arrays of the leases, as every settling call takes them.
struct Leases {
    std::vector<Uuid> tenants;
    std::vector<Uuid> job_ids;
    std::vector<std::int64_t> tokens;

    void add(const Uuid& tenant_id, const Uuid& job_id, std::int64_t token) {
        tenants.push_back(tenant_id);
        job_ids.push_back(job_id);
        tokens.push_back(token);
    }
    [[nodiscard]] pg::Params params(const std::string& worker_id) const {
        pg::Params params;
        params.text(worker_id).uuid_array(tenants).uuid_array(job_ids).int8_array(tokens);
        return params;
    }
};

constexpr unsigned kJsonbArrayOid = 3807;

// For the transaction that the pipeline is; a session's setting would leak through PgBouncer.
void queue_lock_timeout(pg::Connection& connection, std::chrono::milliseconds lock_timeout) {
    pg::Params params;
    params.text(std::to_string(lock_timeout.count()));
    connection.queue(statements::kSetLockTimeout, std::move(params));
}

}  // namespace

SettleCalls::Call SettleCalls::call_of(Verdict verdict) noexcept {
    switch (verdict) {
        case Verdict::done:
            return kComplete;
        case Verdict::retry:
        case Verdict::fail:
            return kFail;
        case Verdict::snooze:
            return kSnooze;
        case Verdict::release:
            return kRelease;
        case Verdict::cancelled:
            break;
    }
    return kCalls;
}

SettleCalls::SettleCalls(const std::string& worker_id, std::span<const Settlement> batch)
    : worker_id_(worker_id), batch_(batch) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const Call call = call_of(batch[i].verdict);
        if (batch[i].job != nullptr && call != kCalls) {
            members_[call].push_back(i);
        }
    }
}

Status SettleCalls::run(pg::Connection& connection, std::chrono::milliseconds lock_timeout) {
    std::vector<Call> sent;
    queue_lock_timeout(connection, lock_timeout);
    for (const Call call : {kComplete, kFail, kSnooze, kRelease}) {
        if (!members_[call].empty()) {
            queue(connection, call);
            sent.push_back(call);
        }
    }
    auto answers = connection.flush();
    if (!answers) {
        return answers.error();
    }
    for (std::size_t i = 0; i < sent.size(); ++i) {
        read((*answers)[i + 1], sent[i]);
    }
    return ok_status();
}

void SettleCalls::queue(pg::Connection& connection, Call call) const {
    Leases leases;
    std::vector<std::optional<std::string>> json;
    std::vector<std::optional<double>> seconds;
    bool any_json = false;
    for (const std::size_t i : members_[call]) {
        const Settlement& one = batch_[i];
        leases.add(one.job->tenant_id, one.job->job_id, one.job->lease_token);
        json.push_back(one.json.empty() ? std::nullopt : std::optional(one.json));
        any_json = any_json || !one.json.empty();
        seconds.push_back(one.seconds);
    }
    pg::Params params = leases.params(worker_id_);
    switch (call) {
        case kComplete:
            if (any_json) {
                params.opt_jsonb_array(json);
            } else {
                params.null(kJsonbArrayOid);
            }
            connection.queue(statements::kCompleteJobs, std::move(params));
            return;
        case kFail:
            params.opt_jsonb_array(json);
            params.opt_real_array(seconds);
            connection.queue(statements::kFailJobs, std::move(params));
            return;
        case kSnooze:
            params.opt_real_array(seconds);
            connection.queue(statements::kSnoozeJobs, std::move(params));
            return;
        case kRelease:
            connection.queue(statements::kReleaseJobs, std::move(params));
            return;
        case kCalls:
            return;
    }
}

// complete, snooze and release answer only what was refused; fail answers every job.
void SettleCalls::read(const pg::Rows& rows, Call call) {
    for (int row = 0; row < rows.size(); ++row) {
        const std::size_t i = find(call, rows.uuid(row, 0), rows.integer(row, 1));
        if (i == batch_.size()) {
            continue;
        }
        statuses_.resize(batch_.size());
        statuses_[i] = call == kFail ? rows.text(row, 2) : kRefused;
    }
}

std::size_t SettleCalls::find(Call call, const Uuid& job_id, std::int64_t token) const {
    const auto found = std::find_if(members_[call].begin(), members_[call].end(), [&](auto i) {
        return batch_[i].job->job_id == job_id && batch_[i].job->lease_token == token;
    });
    return found == members_[call].end() ? batch_.size() : *found;
}

bool SettleCalls::refused(std::size_t i) const noexcept {
    return !statuses_.empty() && statuses_[i] == kRefused;
}

std::string_view SettleCalls::status(std::size_t i) const noexcept {
    return statuses_.empty() ? std::string_view() : std::string_view(statuses_[i]);
}

Status run_cancel(pg::Connection& connection, const std::string& worker_id,
                  const Settlement& settlement, std::chrono::milliseconds lock_timeout) {
    const HeldJob& job = *settlement.job;
    pg::Params params;
    params.text(worker_id).uuid(job.tenant_id).uuid(job.job_id).int8(job.lease_token);
    params.jsonb(settlement.json);
    queue_lock_timeout(connection, lock_timeout);
    connection.queue(statements::kCancelRunningJob, std::move(params));
    auto rows = connection.flush();
    return rows ? ok_status() : Status(rows.error());
}

Result<std::string> ask_lease_state(pg::Connection& connection, const std::string& worker_id,
                                    const HeldJob& job) {
    pg::Params params;
    params.text(worker_id).uuid(job.tenant_id).uuid(job.job_id).int8(job.lease_token);
    auto rows = connection.exec(statements::kLeaseState, params);
    if (!rows) {
        return rows.error();
    }
    return std::string(rows->text(0, 0));
}

Status release_leases(pg::Connection& connection, const std::string& worker_id,
                      std::span<const HeldJobs::Lease> leases) {
    Leases arrays;
    for (const HeldJobs::Lease& lease : leases) {
        arrays.add(lease.tenant_id, lease.job_id, lease.lease_token);
    }
    auto rows = connection.exec(statements::kReleaseJobs, arrays.params(worker_id));
    return rows ? ok_status() : Status(rows.error());
}

}  // namespace jobforge::engine
