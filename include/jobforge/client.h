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

// Checked by Client::connect(): a value out of its range is CONFIG_MISSING, naming option and
// range.
struct ClientOptions {
    // The database: a libpq URI or keyword string, several hosts for failover. Required. May point
    // to a PgBouncer in transaction mode.
    std::string database_url;

    // The tenant whose jobs these are. Needed by logins with the role jobforge_gateway or
    // jobforge_worker; the login of one tenant (jobforge_tenant) is bound already and leaves it
    // out. It is set in each transaction, so the connections may be shared through a pooler.
    std::optional<Uuid> tenant_id;

    // The most connections, opened when needed and then kept. 1 to 100; default 4. A call takes one
    // for its round trip; further callers wait for a free one, up to `timeout`.
    int pool_size = 4;

    // Who enqueued a job, for people: stored with each of them, at most 500 characters. Default:
    // empty, none.
    std::string created_by = {};

    // How long a call waits for a free connection, and how long it repeats while the database is
    // away, if repeating can do no harm. From 1 ms, at most 24 h; default 10 s. A call that runs
    // may take longer: it is given up after five minutes, or earlier if the server is gone.
    std::chrono::milliseconds timeout{10000};

    // Called after each commit that added jobs, with their ids (not those that were deduplicated),
    // on the thread of the caller: publish a trigger. Default: none. Its exceptions are dropped,
    // and its time is part of the call's.
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
