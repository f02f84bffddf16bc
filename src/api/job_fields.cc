#include "api/job_fields.h"

#include <fmt/format.h>

#include "base/text/utf8.h"

namespace jobforge::api {

JobFields JobFields::read(BodyFields& body, std::optional<std::int32_t> max_attempts) {
    JobFields job;
    job.type = body.text("type");
    if (const Json* payload = body.json("payload")) {
        job.payload = payload->dump();
    }
    job.priority = body.opt_int("priority", 0, 3);
    job.max_attempts = body.opt_int("max_attempts", 1, 1000);
    if (!job.max_attempts) {
        job.max_attempts = max_attempts;
    }
    job.scheduled_at = timestamp_of(body.opt_time("scheduled_at"));
    job.idempotency_key = body.opt_text("idempotency_key");
    job.trace_id = body.opt_text("trace_id");
    if (job.trace_id && utf8_length(*job.trace_id) > kLongestTraceId) {
        body.refuse("trace_id", fmt::format("has at most {} characters", kLongestTraceId));
    }
    return job;
}

std::optional<pg::Timestamp> timestamp_of(const std::optional<TimePoint>& time) {
    if (!time) {
        return std::nullopt;
    }
    return pg::Timestamp{time->time_since_epoch().count()};
}

}  // namespace jobforge::api
