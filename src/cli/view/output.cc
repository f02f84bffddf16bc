#include "cli/view/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/text/duration_text.h"
#include "base/text/time_text.h"
#include "base/text/visible_text.h"

namespace jobforge::cli {

namespace {

// Code points, near enough to columns for what we print.
std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

constexpr std::size_t kGap = 2;         // between columns
constexpr std::size_t kNarrowest = 12;  // of a column that is cut

// Makes the widest columns narrower until a line fits, or none can be: a column keeps room for its
// header.
void fit(std::vector<std::size_t>& widths, const std::vector<std::string>& header,
         std::size_t columns) {
    std::size_t total = (widths.size() - 1) * kGap;
    for (const std::size_t width : widths) {
        total += width;
    }
    while (total > columns) {
        std::size_t* widest = nullptr;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            if (widths[i] > std::max(kNarrowest, width_of(header[i])) &&
                (widest == nullptr || widths[i] > *widest)) {
                widest = &widths[i];
            }
        }
        if (widest == nullptr) {
            return;
        }
        --*widest;
        --total;
    }
}

std::string time_text(TimePoint at) {
    return format_time(at.time_since_epoch().count());
}

}  // namespace

std::size_t terminal_columns() {
    winsize size{};
    if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
        return 0;
    }
    return size.ws_col;
}

Table::Table(std::vector<std::string> header) {
    rows_.push_back(std::move(header));
}

void Table::add(std::vector<std::string> row) {
    for (std::string& cell : row) {
        cell = visible_text(cell);
    }
    row.resize(rows_.front().size());
    rows_.push_back(std::move(row));
}

std::string Table::text(std::size_t columns) const {
    std::vector<std::size_t> widths(rows_.front().size(), 0);
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], width_of(row[i]));
        }
    }
    if (columns != 0) {
        fit(widths, rows_.front(), columns);
    }
    std::string out;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string cell = shortened(row[i], widths[i]);
            line += cell;
            line.append(widths[i] - width_of(cell) + kGap, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

void print(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

void print_line(std::string_view text) {
    print(fmt::format("{}\n", text));
}

std::string time_cell(const std::optional<TimePoint>& at) {
    if (!at) {
        return "-";
    }
    std::string text = time_text(*at).substr(0, 19);
    std::replace(text.begin(), text.end(), 'T', ' ');
    return text;
}

std::string age_cell(const std::optional<TimePoint>& at, TimePoint now) {
    if (!at) {
        return "-";
    }
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now - *at).count();
    return ms >= 0 ? format_duration_ms(ms) + " ago" : "in " + format_duration_ms(-ms);
}

std::string text_cell(const std::optional<std::string>& text) {
    return text && !text->empty() ? *text : "-";
}

std::string shortened(std::string_view text, std::size_t width) {
    if (width_of(text) <= width) {
        return std::string(text);
    }
    std::size_t end = std::min(text.size(), width - 3);
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
        --end;
    }
    return std::string(text.substr(0, end)) + "...";
}

std::string error_cell(const Json& error) {
    const auto member = [&error](std::string_view key) {
        const Json* value = error.find(key);
        const std::string* text = value == nullptr ? nullptr : value->as_string();
        return text == nullptr ? std::string() : *text;
    };
    return error.is_null() ? "" : fmt::format("{}: {}", member("code"), member("message"));
}

Json to_json(const std::optional<TimePoint>& at) {
    return at ? Json(time_text(*at)) : Json();
}

Json to_json(const std::optional<std::string>& text) {
    return text ? Json(*text) : Json();
}

Json to_json(const JobSummary& job) {
    return Json::object({{"tenant_id", job.tenant_id.to_string()},
                         {"job_id", job.job_id.to_string()},
                         {"type", job.type},
                         {"status", job.status},
                         {"priority", job.priority},
                         {"attempts", job.attempts},
                         {"max_attempts", job.max_attempts},
                         {"scheduled_at", to_json(job.scheduled_at)},
                         {"created_at", to_json(job.created_at)},
                         {"started_at", to_json(job.started_at)},
                         {"completed_at", to_json(job.completed_at)},
                         {"lease_owner", to_json(job.lease_owner)},
                         {"lease_expires_at", to_json(job.lease_expires_at)},
                         {"idempotency_key", to_json(job.idempotency_key)},
                         {"trace_id", to_json(job.trace_id)},
                         {"created_by", to_json(job.created_by)},
                         {"last_error", job.last_error}});
}

Json to_json(const JobDetails& job) {
    Json out = to_json(static_cast<const JobSummary&>(job));
    out.set("interrupted", job.interrupted);
    out.set("interruptions", job.interruptions);
    out.set("lease_token", job.lease_token);
    out.set("heartbeat_at", to_json(job.heartbeat_at));
    out.set("payload", job.payload);
    out.set("result", job.result);
    Json history = Json::array();
    for (const Attempt& attempt : job.history) {
        history.push_back(Json::object({{"attempt_no", attempt.attempt_no},
                                        {"lease_token", attempt.lease_token},
                                        {"worker_id", attempt.worker_id},
                                        {"started_at", to_json(attempt.started_at)},
                                        {"ended_at", to_json(attempt.ended_at)},
                                        {"outcome", attempt.outcome},
                                        {"error", attempt.error}}));
    }
    out.set("history", std::move(history));
    return out;
}

Json to_json(const TypeStats& stats) {
    return Json::object({{"type", stats.type},
                         {"queued", stats.queued},
                         {"due", stats.due},
                         {"running", stats.running},
                         {"oldest_due_at", to_json(stats.oldest_due_at)},
                         {"enqueued", stats.enqueued},
                         {"succeeded", stats.succeeded},
                         {"failed", stats.failed},
                         {"cancelled", stats.cancelled},
                         {"dead_letter", stats.dead_letter},
                         {"dead_letters_left", stats.dead_letters_left}});
}

}  // namespace jobforge::cli
