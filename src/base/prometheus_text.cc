#include "base/prometheus_text.h"

#include <iterator>

#include <fmt/format.h>

namespace jobforge::engine {

namespace {

// The format's own escapes; nothing else is special inside quotes.
void append_escaped(std::string& text, std::string_view value, bool quotes) {
    for (const char c : value) {
        switch (c) {
            case '\\':
                text += "\\\\";
                break;
            case '\n':
                text += "\\n";
                break;
            case '"':
                text += quotes ? "\\\"" : "\"";
                break;
            default:
                text += c;
        }
    }
}

}  // namespace

void PrometheusText::family(std::string_view name, std::string_view type, std::string_view help) {
    text_ += "# HELP ";
    text_ += name;
    text_ += ' ';
    append_escaped(text_, help, /*quotes=*/false);
    fmt::format_to(std::back_inserter(text_), "\n# TYPE {} {}\n", name, type);
}

void PrometheusText::sample(std::string_view name, const Labels& labels, double value) {
    text_ += name;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        text_ += i == 0 ? '{' : ',';
        text_ += labels[i].first;
        text_ += "=\"";
        append_escaped(text_, labels[i].second, /*quotes=*/true);
        text_ += '"';
    }
    if (!labels.empty()) {
        text_ += '}';
    }
    fmt::format_to(std::back_inserter(text_), " {}\n", value);
}

}  // namespace jobforge::engine
