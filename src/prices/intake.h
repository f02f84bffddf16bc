// What is to be priced, as the handler reads it from the database. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

namespace jobforge::services {

struct Intake {
    std::string denomination, mintmark, series, title, grade;  // empty: not said
    std::optional<int> year;
    bool cleaned = false, scratches = false, rim_damage = false, details_damaged = false,
         harsh_cleaning = false;
    std::vector<std::string> keywords_include, keywords_exclude;

    // Of the columns of jobforge.intakes; null and absent are the same. VALIDATION_ERROR that names
    // the member.
    [[nodiscard]] static Result<Intake> from_json(const Json& row);
    // How many of the condition flags are set, 0 to 5.
    [[nodiscard]] int condition_flags() const noexcept;
};

}  // namespace jobforge::services
