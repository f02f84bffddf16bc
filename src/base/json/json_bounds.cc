#include "base/json/json_bounds.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace jobforge {

namespace {

// The exponent of a number's text, 0 without one, cut to what a comparison needs.
int exponent_of(std::string_view text) {
    constexpr int kHuge = 1'000'000'000;
    const std::size_t at = text.find_first_of("eE");
    if (at == std::string_view::npos) {
        return 0;
    }
    std::string_view digits = text.substr(at + 1);
    const bool negative = digits.starts_with('-');
    if (negative || digits.starts_with('+')) {
        digits.remove_prefix(1);
    }
    int value = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc()) {
        value = kHuge;
    }
    return negative ? -std::min(value, kHuge) : std::min(value, kHuge);
}

bool is_long(std::string_view text) {
    const std::string_view mantissa = text.substr(0, text.find_first_of("eE"));
    const std::size_t point = mantissa.find('.');
    const std::string_view whole = mantissa.substr(0, point);
    const int before = static_cast<int>(whole.size()) - (whole.starts_with('-') ? 1 : 0);
    const int behind =
        point == std::string_view::npos ? 0 : static_cast<int>(mantissa.size() - point - 1);
    const int exponent = exponent_of(text);
    return before + exponent > kMostDigits || behind - exponent > kMostDigits;
}

std::string escaped(std::string_view key) {
    std::string out;
    for (const char c : key) {
        c == '~' ? out += "~0" : c == '/' ? out += "~1" : out += c;
    }
    return out;
}

}  // namespace

std::optional<std::string> find_long_number(const Json& value) {
    if (const auto number = value.number_text()) {
        return is_long(*number) ? std::optional<std::string>("") : std::nullopt;
    }
    if (const Json::Array* list = value.as_array()) {
        for (std::size_t i = 0; i < list->size(); ++i) {
            if (auto place = find_long_number((*list)[i])) {
                return "/" + std::to_string(i) + *place;
            }
        }
    }
    if (const Json::Object* object = value.as_object()) {
        for (const auto& [key, member] : *object) {
            if (auto place = find_long_number(member)) {
                return "/" + escaped(key) + *place;
            }
        }
    }
    return std::nullopt;
}

}  // namespace jobforge
