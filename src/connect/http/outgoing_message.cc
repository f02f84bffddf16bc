#include "connect/http/outgoing_message.h"

#include <algorithm>

namespace jobforge::connect {

std::optional<std::string_view> HttpResponse::header(std::string_view name) const noexcept {
    const auto found = std::find_if(headers.begin(), headers.end(),
                                    [&](const auto& header) { return header.first == name; });
    return found == headers.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

bool same_name(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c + 0; };
        return lower(x) == lower(y);
    });
}

}  // namespace jobforge::connect
