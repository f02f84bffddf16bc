// The `findings` of a passport version (get_passport_version) as people read them. Pure.
#pragma once

#include <string>

#include <jobforge/json.h>

namespace jobforge::cli {

// "61 PASS, 2 FAIL, 4 PENDING"; "none".
[[nodiscard]] std::string finding_counts(const Json& findings);
// A line for each entry that fails or warns; empty without any.
[[nodiscard]] std::string finding_table(const Json& findings);

}  // namespace jobforge::cli
