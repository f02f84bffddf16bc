// How results look: aligned tables and UTC times for people, JSON for programs.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/client.h>
#include <jobforge/json.h>

namespace jobforge::cli {

// How wide the terminal is that standard output goes to; 0 if it goes elsewhere.
[[nodiscard]] std::size_t terminal_columns();

// Collects rows, then prints them with columns as wide as their longest cell, on a terminal no
// wider than it: the widest columns are cut, with "..." at the end. Pipes and files get everything.
// Control characters of cells are shown as "?": a payload must not move a terminal's cursor.
class Table final {
public:
    explicit Table(std::vector<std::string> header);
    void add(std::vector<std::string> row);
    // At most `columns` wide, as far as that is possible; 0 is without a limit.
    [[nodiscard]] std::string text(std::size_t columns = terminal_columns()) const;

private:
    std::vector<std::vector<std::string>> rows_;
};

// To standard output, whole or not at all.
void print(std::string_view text);
void print_line(std::string_view text);

// "2030-01-31 12:00:00" (UTC); "-" for none.
[[nodiscard]] std::string time_cell(const std::optional<TimePoint>& at);
// "3 min ago", "in 5 s"; "-" for none.
[[nodiscard]] std::string age_cell(const std::optional<TimePoint>& at, TimePoint now);
[[nodiscard]] std::string text_cell(const std::optional<std::string>& text);
// At most `width` characters, "..." at the end of what was longer.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);
// "CODE: message" of a stored error; "" for none.
[[nodiscard]] std::string error_cell(const Json& error);

// Stable field names, times as RFC 3339.
[[nodiscard]] Json to_json(const std::optional<TimePoint>& at);
[[nodiscard]] Json to_json(const std::optional<std::string>& text);
[[nodiscard]] Json to_json(const JobSummary& job);
[[nodiscard]] Json to_json(const JobDetails& job);
[[nodiscard]] Json to_json(const TypeStats& stats);

}  // namespace jobforge::cli
