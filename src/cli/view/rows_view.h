// Rows that come as JSON objects (tenants, types, workers) as tables. Pure.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/json.h>

namespace jobforge::cli {

// One member as a cell: text as it is, times shortened, lists joined, null as "-".
[[nodiscard]] std::string cell_of(const Json& row, std::string_view member);
// An integer member; 0 for one that is absent or something else.
[[nodiscard]] std::int64_t integer_of(const Json& row, std::string_view member);
// A table of these members, the header in capitals.
[[nodiscard]] std::string rows_as_table(const std::vector<Json>& rows,
                                        std::initializer_list<std::string_view> members);
// One JSON array.
[[nodiscard]] std::string rows_as_json(const std::vector<Json>& rows);
// One row, a line per member.
[[nodiscard]] std::string row_as_text(const Json& row);

}  // namespace jobforge::cli
