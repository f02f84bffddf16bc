// What a Client holds: its options and the calls for its tenant.
// Private to src/engine/client/.
#pragma once

#include <span>
#include <vector>

#include <jobforge/client.h>

#include "engine/database/tenant_calls.h"

namespace jobforge {

using ClientCall = engine::TenantCall;
using engine::Repeat;

struct Client::State {
    State(ClientOptions given, engine::TenantCalls tenant_calls)
        : options(std::move(given)), calls(std::move(tenant_calls)) {}

    // The call in the transaction that is open on the caller's connection.
    [[nodiscard]] Result<std::vector<Enqueued>> enqueue_on(pg_conn* native,
                                                           const ClientCall& call) const;
    // After a commit. What the callback throws is dropped: the jobs are acknowledged.
    void announce(std::span<const Enqueued> jobs) const noexcept;

    ClientOptions options;
    engine::TenantCalls calls;
};

// Building and reading enqueue calls (client_enqueue.cc).
[[nodiscard]] ClientCall enqueue_call(const NewJob& job, const std::string& created_by);
[[nodiscard]] ClientCall enqueue_many_call(std::span<const NewJob> jobs,
                                           const std::string& created_by);

// Rows of list_jobs, get_job, list_attempts and job_stats (client_rows.cc).
[[nodiscard]] Result<std::vector<JobSummary>> read_summaries(const pg::Rows& rows);
[[nodiscard]] Result<JobDetails> read_details(const pg::Rows& job, const pg::Rows& attempts);
[[nodiscard]] std::vector<TypeStats> read_stats(const pg::Rows& rows);

[[nodiscard]] TimePoint to_time(pg::Timestamp at) noexcept;
[[nodiscard]] pg::Timestamp to_timestamp(TimePoint at) noexcept;
[[nodiscard]] std::optional<pg::Timestamp> to_timestamp(
    const std::optional<TimePoint>& at) noexcept;

}  // namespace jobforge
