// Reading what people type: times, spans, ids, settings. Every failure is VALIDATION_ERROR with a
// sentence that says what is expected.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <jobforge/client.h>
#include <jobforge/json.h>

namespace jobforge::cli {

// A time, a span from now (negative: before it), or neither.
struct When {
    std::optional<TimePoint> at;
    std::optional<std::chrono::milliseconds> from_now;
};

// A time ("2030-01-31T12:00:00Z"), or a span before now ("2h").
[[nodiscard]] Result<When> past_argument(std::string_view option, const std::string& text);
// A time, or a span from now ("90d").
[[nodiscard]] Result<When> from_now_argument(std::string_view option, const std::string& text);
// A time in `at`, or a span from now in `in`.
[[nodiscard]] Result<When> future_argument(const std::string& at, const std::string& in);
// The time that is meant. Now is what the database says, which is asked only for a span: jobs are
// due by its clock, whatever the clock of this machine says.
[[nodiscard]] Result<std::optional<TimePoint>> resolve(const When& when, Client& client);
[[nodiscard]] Result<Uuid> job_argument(const std::string& text);
// KEY=VALUE ...; a value that is a JSON number, true, false or null is one, all else is text.
[[nodiscard]] Result<Json> settings_argument(const std::vector<std::string>& settings);
// The payload itself, "-" for standard input, empty for {}. A JSON object, or the place of the
// fault.
[[nodiscard]] Result<Json> payload_argument(const std::string& text);

}  // namespace jobforge::cli
