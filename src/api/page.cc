#include "api/page.h"

#include <algorithm>
#include <charconv>

#include "base/text/base64.h"

namespace jobforge::api {

namespace {

constexpr std::string_view kBadCursor = "is not the next_cursor of an earlier page";

// Ids are short, so that a cursor never needs padding to be told from its neighbour.
std::string id_text(const Json& row, std::string_view id) {
    const Json* value = row.find(id);
    if (value == nullptr) {
        return {};
    }
    const std::string* text = value->as_string();
    return text != nullptr ? *text : value->dump();
}

std::string page(const std::string& items, const std::optional<std::string>& last) {
    return R"({"items":[)" + items + R"(],"next_cursor":)" +
           (last ? json_quote(cursor_of(*last)) : "null") + "}";
}

}  // namespace

std::string cursor_of(std::string_view last) {
    std::string text = base64_encode(last);
    std::replace(text.begin(), text.end(), '+', '-');
    std::replace(text.begin(), text.end(), '/', '_');
    text.erase(text.find_last_not_of('=') + 1);
    return text;
}

std::optional<std::string> cursor_text(std::string_view cursor) {
    std::string text(cursor);
    if (text.find_first_of("+/=") != std::string::npos) {
        return std::nullopt;
    }
    std::replace(text.begin(), text.end(), '-', '+');
    std::replace(text.begin(), text.end(), '_', '/');
    text.append((4 - text.size() % 4) % 4, '=');
    auto bytes = base64_decode(text);
    return bytes.ok() ? std::optional(*std::move(bytes)) : std::nullopt;
}

PageQuery PageQuery::read(QueryFields& query) {
    PageQuery page;
    page.limit = query.opt_int("limit", 1, kLargestPage).value_or(kDefaultPage);
    if (const auto cursor = query.opt_text("cursor")) {
        page.after = cursor_text(*cursor);
        if (!page.after) {
            query.refuse("cursor", kBadCursor);
        }
    }
    return page;
}

std::optional<Uuid> PageQuery::before_id(QueryFields& query) const {
    if (!after) {
        return std::nullopt;
    }
    const auto id = Uuid::parse(*after);
    if (!id.ok()) {
        query.refuse("cursor", kBadCursor);
        return std::nullopt;
    }
    return *id;
}

std::int64_t PageQuery::after_number(QueryFields& query) const {
    std::int64_t number = 0;
    if (!after) {
        return number;
    }
    const char* end = after->data() + after->size();
    const auto read = std::from_chars(after->data(), end, number);
    if (read.ec != std::errc() || read.ptr != end || number < 0) {
        query.refuse("cursor", kBadCursor);
    }
    return number;
}

std::string page_text(const std::vector<Json>& rows, const PageQuery& query, std::string_view id) {
    const std::size_t count = std::min(rows.size(), static_cast<std::size_t>(query.limit));
    std::string items;
    for (std::size_t row = 0; row < count; ++row) {
        items += row == 0 ? "" : ",";
        items += rows[row].dump();
    }
    const bool more = rows.size() > count && count > 0;
    return page(items, more ? std::optional(id_text(rows[count - 1], id)) : std::nullopt);
}

std::string page_text(const pg::Rows& rows, const PageQuery& query) {
    const int count = std::min(rows.size(), query.limit);
    std::string items;
    for (int row = 0; row < count; ++row) {
        items += row == 0 ? "" : ",";
        items += rows.json(row, 0);
    }
    const bool more = rows.size() > count && count > 0;
    return page(items, more ? std::optional(std::string(rows.text(count - 1, 1))) : std::nullopt);
}

std::string whole_list(const std::vector<Json>& rows) {
    std::string items;
    for (const Json& row : rows) {
        items += items.empty() ? "" : ",";
        items += row.dump();
    }
    return page(items, std::nullopt);
}

}  // namespace jobforge::api
