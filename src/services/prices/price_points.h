// Observations as the price points of one intake: matched, filtered, each listing once. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "prices/intake.h"
#include "prices/keyword_rules.h"
#include "services/prices/http_json_map.h"

namespace jobforge::services {

struct ChosenPoints {
    Json points;  // what jobforge.store_price_points takes
    std::int64_t count = 0;
    Reasons left_out;
};

// Of two observations with the same dedupe key a sold price stays before the others, then the one
// that matches better, then the first.
[[nodiscard]] ChosenPoints choose_points(std::span<const Observation> observations,
                                         const Intake& intake, const KeywordRules& rules,
                                         std::int64_t least_match);

}  // namespace jobforge::services
