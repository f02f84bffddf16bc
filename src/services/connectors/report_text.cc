#include "services/connectors/report_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text/utf8.h"

namespace jobforge::services {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::string_view entity(char c) {
    switch (c) {
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '&':
            return "&amp;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        default:
            return {};
    }
}

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\n') || byte == 0x7F;
}

// "1.20" is "1.2", "3.00" is "3".
std::string without_zeros(std::string text) {
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.') {
            text.pop_back();
        }
    }
    return text;
}

// Three digits that count: 0.41, 7.3, 12, 131.
std::string rounded(double value) {
    const int digits = value < 1 ? 2 : (value < 10 ? 1 : 0);
    return without_zeros(fmt::format("{:.{}f}", value, digits));
}

}  // namespace

std::string html_escape(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at < end;) {
        const std::size_t size = utf8_sequence_length(at, end);
        const bool bad = size == 0 || is_control(*at);
        // U+FFFE and U+FFFF are not characters, and XML refuses them.
        const std::string_view character(at, size == 0 ? 1 : size);
        if (bad || character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF") {
            out += kReplacement;
        } else if (const std::string_view name = entity(*at); !name.empty()) {
            out += name;
        } else {
            out += character;
        }
        at += character.size();
    }
    return out;
}

std::string shortened(std::string_view text, std::size_t code_points) {
    std::size_t kept = 0;
    std::size_t last = 0;
    const char* const end = text.data() + text.size();
    for (std::size_t count = 0; kept < text.size(); ++count) {
        if (count == code_points) {
            return std::string(text.substr(0, last)) + "…";
        }
        last = kept;
        const std::size_t size = utf8_sequence_length(text.data() + kept, end);
        kept += size == 0 ? 1 : size;
    }
    return std::string(text);
}

double number_of(const Json* value) {
    const auto text = value == nullptr ? std::nullopt : value->number_text();
    double number = 0;
    if (text) {
        std::from_chars(text->data(), text->data() + text->size(), number);
    }
    return number;
}

std::string count_text(double value) {
    const std::string digits = without_zeros(fmt::format("{:.2f}", value));
    const std::size_t point = std::min(digits.find('.'), digits.size());
    std::string out;
    for (std::size_t i = 0; i < point; ++i) {
        if (i != 0 && (point - i) % 3 == 0 && digits[i - 1] != '-') {
            out += ',';
        }
        out += digits[i];
    }
    return out + digits.substr(point);
}

std::string short_count_text(double value) {
    constexpr std::array<std::string_view, 4> kUnits{"", "k", "M", "G"};
    std::size_t unit = 0;
    while (value >= 1000 && unit + 1 < kUnits.size()) {
        value /= 1000;
        ++unit;
    }
    return without_zeros(fmt::format("{:.1f}", value)) + std::string(kUnits.at(unit));
}

std::string duration_text(double ms) {
    constexpr double kSecond = 1000;
    constexpr double kMinute = 60 * kSecond;
    constexpr double kHour = 60 * kMinute;
    if (ms < kSecond) {
        return rounded(ms) + " ms";
    }
    if (ms < kMinute) {
        return without_zeros(fmt::format("{:.{}f}", ms / kSecond, ms < 10 * kSecond ? 2 : 1)) +
               " s";
    }
    return ms < kHour ? without_zeros(fmt::format("{:.1f}", ms / kMinute)) + " min"
                      : count_text(std::round(ms / kHour * 10) / 10) + " h";
}

std::string bytes_text(double bytes) {
    constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < kUnits.size()) {
        bytes /= 1024;
        ++unit;
    }
    return fmt::format("{} {}", without_zeros(fmt::format("{:.1f}", bytes)), kUnits.at(unit));
}

std::string time_label(std::string_view rfc3339) {
    if (rfc3339.size() < 16) {
        return std::string(rfc3339);
    }
    return fmt::format("{} {} UTC", rfc3339.substr(0, 10), rfc3339.substr(11, 5));
}

std::string heading(std::string_view name) {
    for (const std::string_view unit : {"_ms", "_at"}) {
        if (name.ends_with(unit)) {
            name.remove_suffix(unit.size());
        }
    }
    std::string out(name);
    for (char& c : out) {
        c = c == '_' ? ' ' : c;
    }
    if (!out.empty() && out.front() >= 'a' && out.front() <= 'z') {
        out.front() = static_cast<char>(out.front() - 'a' + 'A');
    }
    return out;
}

std::string value_text(std::string_view name, const Json& value) {
    if (value.is_null()) {
        return "–";
    }
    if (const std::string* text = value.as_string()) {
        return name.ends_with("_at") ? time_label(*text) : *text;
    }
    if (!value.is_number()) {
        return value.dump();
    }
    const double number = number_of(&value);
    if (name.ends_with("_ms")) {
        return duration_text(number);
    }
    if (name.ends_with("_bytes")) {
        return bytes_text(number);
    }
    return name.ends_with("_rate") ? without_zeros(fmt::format("{:.2f}", number * 100)) + " %"
                                   : count_text(number);
}

}  // namespace jobforge::services
