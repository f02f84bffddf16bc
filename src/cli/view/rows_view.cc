#include "cli/view/rows_view.h"

#include <algorithm>
#include <cctype>

#include "base/text/time_text.h"
#include "cli/view/output.h"

namespace jobforge::cli {

namespace {

std::string text_of(const Json& value) {
    if (value.is_null()) {
        return "-";
    }
    if (const std::string* text = value.as_string()) {
        const auto at = parse_time(*text);
        return at.ok() ? time_cell(TimePoint(std::chrono::microseconds(*at))) : *text;
    }
    if (const Json::Array* items = value.as_array()) {
        std::string joined;
        for (const Json& item : *items) {
            joined += (joined.empty() ? "" : ", ") + text_of(item);
        }
        return joined.empty() ? "-" : joined;
    }
    return value.dump();
}

std::string header_of(std::string_view member) {
    std::string header(member);
    std::transform(header.begin(), header.end(), header.begin(), [](unsigned char c) {
        return static_cast<char>(c == '_' ? ' ' : std::toupper(c));
    });
    return header;
}

}  // namespace

std::string cell_of(const Json& row, std::string_view member) {
    const Json* value = row.find(member);
    return value == nullptr ? "-" : text_of(*value);
}

std::int64_t integer_of(const Json& row, std::string_view member) {
    const Json* value = row.find(member);
    return value == nullptr ? 0 : value->as_int64().value_or(0);
}

std::string rows_as_table(const std::vector<Json>& rows,
                          std::initializer_list<std::string_view> members) {
    std::vector<std::string> header;
    for (const std::string_view member : members) {
        header.push_back(header_of(member));
    }
    Table table(std::move(header));
    for (const Json& row : rows) {
        std::vector<std::string> cells;
        for (const std::string_view member : members) {
            cells.push_back(cell_of(row, member));
        }
        table.add(std::move(cells));
    }
    return table.text();
}

std::string rows_as_json(const std::vector<Json>& rows) {
    return Json(Json::Array(rows)).dump() + "\n";
}

std::string row_as_text(const Json& row) {
    const Json::Object* members = row.as_object();
    if (members == nullptr || members->empty()) {
        return "";
    }
    Table table({members->front().first, text_of(members->front().second)});
    for (std::size_t i = 1; i < members->size(); ++i) {
        table.add({(*members)[i].first, text_of((*members)[i].second)});
    }
    return table.text(0);  // whole on any terminal: a value may be a hash or an id
}

}  // namespace jobforge::cli
