// Charts as inline SVG. Colours come from the page's classes (fill-NAME), so that they follow light
// and dark; every chart has a title for readers who do not see it, every mark one with its numbers.
// Labels are escaped here. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jobforge::services {

struct Series {
    std::string name;  // also its colour's
    std::vector<double> values;
};

// One column a label, the series on top of each other. More columns than fit are put together
// (weeks instead of days); the chart's description says so.
[[nodiscard]] std::string stacked_columns(std::string_view title,
                                          const std::vector<std::string>& labels,
                                          const std::vector<Series>& series);

struct Bar {
    std::string label;
    double value = 0;
    std::string text;  // the value, for people
};
[[nodiscard]] std::string bars(std::string_view title, const std::vector<Bar>& rows);

// From the median to the 99th percentile in milliseconds, with a mark at the 95th. Logarithmic:
// jobs of a millisecond and of a minute share the chart.
struct Spread {
    std::string label;
    double p50 = 0, p95 = 0, p99 = 0;
};
[[nodiscard]] std::string spreads(std::string_view title, const std::vector<Spread>& rows);

}  // namespace jobforge::services
