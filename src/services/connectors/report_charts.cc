#include "services/connectors/report_charts.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "services/connectors/report_text.h"

namespace jobforge::services {

namespace {

constexpr double kWide = 1040;  // of the columns' chart
constexpr double kHalf = 500;   // of the others: two stand side by side
constexpr std::size_t kMostColumns = 62;
constexpr std::size_t kLabel = 44;  // code points

std::string open_svg(std::string_view title, double width, double height,
                     std::string_view css_class) {
    return fmt::format(
        "<svg class=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" "
        "xmlns=\"http://www.w3.org/2000/svg\">\n<title>{}</title>\n",
        css_class, width, height, html_escape(title), html_escape(title));
}

std::string text_at(double x, double y, std::string_view css_class, std::string_view text) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, css_class,
                       html_escape(text));
}

std::string rect(double x, double y, double width, double height, std::string_view css_class,
                 double radius = 0) {
    return fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" rx=\"{}\" "
        "class=\"{}\"/>",
        x, y, width, height, radius, css_class);
}

std::string line(double x1, double y1, double x2, double y2, std::string_view css_class) {
    return fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1,
        x2, y2, css_class);
}

// A round step (1, 2 or 5 times a power of ten) that needs at most four for `most`.
double step_for(double most) {
    const double raw = std::max(most, 1.0) / 4;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (raw <= factor * power) {
            return std::max(1.0, factor * power);
        }
    }
    return std::max(1.0, 10 * power);
}

struct Columns {
    std::vector<std::string> labels;
    std::vector<Series> series;
    std::size_t each = 1;  // labels of the original in one column
};

Columns put_together(const std::vector<std::string>& labels, const std::vector<Series>& series) {
    Columns columns;
    columns.each = std::max<std::size_t>(1, (labels.size() + kMostColumns - 1) / kMostColumns);
    for (std::size_t i = 0; i < labels.size(); i += columns.each) {
        columns.labels.push_back(labels[i]);
    }
    for (const Series& one : series) {
        Series sums{one.name, std::vector<double>(columns.labels.size())};
        for (std::size_t i = 0; i < one.values.size(); ++i) {
            sums.values[i / columns.each] += one.values[i];
        }
        columns.series.push_back(std::move(sums));
    }
    return columns;
}

double sum_at(const Columns& columns, std::size_t column) {
    double sum = 0;
    for (const Series& one : columns.series) {
        sum += one.values[column];
    }
    return sum;
}

// What a pointer over the column says.
std::string column_title(const Columns& columns, std::size_t column) {
    std::string title = columns.labels[column];
    if (columns.each > 1) {
        title += fmt::format(" and the next {} days", columns.each - 1);
    }
    for (const Series& one : columns.series) {
        if (one.values[column] > 0) {
            title += fmt::format("\n{}: {}", heading(one.name), count_text(one.values[column]));
        }
    }
    return title;
}

struct Frame {
    double left, top, width, height, most;
    [[nodiscard]] double y(double value) const { return top + height - value / most * height; }
};

std::string one_column(const Columns& columns, std::size_t column, const Frame& frame) {
    const double slot = frame.width / static_cast<double>(columns.labels.size());
    const double width = std::clamp(slot * 0.72, 2.0, 56.0);
    const double x = frame.left + slot * static_cast<double>(column) + (slot - width) / 2;
    std::string svg =
        fmt::format("<g><title>{}</title>", html_escape(column_title(columns, column)));
    // The whole slot answers the pointer, also where the column is low.
    svg += rect(x - (slot - width) / 2, frame.top, slot, frame.height, "catch");
    double below = 0;
    for (const Series& one : columns.series) {
        const double value = one.values[column];
        if (value > 0) {
            const double top = frame.y(below + value);
            svg += rect(x, top, width, std::max(0.75, frame.y(below) - top), "fill-" + one.name);
            below += value;
        }
    }
    return svg + "</g>\n";
}

std::string day_labels(const Columns& columns, const Frame& frame) {
    const double slot = frame.width / static_cast<double>(columns.labels.size());
    const std::size_t every = (columns.labels.size() + 9) / 10;
    const bool years = columns.labels.size() * columns.each > 300;
    std::string svg;
    for (std::size_t i = 0; i < columns.labels.size(); i += every) {
        const std::string& label = columns.labels[i];
        const std::string text = years || label.size() < 10 ? label.substr(0, 7) : label.substr(5);
        svg += text_at(frame.left + slot * (static_cast<double>(i) + 0.5),
                       frame.top + frame.height + 20, "axis middle", text);
    }
    return svg;
}

