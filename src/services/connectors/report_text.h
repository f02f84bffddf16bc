// Numbers, times and names of a report as people read them. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <jobforge/json.h>

namespace jobforge::services {

// For content and quoted attributes of HTML and XML: <>&"' become references; control characters,
// which XML has no form for, become U+FFFD.
[[nodiscard]] std::string html_escape(std::string_view text);

// At most `code_points` of it, the last one an ellipsis if something is missing.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t code_points);

[[nodiscard]] double number_of(const Json* value);         // 0 for what is not a number
[[nodiscard]] std::string count_text(double value);        // 12,345 or 1.13
[[nodiscard]] std::string short_count_text(double value);  // 12k: for axes
[[nodiscard]] std::string duration_text(double ms);        // 0.4 ms, 12 ms, 1.31 s, 2.5 min, 3.1 h
[[nodiscard]] std::string bytes_text(double bytes);        // 17 B, 1.2 MiB
[[nodiscard]] std::string time_label(std::string_view rfc3339);  // 2026-01-31 12:00 UTC

// The name of a section or a member: "dead_letter" is "Dead letter", "run_ms" is "Run".
[[nodiscard]] std::string heading(std::string_view name);

// A member's value in the unit that its name says (_ms, _bytes, _rate, _at); a dash for null. Not
// escaped.
[[nodiscard]] std::string value_text(std::string_view name, const Json& value);

}  // namespace jobforge::services
