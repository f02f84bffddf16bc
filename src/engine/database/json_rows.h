// Answers of SQL functions that give one JSON document a row.
#pragma once

#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

#include "pg/rows.h"

namespace jobforge::engine {

// The first column of every row. Fails as Json::parse does.
[[nodiscard]] Result<std::vector<Json>> parse_json_rows(const pg::Rows& rows);

}  // namespace jobforge::engine
