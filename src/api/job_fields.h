// The members of a job that is to be enqueued, as a body names them. Pure.
#pragma once

#include <optional>
#include <string>

#include "api/request_fields.h"
#include "pg/params.h"

namespace jobforge::api {

struct JobFields {
    std::string type;
    std::string payload = "{}";  // JSON
    std::optional<std::int32_t> priority;
    std::optional<std::int32_t> max_attempts;
    std::optional<pg::Timestamp> scheduled_at;
    std::optional<std::string> idempotency_key;
    std::optional<std::string> trace_id;

    // `max_attempts`: of a job that does not say; none: the type's.
    [[nodiscard]] static JobFields read(BodyFields& body, std::optional<std::int32_t> max_attempts);
};

[[nodiscard]] std::optional<pg::Timestamp> timestamp_of(const std::optional<TimePoint>& time);

}  // namespace jobforge::api
