// Enqueue and manage the jobs of one tenant.
//
//     auto client = jobforge::Client::connect({.database_url = url, .tenant_id = tenant});
//     auto job = client->enqueue({.type = "send_email", .payload = Json::object({{"to",
//     "a@b.c"}})});
//
// An enqueue is acknowledged when the call returns ok: from then on the job is never lost. When the
// connection breaks during the commit, the error says outcome_unknown; with an idempotency key the
// client repeats by itself until it knows, and calls never make a second job.
//
// Threads: all methods from any thread (a small pool of connections inside). Ownership: movable.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/job.h>
#include <jobforge/transaction.h>

namespace jobforge {

struct ClientOptions {
    std::string database_url;       // libpq URI or keywords; PgBouncer is fine
    std::optional<Uuid> tenant_id;  // for gateway and worker logins; a tenant's login needs none
    int pool_size = 4;              // 1..100 connections, opened when needed
    std::string created_by = {};    // stored with each job
    // For a connection of the pool and for reconnects. A call itself may take five minutes.
    std::chrono::milliseconds timeout{10000};
    // Called after a commit that added jobs (not deduplicated), with their ids: publish a trigger.
    std::function<void(std::span<const Uuid>)> after_enqueue = {};
};

// One line of a list: the state of a job without payload and result.
struct JobSummary {
    Uuid tenant_id;
    Uuid job_id;
    std::string type;
    std::string status;
    int priority = 2;
    int attempts = 0;
    int max_attempts = 5;
    TimePoint scheduled_at{};
    TimePoint created_at{};
    std::optional<TimePoint> started_at;
    std::optional<TimePoint> completed_at;
    std::optional<std::string> lease_owner;
    std::optional<TimePoint> lease_expires_at;
    std::optional<std::string> idempotency_key;
    std::optional<std::string> trace_id;
    std::optional<std::string> created_by;
    Json last_error;  // null: none
};

struct Attempt {
    int attempt_no = 0;
    std::int64_t lease_token = 0;
    std::string worker_id;
    TimePoint started_at{};
    std::optional<TimePoint> ended_at;  // nullopt: runs now
    std::string
        outcome;  // RUNNING, SUCCEEDED, RETRY, SNOOZED, RELEASED, FAILED, CANCELLED, CRASHED
    Json error;
};

struct JobDetails : JobSummary {
    bool interrupted = false;  // an earlier attempt lost its worker
    int interruptions = 0;     // how many did
    std::int64_t lease_token = 0;
    std::optional<TimePoint> heartbeat_at;
    Json payload;
    Json result;
    std::vector<Attempt> history;
};

struct JobFilter {
    std::optional<std::string> status = std::nullopt;
    std::optional<std::string> type = std::nullopt;
    std::optional<std::string> error_code = std::nullopt;
    std::optional<TimePoint> created_after = std::nullopt;  // for lists
    std::optional<TimePoint> created_before = std::nullopt;
    std::optional<TimePoint> finished_after = std::nullopt;  // for retries
    std::optional<TimePoint> finished_before = std::nullopt;
    int limit = 50;                             // 1..1000 (retry: 1..100000)
    std::optional<Uuid> before = std::nullopt;  // the last id of the previous page
};

struct TypeStats {
    std::string type;
    std::int64_t queued = 0, due = 0, running = 0;
    std::optional<TimePoint> oldest_due_at;
    std::int64_t enqueued = 0, succeeded = 0, failed = 0, cancelled = 0, dead_letter = 0;
    std::int64_t dead_letters_left = 0;
};

class Client final {
public:
    // Connects once to check the options. DB_UNAVAILABLE, UNAUTHORIZED, NOT_FOUND, CONFIG_MISSING.
    [[nodiscard]] static Result<Client> connect(ClientOptions options);
    Client(Client&&) noexcept;
    Client& operator=(Client&&) noexcept;
    ~Client();

    [[nodiscard]] Result<Enqueued> enqueue(const NewJob& job);
    // All or nothing, in order. Batches of 100 and more reach 50 times the rate of single calls.
    [[nodiscard]] Result<std::vector<Enqueued>> enqueue_many(std::span<const NewJob> jobs);
    // Inside the caller's own open transaction: the job exists if and only if the caller commits.
    // after_enqueue is not called. Sets app.tenant_id for that transaction when tenant_id is given.
    [[nodiscard]] Result<Enqueued> enqueue_in(pg_conn* connection, const NewJob& job);
    [[nodiscard]] Result<std::vector<Enqueued>> enqueue_many_in(pg_conn* connection,
                                                                std::span<const NewJob> jobs);
    // Inside a handler's transaction (for the job's tenant).
    [[nodiscard]] static Result<Enqueued> enqueue(Transaction& transaction, const NewJob& job);

    [[nodiscard]] Result<JobDetails> get(const Uuid& job_id);
    [[nodiscard]] Result<std::vector<JobSummary>> list(const JobFilter& filter = {});
    [[nodiscard]] Status cancel(const Uuid& job_id, const std::string& reason = {});
    [[nodiscard]] Result<TimePoint> reschedule(const Uuid& job_id, std::optional<TimePoint> at = {},
                                               bool reset_attempts = false,
                                               std::optional<int> max_attempts = {});
    [[nodiscard]] Result<std::vector<Uuid>> retry(const JobFilter& filter,
                                                  bool reset_attempts = true);
    [[nodiscard]] Result<std::vector<TypeStats>> stats();
    // The database's clock, by which all times of jobs are meant: "in two hours" is now() + 2 h.
    [[nodiscard]] Result<TimePoint> now();
    // Why is it not running? Sentences, most important first.
    [[nodiscard]] Result<std::vector<std::string>> explain(const Uuid& job_id);

private:
    struct State;
    explicit Client(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace jobforge
