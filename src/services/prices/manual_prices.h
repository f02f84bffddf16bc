// The adapter manual: prices that people give, in a source's config or with a command. Pure.
#pragma once

#include <vector>

#include "prices/observation.h"

namespace jobforge::services {

struct ManualConfig {
    std::vector<Observation> prices;
    std::int64_t least_match = 0;

    // {"prices": [...], "least_match": 0.5}; both may be left out. VALIDATION_ERROR.
    [[nodiscard]] static Result<ManualConfig> from_json(const Json& config);
};

// A list of {"title", "price", "currency", "price_type"?, "observed_at"?, "url"?, "external_id"?}:
// price as in money.h, price_type "ask" if it is not said, observed_at a time or a day. At most
// 1,000. VALIDATION_ERROR that says which: a person's mistake is told, not counted.
[[nodiscard]] Result<std::vector<Observation>> manual_prices(const Json& list);

}  // namespace jobforge::services
