// What a thing is worth, from the prices that were seen. Pure, exact: integers and ratios of
// integers only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

#include "prices/confidence.h"

namespace jobforge::services {

// One price point of the intake, from any source.
struct PricePoint {
    std::int64_t price_cents = 0;
    std::string currency;
    bool sold = false;
    std::int64_t match = 0;       // hundred-thousandths (kFullMatch)
    std::int64_t reputation = 0;  // of its source, millionths

    // Of jobforge.store_price_points. VALIDATION_ERROR.
    [[nodiscard]] static Result<PricePoint> from_json(const Json& row);
};

inline constexpr std::array kPercentiles{10, 20, 40, 50, 60, 80, 90};

struct Valuation {
    std::string currency;                                         // empty: there is no price at all
    int comparables = 0;                                          // prices that count
    int outliers = 0;                                             // prices that do not
    std::array<std::int64_t, kPercentiles.size()> percentiles{};  // cents
    std::int64_t mean_cents = 0;  // half a cent goes to the even neighbour
    Confidence confidence;
    std::int64_t sum_cents = 0;             // of the comparables: mean_cents before rounding
    std::optional<std::int64_t> low, high;  // the fence, in half cents; nullopt below 4 prices
    std::vector<std::pair<std::string, int>> other_currencies;  // left out, with their counts

    // The members of jobforge.store_valuation.
    [[nodiscard]] Json to_json() const;
};

// The prices of one currency, the one with most points (of equals, the first by name): currencies
// are never mixed. From 4 prices on those outside of [q1 - 1.5 iqr, q3 + 1.5 iqr] are outliers,
// with q1 = sorted[n/4] and q3 = sorted[3n/4]; percentile p is sorted[floor(p (n-1) / 100)] of the
// rest.
[[nodiscard]] Valuation valuation_of(std::span<const PricePoint> points, int condition_flags);

}  // namespace jobforge::services
