// Writes Prometheus's text format: HELP and TYPE once per family, escaped label values. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobforge::engine {

class PrometheusText final {
public:
    using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

    // Begins a family: its samples must follow before the next one.
    void family(std::string_view name, std::string_view type, std::string_view help);
    void sample(std::string_view name, const Labels& labels, double value);
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    std::string text_;
};

}  // namespace jobforge::engine
