// Reading what people type: times, spans, ids, settings. Every failure is VALIDATION_ERROR with a
// sentence that says what is expected.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <jobforge/job.h>
#include <jobforge/json.h>

namespace jobforge::cli {

// "2030-01-31T12:00:00Z"; empty: nullopt.
[[nodiscard]] Result<std::optional<TimePoint>> time_argument(std::string_view option,
                                                             const std::string& text);
// A time, or a span before now ("2h").
[[nodiscard]] Result<std::optional<TimePoint>> past_argument(std::string_view option,
                                                             const std::string& text);
// A time in `at`, or a span from now in `in`; both empty: nullopt.
[[nodiscard]] Result<std::optional<TimePoint>> future_argument(const std::string& at,
                                                               const std::string& in);
[[nodiscard]] Result<Uuid> job_argument(const std::string& text);
// KEY=VALUE ...; a value that is a JSON number, true, false or null is one, all else is text.
[[nodiscard]] Result<Json> settings_argument(const std::vector<std::string>& settings);
// The payload itself, "-" for standard input, empty for {}. A JSON object, or the place of the
// fault.
[[nodiscard]] Result<Json> payload_argument(const std::string& text);

}  // namespace jobforge::cli
