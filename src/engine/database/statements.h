// The SQL that the engine sends: thin calls of the functions in sql/functions, each with the name
// it has in logs and errors. Results are read by position, so the columns are spelled out.
#pragma once

#include "pg/connection.h"

namespace jobforge::engine::statements {

// The worker: finding and claiming.
inline constexpr pg::Statement kFindLanes{
    "find_lanes",
    "select l.type, l.priority, l.tenant_id, l.scheduled_at, l.interrupted, clock_timestamp(), "
    "s.several from (select jobforge.has_several_tenants() as several) s "
    "left join jobforge.find_lanes($1, $2) l on true"};
inline constexpr pg::Statement kClaimJobs{
    "claim_jobs",
    "select tenant_id, job_id, type, payload, attempts, max_attempts, priority, scheduled_at, "
    "created_at, started_at, lease_token, lease_expires_at, interruptions, idempotency_key, "
    "trace_id, created_by, timeout_seconds, claim_id, row_ids "
    "from jobforge.claim_jobs($1, $2, $3, $4, $5, $6, false, $7, $8, $9, $10, $11, true, $12, $13, "
    "$14, $15)"};
// Ends waiting jobs whose payload cannot be sent; asked when a claim fails.
inline constexpr pg::Statement kEndUnreadableJobs{"end_unreadable_jobs",
                                                  "select jobforge.end_unreadable_jobs($1)"};
inline constexpr pg::Statement kReadClaimed{
    "read_claimed",
    "select tenant_id, job_id, type, payload, attempts, max_attempts, priority, scheduled_at, "
    "created_at, started_at, lease_token, lease_expires_at, interruptions, idempotency_key, "
    "trace_id, created_by, timeout_seconds, claim_id, row_ids "
    "from jobforge.read_claimed($1, $2, $3)"};
inline constexpr pg::Statement kReadPayload{"read_payload",
                                            "select jobforge.read_payload($1, $2, $3)"};
inline constexpr pg::Statement kAskForWake{"ask_for_wake", "select jobforge.ask_for_wake($1, $2)"};

// The worker: leases.
inline constexpr pg::Statement kHeartbeatJobs{
    "heartbeat_jobs",
    "select job_id, lease_token, state from jobforge.heartbeat_jobs($1, $2, $3, $4, $5, $6)"};
inline constexpr pg::Statement kLeaseState{"lease_state",
                                           "select jobforge.lease_state($1, $2, $3, $4, $5)"};

// The worker: settling, many at once.
// First in the transaction of a flush. Batch calls refuse a repetition in a transaction that has
// written; this tells them that only batch calls write in this one.
inline constexpr pg::Statement kBeginSettling{
    "begin_settling",
    "select set_config('lock_timeout', $1, true), set_config('jobforge.only_settles', "
    "(pg_current_xact_id_if_assigned() is null)::text, true)"};
inline constexpr pg::Statement kCompleteJobs{
    "complete_jobs",
    "select job_id, lease_token, state from jobforge.complete_jobs($1, $2, $3, $4, $7, $5, $6)"};
inline constexpr pg::Statement kFailJobs{
    "fail_jobs",
    "select job_id, lease_token, status from jobforge.fail_jobs($1, $2, $3, $4, $7, $8, $5, $6)"};
inline constexpr pg::Statement kSnoozeJobs{
    "snooze_jobs",
    "select job_id, lease_token, state from jobforge.snooze_jobs($1, $2, $3, $4, $7, $5, $6)"};
inline constexpr pg::Statement kReleaseJobs{
    "release_jobs",
    "select job_id, lease_token, state from jobforge.release_jobs($1, $2, $3, $4, $5, $6)"};
inline constexpr pg::Statement kCancelRunningJobs{
    "cancel_running_jobs",
    "select job_id, lease_token, state "
    "from jobforge.cancel_running_jobs($1, $2, $3, $4, $7, $5, $6)"};

// The worker: settling one job inside its handler's transaction.
// The level is named: a database's default may be another one, and a completion at a higher level
// conflicts with the renewals of its own lease.
inline constexpr pg::Statement kBegin{"begin", "begin isolation level read committed"};
inline constexpr pg::Statement kCommit{"commit", "commit"};
inline constexpr pg::Statement kSetTransaction{
    "set_transaction",
    "select set_config('app.tenant_id', $1, true), "
    "set_config('idle_in_transaction_session_timeout', $2, true), "
    "set_config('app.actor_id', $3, true)"};
// The same for a step of this program: CompletionTransaction::run.
inline constexpr pg::Statement kSetStepTransaction{
    "set_step_transaction",
    "select set_config('app.tenant_id', $1, true), "
    "set_config('idle_in_transaction_session_timeout', $2, true), "
    "set_config('app.actor_id', $3, true), set_config('lock_timeout', '5000', true)"};
// Of a transaction whose connection a handler uses by itself (Transaction::native).
inline constexpr pg::Statement kLendTransaction{
    "lend_transaction",
    "select set_config('idle_in_transaction_session_timeout', '0', true), "
    "set_config('application_name', $1, true)"};
inline constexpr pg::Statement kCompleteJob{"complete_job",
                                            "select jobforge.complete_job($1, $2, $3, $4, $6, $5)"};
inline constexpr pg::Statement kFailJob{
    "fail_job", "select status from jobforge.fail_job($1, $2, $3, $4, $6, $7, $5)"};
inline constexpr pg::Statement kSnoozeJob{"snooze_job",
                                          "select jobforge.snooze_job($1, $2, $3, $4, $6, $5)"};
inline constexpr pg::Statement kCancelRunningJob{
    "cancel_running_job", "select jobforge.cancel_running_job($1, $2, $3, $4, $6, $5)"};

// The worker: registry and housekeeping.
inline constexpr pg::Statement kSchemaVersion{"schema_version", "select jobforge.schema_version()"};
inline constexpr pg::Statement kRegisterWorker{
    "register_worker", "select jobforge.register_worker($1, $2, $3, $4, $5, $6)"};
inline constexpr pg::Statement kWorkerHeartbeat{"worker_heartbeat",
                                                "select jobforge.worker_heartbeat($1, $2, $3)"};
inline constexpr pg::Statement kReclaimExpired{"reclaim_expired",
                                               "select jobforge.reclaim_expired(null)"};
inline constexpr pg::Statement kFoldCounters{"fold_counters", "select jobforge.fold_counters()"};
inline constexpr pg::Statement kRunSchedules{"run_schedules", "select jobforge.run_schedules()"};
inline constexpr pg::Statement kPruneFinished{"prune_finished",
                                              "select jobforge.prune_finished(1000)"};
inline constexpr pg::Statement kPruneWakeRequests{"prune_wake_requests",
                                                  "select jobforge.prune_wake_requests()"};
inline constexpr pg::Statement kEndFrozenSessions{"end_frozen_sessions",
                                                  "select jobforge.end_frozen_sessions($1)"};
inline constexpr pg::Statement kPruneWorkers{"prune_workers", "select jobforge.prune_workers()"};
inline constexpr pg::Statement kPruneGovernors{"prune_governors",
                                               "select jobforge.prune_governors()"};
inline constexpr pg::Statement kPruneApiRequests{"prune_api_requests",
                                                 "select jobforge.prune_api_requests(1000)"};
inline constexpr pg::Statement kFlushAccessDenied{"flush_access_denied",
                                                  "select jobforge.flush_access_denied(100)"};

// Monitoring.
inline constexpr pg::Statement kMetricCounters{
    "metric_counters", "select tenant_id, type, counter, value from jobforge.metric_counters()"};
inline constexpr pg::Statement kMetricRunning{
    "metric_running", "select tenant_id, type, running from jobforge.metric_running()"};
inline constexpr pg::Statement kMetricOldest{"metric_oldest",
                                             "select type, seconds from jobforge.metric_oldest()"};

}  // namespace jobforge::engine::statements