std::string row_label(double y, std::string_view label, std::string_view value) {
    return fmt::format("<title>{}: {}</title>", html_escape(label), html_escape(value)) +
           text_at(0, y, "label", shortened(label, kLabel)) + text_at(kHalf, y, "value end", value);
}

}  // namespace

std::string stacked_columns(std::string_view title, const std::vector<std::string>& labels,
                            const std::vector<Series>& series) {
    const Columns columns = put_together(labels, series);
    double most = 0;
    for (std::size_t i = 0; i < columns.labels.size(); ++i) {
        most = std::max(most, sum_at(columns, i));
    }
    const double step = step_for(most);
    const Frame frame{46, 12, kWide - 46, 230, std::max(step, std::ceil(most / step) * step)};
    std::string svg = open_svg(title, kWide, 276, "chart wide");
    const auto ticks = static_cast<int>(std::lround(frame.most / step));
    for (int i = 0; i <= ticks; ++i) {
        const double tick = i * step;
        svg += line(frame.left, frame.y(tick), kWide, frame.y(tick), tick == 0 ? "base" : "grid");
        svg += text_at(frame.left - 8, frame.y(tick) + 4, "axis end", short_count_text(tick));
    }
    for (std::size_t i = 0; i < columns.labels.size(); ++i) {
        svg += one_column(columns, i, frame);
    }
    return svg + day_labels(columns, frame) + "</svg>\n";
}

std::string bars(std::string_view title, const std::vector<Bar>& rows) {
    constexpr double kRow = 38;
    double most = 0;
    for (const Bar& row : rows) {
        most = std::max(most, row.value);
    }
    std::string svg = open_svg(title, kHalf, kRow * static_cast<double>(rows.size()), "chart");
    double y = 0;
    for (const Bar& row : rows) {
        const double share = most > 0 ? row.value / most : 0;
        svg +=
            "<g>" + row_label(y + 14, row.label, row.text) + rect(0, y + 21, kHalf, 8, "track", 4);
        svg +=
            rect(0, y + 21, std::max(share * kHalf, row.value > 0 ? 3.0 : 0.0), 8, "fill-bar", 4);
        svg += "</g>\n";
        y += kRow;
    }
    return svg + "</svg>\n";
}

std::string spreads(std::string_view title, const std::vector<Spread>& rows) {
    constexpr double kRow = 38;
    double least = 1e18;
    double most = 1;
    for (const Spread& row : rows) {
        least = std::min(least, row.p50);
        most = std::max(most, row.p99);
    }
    const double low = std::floor(std::log10(std::clamp(least, 0.01, most)));
    const double high = std::max(low + 1, std::ceil(std::log10(most)));
    const auto x_of = [&](double ms) {
        return (std::log10(std::max(ms, std::pow(10, low))) - low) / (high - low) * (kHalf - 12) +
               6;
    };
    const double height = kRow * static_cast<double>(rows.size());
    std::string svg = open_svg(title, kHalf, height + 24, "chart");
    const auto powers = static_cast<int>(high - low);
    for (int i = 0; i <= powers; ++i) {
        const double power = low + i;
        const double x = x_of(std::pow(10, power));
        svg += line(x, 18, x, height, "grid");
        svg += text_at(x, height + 16,
                       power == low ? "axis" : (power == high ? "axis end" : "axis middle"),
                       duration_text(std::pow(10, power)));
    }
    double y = 0;
    for (const Spread& row : rows) {
        svg += "<g>" + row_label(y + 14, row.label,
                                 fmt::format("{} · {} · {}", duration_text(row.p50),
                                             duration_text(row.p95), duration_text(row.p99)));
        svg += rect(x_of(row.p50), y + 22, std::max(3.0, x_of(row.p99) - x_of(row.p50)), 7,
                    "fill-spread", 3.5);
        svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" class=\"fill-p50\"/>",
                           x_of(row.p50), y + 25.5);
        svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" class=\"fill-p95\"/></g>\n",
                           x_of(row.p95), y + 25.5);
        y += kRow;
    }
    return svg + "</svg>\n";
}

}  // namespace jobforge::services
