#include "api/stream_cursor.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace jobforge::api {

namespace {

constexpr std::size_t kLongest = 8192;  // a transaction id for each of hundreds of connections

// Decimal digits only, without a leading zero.
std::optional<std::int64_t> number(std::string_view text) {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (text.empty() || text.front() < '1' || text.front() > '9' || error != std::errc() ||
        stopped != end) {
        return std::nullopt;
    }
    return value;
}

// What stands before the separator; the text goes on behind it.
std::string_view take(std::string_view& text, char separator) {
    const std::size_t at = text.find(separator);
    const std::string_view part = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    return part;
}

// xmin:xmax:xip_list, the list in order and between the two.
bool is_snapshot(std::string_view text) {
    const auto least = number(take(text, ':'));
    const auto next = number(take(text, ':'));
    if (!least || !next || *least > *next) {
        return false;
    }
    std::int64_t before = *least - 1;
    while (!text.empty()) {
        const bool more = text.find(',') != std::string_view::npos;
        const auto id = number(take(text, ','));
        if (!id || *id <= before || *id >= *next || (more && text.empty())) {
            return false;
        }
        before = *id;
    }
    return true;
}

}  // namespace

std::string StreamCursor::text() const {
    return fmt::format("{}@{}", snapshot, unix_ms);
}

std::optional<StreamCursor> StreamCursor::parse(std::string_view text) {
    const std::size_t at = text.find('@');
    if (text.size() > kLongest || at == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view snapshot = text.substr(0, at);
    const auto time = number(text.substr(at + 1));
    // Two colons, or an empty list would be taken for a missing one.
    if (!time || std::count(snapshot.begin(), snapshot.end(), ':') != 2 || !is_snapshot(snapshot)) {
        return std::nullopt;
    }
    return StreamCursor{std::string(snapshot), *time};
}

}  // namespace jobforge::api
