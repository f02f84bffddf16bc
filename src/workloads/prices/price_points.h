// Observations as the price points of one intake: matched, filtered, each listing once. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "workloads/prices/http_json_map.h"
#include "workloads/prices/intake.h"
#include "workloads/prices/keyword_rules.h"

namespace jobforge::workloads {

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

}  // namespace jobforge::workloads
