// What a Client holds: options and a pool, and the one way in which it talks to the database.
// Private to src/engine/client*.cc.
#pragma once

#include <span>
#include <vector>

#include <jobforge/client.h>

#include "pg/connection.h"
#include "pg/pool.h"

namespace jobforge {

// One statement with its parameters.
struct ClientCall {
    pg::Statement statement;
    pg::Params params;
};

// What to do when the connection breaks and nobody knows whether the call took effect.
enum class Repeat {
    always,       // the same call again has the same effect: reads, enqueues with a key
    if_not_done,  // only when it certainly had no effect
};

struct Client::State {
    explicit State(ClientOptions given);

    // Runs the calls in one round trip and one (implicit) transaction for the client's tenant, on
    // a connection of the pool, and returns their rows. Repeats while the database is away, until
    // options.timeout. Works through PgBouncer in transaction mode: set_config(..., true) lasts
    // exactly as long as the pipeline's implicit transaction, on one server connection.
    [[nodiscard]] Result<std::vector<pg::Rows>> run(std::span<const ClientCall> calls,
                                                    Repeat repeat);
    [[nodiscard]] Result<pg::Rows> run_one(const pg::Statement& statement, pg::Params params,
                                           Repeat repeat);
    // The same on a connection in the caller's hands, once.
    [[nodiscard]] Result<std::vector<pg::Rows>> run_on(pg::Connection& connection,
                                                       std::span<const ClientCall> calls) const;
    // The same in the transaction that is open on somebody else's connection.
    [[nodiscard]] Result<std::vector<Enqueued>> enqueue_on(pg_conn* native,
                                                           const ClientCall& call) const;
    // After a commit. What the callback throws is dropped: the jobs are acknowledged.
    void announce(std::span<const Enqueued> jobs) const noexcept;

    ClientOptions options;
    pg::Pool pool;
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
