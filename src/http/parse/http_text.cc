#include "http/parse/http_text.h"

#include <algorithm>
#include <array>

#include "base/text/trimmed.h"

namespace jobforge::http {

namespace {

constexpr std::array<bool, 256> token_characters() {
    std::array<bool, 256> table{};
    for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789"
                                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
        table[static_cast<unsigned char>(c)] = true;
    }
    return table;
}
constexpr auto kToken = token_characters();

char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

}  // namespace

bool is_token(std::string_view text) noexcept {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return kToken[static_cast<unsigned char>(c)];
    });
}

bool is_field_value(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) || c == '\t';
    });
}

std::string lower_case(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), lower);
    return result;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view take_part(std::string_view& rest, char separator) noexcept {
    const std::string_view part = rest.substr(0, rest.find(separator));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    return trimmed(part, kLineBlanks);
}

}  // namespace jobforge::http
