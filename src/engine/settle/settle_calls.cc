#include "engine/settle/settle_calls.h"

#include <algorithm>
#include <optional>

#include "statements/claims.h"
#include "statements/settle.h"

namespace jobforge::engine {

namespace {

// Parallel arrays of the leases, as every settling call takes them.
struct Leases {
    std::vector<Uuid> tenants;
    std::vector<Uuid> job_ids;
    std::vector<std::int64_t> tokens;
    std::vector<Uuid> claim_ids;

    void add(const HeldJobs::Lease& lease) {
        tenants.push_back(lease.tenant_id);
        job_ids.push_back(lease.job_id);
        tokens.push_back(lease.lease_token);
        claim_ids.push_back(lease.claim_id);
    }
    [[nodiscard]] pg::Params params(const std::string& worker_id, OnLocked on_locked) const {
        pg::Params params;
        params.text(worker_id).uuid_array(tenants).uuid_array(job_ids).int8_array(tokens);
        params.uuid_array(claim_ids).boolean(on_locked == OnLocked::skip);
        return params;
    }
};

constexpr unsigned kJsonbArrayOid = 3807;

// For the transaction that the pipeline is; a session's setting would leak through PgBouncer.
void queue_begin(pg::Connection& connection) {
    pg::Params params;
    params.text(std::to_string(SettleCalls::kLockTimeout.count()));
    connection.queue(statements::settle::kBeginSettling, std::move(params));
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
            return kCancel;
    }
    return kCalls;
}

SettleCalls::SettleCalls(const std::string& worker_id, std::span<const Settlement> batch)
    : worker_id_(worker_id), batch_(batch) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const Call call = call_of(batch[i].verdict);
        if (batch[i].job != nullptr) {
            members_[call].push_back(i);
        }
    }
}

Status SettleCalls::run(pg::Connection& connection, OnLocked on_locked) {
    std::vector<Call> sent;
    queue_begin(connection);
    for (const Call call : {kComplete, kFail, kSnooze, kRelease, kCancel}) {
        if (!members_[call].empty()) {
            queue(connection, call, on_locked);
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

void SettleCalls::queue(pg::Connection& connection, Call call, OnLocked on_locked) const {
    Leases leases;
    std::vector<std::optional<std::string>> json;
    std::vector<std::optional<double>> seconds;
    bool any_json = false;
    for (const std::size_t i : members_[call]) {
        const Settlement& one = batch_[i];
        leases.add(HeldJobs::lease_of(*one.job));
        json.push_back(one.json.empty() ? std::nullopt : std::optional(one.json));
        any_json = any_json || !one.json.empty();
        seconds.push_back(one.seconds);
    }
    pg::Params params = leases.params(worker_id_, on_locked);
    switch (call) {
        case kComplete:
            if (any_json) {
                params.opt_jsonb_array(json);
            } else {
                params.null(kJsonbArrayOid);
            }
            connection.queue(statements::settle::kCompleteJobs, std::move(params));
            return;
        case kFail:
            params.opt_jsonb_array(json);
            params.opt_real_array(seconds);
            connection.queue(statements::settle::kFailJobs, std::move(params));
            return;
        case kSnooze:
            params.opt_real_array(seconds);
            connection.queue(statements::settle::kSnoozeJobs, std::move(params));
            return;
        case kRelease:
            connection.queue(statements::settle::kReleaseJobs, std::move(params));
            return;
        case kCancel:
            params.opt_jsonb_array(json);
            connection.queue(statements::settle::kCancelRunningJobs, std::move(params));
            return;
        case kCalls:
            return;
    }
}

// All answer only what was refused, except fail, which answers every job.
void SettleCalls::read(const pg::Rows& rows, Call call) {
    for (int row = 0; row < rows.size(); ++row) {
        const std::size_t i = find(call, rows.uuid(row, 0), rows.integer(row, 1));
        if (i == batch_.size()) {
            continue;
        }
        statuses_.resize(batch_.size());
        statuses_[i] = rows.text(row, 2);
    }
}

std::size_t SettleCalls::find(Call call, const Uuid& job_id, std::int64_t token) const {
    const auto found = std::find_if(members_[call].begin(), members_[call].end(), [&](auto i) {
        return batch_[i].job->job_id == job_id && batch_[i].job->lease_token == token;
    });
    return found == members_[call].end() ? batch_.size() : *found;
}

SettleCalls::Refusal SettleCalls::refusal(std::size_t i) const noexcept {
    const std::string_view answer = status(i);
    if (answer == "LOST" || answer == "LEASE_LOST") {
        return Refusal::lost;
    }
    if (answer == "SETTLED") {
        return Refusal::settled;
    }
    if (answer == "REFUSED") {
        return Refusal::result;
    }
    return answer == "LOCKED" ? Refusal::locked : Refusal::none;
}

std::string_view SettleCalls::status(std::size_t i) const noexcept {
    return statuses_.empty() ? std::string_view() : std::string_view(statuses_[i]);
}

Result<std::string> ask_lease_state(pg::Connection& connection, const std::string& worker_id,
                                    const HeldJob& job) {
    pg::Params params;
    params.text(worker_id).uuid(job.tenant_id).uuid(job.job_id).int8(job.lease_token);
    params.uuid(job.claim_id);
    auto rows = connection.exec(statements::claims::kLeaseState, params);
    if (!rows) {
        return rows.error();
    }
    return std::string(rows->text(0, 0));
}

Status release_leases(pg::Connection& connection, const std::string& worker_id,
                      std::span<const HeldJobs::Lease> leases) {
    Leases arrays;
    for (const HeldJobs::Lease& lease : leases) {
        arrays.add(lease);
    }
    auto rows =
        connection.exec(statements::settle::kReleaseJobs, arrays.params(worker_id, OnLocked::skip));
    return rows ? ok_status() : Status(rows.error());
}

}  // namespace jobforge::engine
