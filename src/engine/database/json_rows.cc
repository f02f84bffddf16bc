#include "engine/database/json_rows.h"

namespace jobforge::engine {

Result<std::vector<Json>> parse_json_rows(const pg::Rows& rows) {
    std::vector<Json> out;
    out.reserve(static_cast<std::size_t>(rows.size()));
    for (int row = 0; row < rows.size(); ++row) {
        auto value = Json::parse(rows.json(row, 0));
        if (!value.ok()) {
            return std::move(value).error();
        }
        out.push_back(*std::move(value));
    }
    return out;
}

}  // namespace jobforge::engine
