// Enqueueing: alone, in batches, in the caller's transaction, in a handler's transaction.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text/time_text.h"
#include "base/text/utf8.h"
#include "engine/client/client_state.h"
#include "statements/jobs.h"

namespace jobforge {

namespace {

std::optional<std::string> if_any(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

std::vector<Enqueued> read_enqueued(const pg::Rows& rows) {
    std::vector<Enqueued> jobs;
    jobs.reserve(static_cast<std::size_t>(rows.size()));
    for (int row = 0; row < rows.size(); ++row) {
        jobs.push_back({rows.uuid(row, 0), rows.boolean(row, 1)});
    }
    return jobs;
}

// A parallel array of one optional field; NULL when no job has it.
template <typename Value, typename Field, typename Put>
void put_optional(pg::Params& params, std::span<const NewJob> jobs, Field field, Put put) {
    std::vector<std::optional<Value>> values;
    values.reserve(jobs.size());
    for (const NewJob& job : jobs) {
        values.push_back(field(job));
    }
    const bool any = std::any_of(values.begin(), values.end(),
                                 [](const auto& value) { return value.has_value(); });
    if (any) {
        put(std::span<const std::optional<Value>>(values));
    } else {
        params.null();
    }
}

// What the database would refuse, before it costs a round trip.
Status check_jobs(std::span<const NewJob> jobs) {
    const bool short_enough = std::all_of(jobs.begin(), jobs.end(), [](const NewJob& job) {
        return utf8_length(job.trace_id) <= kLongestTraceId;
    });
    if (short_enough) {
        return ok_status();
    }
    return Error::of(ErrorCode::VALIDATION_ERROR,
                     fmt::format("a trace_id has at most {} characters", kLongestTraceId));
}

Repeat repeat_for(std::span<const NewJob> jobs) {
    const bool all_keyed = std::all_of(jobs.begin(), jobs.end(), [](const NewJob& job) {
        return job.idempotency_key.has_value();
    });
    return all_keyed ? Repeat::always : Repeat::if_not_done;
}

}  // namespace

Result<std::vector<Enqueued>> Client::State::enqueue_on(pg_conn* native,
                                                        const ClientCall& call) const {
    pg::Connection connection = pg::Connection::borrow(native);
    if (!connection.alive() || !connection.in_transaction()) {
        Error error = Error::of(ErrorCode::VALIDATION_ERROR,
                                "the connection has no open transaction to enqueue in");
        error.hint = "Send BEGIN first, or use enqueue().";
        return error;
    }
    auto rows = calls.run_on(connection, std::span(&call, 1));
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    return read_enqueued(rows->front());
}

ClientCall enqueue_call(const NewJob& job, const std::string& created_by) {
    pg::Params params;
    params.text(job.type)
        .jsonb(job.payload.dump())
        .opt_int4(job.priority)
        .opt_timestamp(to_timestamp(job.scheduled_at))
        .opt_text(job.idempotency_key)
        .opt_int4(job.max_attempts)
        .opt_text(if_any(job.trace_id))
        .opt_text(if_any(created_by));
    return {statements::jobs::kEnqueueJob, std::move(params)};
}

ClientCall enqueue_many_call(std::span<const NewJob> jobs, const std::string& created_by) {
    std::vector<std::string> types;
    std::vector<std::string> payloads;
    types.reserve(jobs.size());
    payloads.reserve(jobs.size());
    for (const NewJob& job : jobs) {
        types.push_back(job.type);
        payloads.push_back(job.payload.dump());
    }
    pg::Params params;
    params.text_array(types).jsonb_array(payloads);
    put_optional<std::int32_t>(
        params, jobs, [](const NewJob& job) { return job.priority; },
        [&params](auto values) { params.opt_int4_array(values); });
    put_optional<pg::Timestamp>(
        params, jobs, [](const NewJob& job) { return to_timestamp(job.scheduled_at); },
        [&params](auto values) { params.opt_timestamp_array(values); });
    put_optional<std::string>(
        params, jobs, [](const NewJob& job) { return job.idempotency_key; },
        [&params](auto values) { params.opt_text_array(values); });
    put_optional<std::int32_t>(
        params, jobs, [](const NewJob& job) { return job.max_attempts; },
        [&params](auto values) { params.opt_int4_array(values); });
    put_optional<std::string>(
        params, jobs, [](const NewJob& job) { return if_any(job.trace_id); },
        [&params](auto values) { params.opt_text_array(values); });
    params.opt_text(if_any(created_by));
    return {statements::jobs::kEnqueueJobs, std::move(params)};
}

Result<Enqueued> Client::enqueue(const NewJob& job) {
    if (auto checked = check_jobs(std::span(&job, 1)); !checked.ok()) {
        return std::move(checked).error();
    }
    const ClientCall call = enqueue_call(job, state_->options.created_by);
    auto rows = state_->calls.run(std::span(&call, 1), repeat_for(std::span(&job, 1)));
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    const std::vector<Enqueued> jobs = read_enqueued(rows->front());
    state_->announce(jobs);
    return jobs.front();
}

Result<std::vector<Enqueued>> Client::enqueue_many(std::span<const NewJob> jobs) {
    if (jobs.empty()) {
        return std::vector<Enqueued>();
    }
    if (auto checked = check_jobs(jobs); !checked.ok()) {
        return std::move(checked).error();
    }
    const ClientCall call = enqueue_many_call(jobs, state_->options.created_by);
    auto rows = state_->calls.run(std::span(&call, 1), repeat_for(jobs));
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    std::vector<Enqueued> enqueued = read_enqueued(rows->front());
    state_->announce(enqueued);
    return enqueued;
}

Result<Enqueued> Client::enqueue_in(pg_conn* connection, const NewJob& job) {
    if (auto checked = check_jobs(std::span(&job, 1)); !checked.ok()) {
        return std::move(checked).error();
    }
    auto jobs = state_->enqueue_on(connection, enqueue_call(job, state_->options.created_by));
    if (!jobs.ok()) {
        return std::move(jobs).error();
    }
    return jobs->front();
}

Result<std::vector<Enqueued>> Client::enqueue_many_in(pg_conn* connection,
                                                      std::span<const NewJob> jobs) {
    if (jobs.empty()) {
        return std::vector<Enqueued>();
    }
    if (auto checked = check_jobs(jobs); !checked.ok()) {
        return std::move(checked).error();
    }
    return state_->enqueue_on(connection, enqueue_many_call(jobs, state_->options.created_by));
}

Result<Enqueued> Client::enqueue(Transaction& transaction, const NewJob& job) {
    if (auto checked = check_jobs(std::span(&job, 1)); !checked.ok()) {
        return std::move(checked).error();
    }
    const auto number = [](const std::optional<int>& value) {
        return value ? Text(std::to_string(*value)) : Text();
    };
    const Text at =
        job.scheduled_at ? Text(format_time(job.scheduled_at->time_since_epoch().count())) : Text();
    auto rows =
        transaction.exec("enqueue_job", statements::jobs::kEnqueueJobText.sql,
                         {job.type, job.payload.dump(), number(job.priority), at,
                          job.idempotency_key, number(job.max_attempts), if_any(job.trace_id)});
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    auto id = Uuid::parse(rows->rows.at(0).at(0).value_or(""));
    if (!id.ok()) {
        return std::move(id).error();
    }
    return Enqueued{*id, rows->rows[0].at(1) == "true"};
}

}  // namespace jobforge
