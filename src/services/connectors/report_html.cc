#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "services/connectors/report.h"
#include "services/connectors/report_charts.h"
#include "services/connectors/report_style.h"
#include "services/connectors/report_text.h"

namespace jobforge::services {

namespace {

constexpr std::size_t kMostBars = 12;

struct Tile {
    std::string_view section, member, label;
};
// A table of a section with some of its members, in this order.
struct Table {
    std::string_view section, title;
    std::vector<std::string_view> members;
    enum class Form : std::uint8_t { full, half, folded } form = Form::full;
};
struct Layout {
    std::string_view kind;
    std::vector<Tile> tiles;
    std::string_view columns_title;
    std::vector<std::string_view> series;  // members of by_day, from the bottom
    std::string_view bars_title, bars_label, bars_value;
    std::vector<std::string_view> facts;  // sections that are objects
    std::vector<Table> tables;
};

// NOLINTNEXTLINE(readability-function-size): a table
const Layout& layout_of(std::string_view type) {
    static const Layout kAnalytics{
        "Job analytics",
        {{"totals", "jobs", "Jobs"},
         {"totals", "success_rate", "Success rate"},
         {"totals", "failed", "Failed"},
         {"totals", "dead_letter", "Dead letters"},
         {"totals", "queued", "Waiting now"},
         {"duration_ms", "p95", "Duration, 95th percentile"},
         {"wait_ms", "p95", "Wait, 95th percentile"},
         {"attempts", "mean", "Attempts per job"}},
        "Jobs per day by status",
        {"succeeded", "failed", "dead_letter", "cancelled", "running", "queued"},
        "Jobs by type",
        "type",
        "jobs",
        {},
        {{"slowest_types", "Slowest types", {"type", "jobs", "p50_ms", "p95_ms", "p99_ms"}},
         {"top_errors", "Top errors", {"code", "jobs", "types", "last_at", "message"}},
         {"dead_letters",
          "Latest dead letters",
          {"job_id", "type", "attempts", "completed_at", "code", "message"}},
         {"by_type",
          "All types",
          {"type", "jobs", "succeeded", "failed", "dead_letter", "cancelled", "success_rate",
           "duration_p50_ms", "duration_p95_ms", "wait_p95_ms"}},
         {"by_day",
          "All days",
          {"day", "jobs", "succeeded", "failed", "dead_letter", "cancelled", "running", "queued"},
          Table::Form::folded}}};
    static const Layout kUsage{
        "Tenant usage",
        {{"totals", "jobs", "Jobs"},
         {"totals", "run_ms", "Time spent running"},
         {"totals", "connector_jobs", "Connector jobs"},
         {"storage", "document_bytes", "Documents"},
         {"storage", "artifact_bytes", "Artifacts"},
         {"webhooks", "delivered", "Webhooks delivered"}},
        "Jobs per day",
        {"succeeded", "failed", "other"},
        "Jobs by type",
        "type",
        "jobs",
        {"storage", "webhooks"},
        {{"connectors",
          "Connectors used",
          {"type", "jobs", "succeeded", "failed", "attempts", "last_at"}},
         {"webhook_endpoints",
          "Webhook endpoints",
          {"url", "status", "deliveries", "delivered", "failed", "pending"}},
         {"by_type", "All types", {"type", "jobs", "succeeded", "failed", "attempts", "run_ms"}},
         {"by_day",
          "All days",
          {"day", "jobs", "succeeded", "failed", "other"},
          Table::Form::folded}}};
    static const Layout kSummary{
        "Usage summary",
        {{"totals", "events", "Events"},
         {"totals", "event_types", "Kinds of events"},
         {"totals", "aggregates", "Things changed"},
         {"totals", "active_actors", "Active actors"},
         {"totals", "active_keys", "Active API keys"}},
        "Events per day",
        {"events"},
        "Events by type",
        "event_type",
        "events",
        {},
        {{"actors", "Most active", {"actor", "events", "last_at"}, Table::Form::half},
         {"by_type", "All types", {"event_type", "events", "last_at"}},
         {"by_type_and_day",
          "By day and type",
          {"day", "event_type", "events"},
          Table::Form::folded}}};
    if (type == "job-analytics") {
        return kAnalytics;
    }
    return type == "tenant-usage" ? kUsage : kSummary;
}

const Json* member(const Json& data, std::string_view section, std::string_view name) {
    const Json* found = data.find(section);
    return found == nullptr ? nullptr : found->find(name);
}

std::span<const Json> rows_of(const Json& data, std::string_view section) {
    const Json* found = data.find(section);
    const Json::Array* rows = found == nullptr ? nullptr : found->as_array();
    return rows == nullptr ? std::span<const Json>() : std::span<const Json>(*rows);
}

std::string text_in(const Json& row, std::string_view name) {
    const Json* value = row.find(name);
    return value == nullptr ? "" : value_text(name, *value);
}

std::string tiles(const Report& report, const Layout& layout) {
    std::string html = fmt::format("<dl class=\"tiles of-{}\">\n", layout.tiles.size());
    for (const Tile& tile : layout.tiles) {
        const Json* value = member(report.data, tile.section, tile.member);
        // Sections of milliseconds name their unit once, not in every member.
        const std::string_view unit = tile.section.ends_with("_ms") ? tile.section : tile.member;
        html += fmt::format("<div class=\"tile\"><dt>{}</dt><dd>{}</dd></div>\n",
                            html_escape(tile.label),
                            html_escape(value == nullptr ? "–" : value_text(unit, *value)));
    }
    return html + "</dl>\n";
}

std::string card(std::string_view title, std::string_view note, const std::string& body,
                 std::string_view more = "") {
    return fmt::format(
        "<section class=\"card{}\">\n<h2>{}</h2>\n{}{}</section>\n", more, html_escape(title),
        note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", html_escape(note)), body);
}

const std::string& none() {
    static const std::string kNone = "<p class=\"none\">None in this period.</p>\n";
    return kNone;
}

std::string legend(const std::vector<std::string_view>& names) {
    std::string html = "<ul class=\"legend\">";
    for (const std::string_view name : names) {
        html += fmt::format(
            "<li><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect width=\"10\" height=\"10\" "
            "rx=\"2.5\" class=\"fill-{}\"/></svg>{}</li>",
            name, html_escape(heading(name)));
    }
    return html + "</ul>\n";
}

std::string days_card(const Report& report, const Layout& layout) {
    std::vector<std::string> labels;
    std::vector<Series> series;
    for (const std::string_view name : layout.series) {
        series.push_back({std::string(name), {}});
    }
    for (const Json& day : rows_of(report.data, "by_day")) {
        labels.push_back(text_in(day, "day"));
        for (Series& one : series) {
            one.values.push_back(number_of(day.find(one.name)));
        }
    }
    const std::string chart = "<div class=\"scroll\">" +
                              stacked_columns(layout.columns_title, labels, series) + "</div>\n";
    return card(layout.columns_title, "Days are those of UTC.",
                (layout.series.size() > 1 ? legend(layout.series) : "") + chart, " full");
}

std::string bars_card(const Report& report, const Layout& layout) {
    std::vector<Bar> found;
    const auto rows = rows_of(report.data, "by_type");
    for (const Json& row : rows.first(std::min(rows.size(), kMostBars))) {
        found.push_back({text_in(row, layout.bars_label), number_of(row.find(layout.bars_value)),
                         text_in(row, layout.bars_value)});
    }
    const std::string note = rows.size() > kMostBars
                                 ? fmt::format("The {} most used of {}.", kMostBars, rows.size())
                                 : std::string();
    return card(layout.bars_title, note, found.empty() ? none() : bars(layout.bars_title, found));
}

Spread spread_of(std::string label, const Json& row, std::string_view unit) {
    const auto at = [&](std::string_view name) {
        return number_of(row.find(std::string(name) + std::string(unit)));
    };
    return {std::move(label), at("p50"), at("p95"), at("p99")};
}

std::string latency_card(const Report& report) {
    std::vector<Spread> found;
    const auto ran = number_of(member(report.data, "duration_ms", "jobs"));
    if (ran > 0) {
        found.push_back(spread_of("All jobs: wait", *report.data.find("wait_ms"), ""));
        found.push_back(spread_of("All jobs: duration", *report.data.find("duration_ms"), ""));
    }
    const auto slowest = rows_of(report.data, "slowest_types");
    for (const Json& row : slowest.first(std::min(slowest.size(), kMostBars - 2))) {
        found.push_back(spread_of(text_in(row, "type"), row, "_ms"));
    }
    return card(
        "Latency", "Of the last attempt: median · 95th · 99th percentile, logarithmic.",
        found.empty() ? none() : spreads("Latency percentiles of the slowest types", found));
}

std::string facts_card(const Report& report, std::string_view section) {
    std::string html = "<table class=\"facts\"><tbody>\n";
    const Json* facts = report.data.find(section);
    if (facts != nullptr && facts->is_object()) {
        for (const auto& [name, value] : *facts->as_object()) {
            html += fmt::format("<tr><td>{}</td><td class=\"number\">{}</td></tr>\n",
                                html_escape(heading(name)), html_escape(value_text(name, value)));
        }
    }
    return card(heading(section), "", html + "</tbody></table>\n");
}

std::string_view cell_class(std::string_view name, const Json* value) {
    if (value != nullptr && value->as_string() != nullptr) {
        const bool time = name.ends_with("_at") || name == "day";
        const bool wide = name == "message" || name == "url";
        return time ? "time" : (wide ? "wide" : (name == "job_id" ? "id" : "text"));
    }
    return "number";
}

std::string table_body(std::span<const Json> rows, const std::vector<std::string_view>& members) {
    std::string html = "<div class=\"scroll\"><table>\n<thead><tr>";
    for (const std::string_view name : members) {
        const Json* first = rows.front().find(name);
        html += fmt::format("<th scope=\"col\" class=\"{}\">{}</th>", cell_class(name, first),
                            html_escape(heading(name)));
    }
    html += "</tr></thead>\n<tbody>\n";
    for (const Json& row : rows) {
        html += "<tr>";
        for (const std::string_view name : members) {
            html += fmt::format("<td class=\"{}\">{}</td>", cell_class(name, row.find(name)),
                                html_escape(text_in(row, name)));
        }
        html += "</tr>\n";
    }
    return html + "</tbody></table></div>\n";
}

std::string table_card(const Report& report, const Table& table) {
    const auto rows = rows_of(report.data, table.section);
    const std::string body = rows.empty() ? none() : table_body(rows, table.members);
    if (table.form != Table::Form::folded) {
        return card(table.title, "", body, table.form == Table::Form::full ? " full" : "");
    }
    return fmt::format(
        "<section class=\"card full\"><details><summary>{}</summary>\n{}</details></section>\n",
        html_escape(table.title), body);
}

std::string head(const Report& report, const Layout& layout) {
    const auto time = [](const Json* value) {
        return html_escape(value == nullptr || value->as_string() == nullptr
                               ? ""
                               : time_label(*value->as_string()));
    };
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{0}</title>\n"
        "<style>{1}</style>\n</head>\n<body>\n<header>\n<p class=\"kind\">{2}</p>\n<h1>{0}</h1>\n"
        "<p class=\"meta\">From {3} until {4}</p>\n</header>\n<main>\n",
        html_escape(report.title), kReportStyle, html_escape(layout.kind),
        time(member(report.metadata, "period", "from")),
        time(member(report.metadata, "period", "to")));
}

std::string foot(const Report& report) {
    return fmt::format(
        "</main>\n<footer>\nGenerated by Jobforge at {} from {} "
        "rows.\n</footer>\n</body>\n</html>\n",
        html_escape(text_in(report.metadata, "generated_at")),
        html_escape(text_in(report.metadata, "rows")));
}

}  // namespace

std::string report_html(const Report& report) {
    const Layout& layout = layout_of(report.type);
    std::string html = head(report, layout) + tiles(report, layout);
    html += "<div class=\"grid\">\n" + days_card(report, layout) + bars_card(report, layout);
    if (report.type == "job-analytics") {
        html += latency_card(report);
    }
    if (!layout.facts.empty()) {
        html += "<div class=\"stack\">\n";
        for (const std::string_view section : layout.facts) {
            html += facts_card(report, section);
        }
        html += "</div>\n";
    }
    for (const Table& table : layout.tables) {
        html += table_card(report, table);
    }
    return html + "</div>\n" + foot(report);
}

}  // namespace jobforge::services
