// What the commands over intakes, prices and valuations share.
#pragma once

#include <string>

#include <jobforge/json.h>

#include "cli/commands/use_case.h"

namespace jobforge::cli {

inline constexpr IdKind kIntakeId{"intake id", "jobforge intakes list"};
inline constexpr IdKind kPricePointId{"price point id", "jobforge prices list"};

// A valuation for people: the money, then each part of the confidence with its reason. Pure.
[[nodiscard]] std::string valuation_text(const Json& valuation);
// A price point with "price" as people write it beside price_cents. Pure.
[[nodiscard]] Json with_price(const Json& point);

}  // namespace jobforge::cli
