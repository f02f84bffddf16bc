// How far a valuation can be trusted: 1 to 10, and why. Pure, exact.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <jobforge/json.h>

namespace jobforge::services {

// What the comparables (prices without outliers) say. Sums, so that nothing is rounded before it
// is compared.
struct ConfidenceInputs {
    std::int64_t comparables = 0;
    std::int64_t sold = 0;                 // of them
    std::int64_t match_sum = 0;            // hundred-thousandths
    std::int64_t weighted_reputation = 0;  // sum of match * reputation, 10^-11
    std::int64_t p10 = 0, p50 = 0, p90 = 0;
    int condition_flags = 0;
};

// One summand, with the numbers that decided it.
struct ConfidencePart {
    std::string name;  // comparables, match, reputation, sold_share, spread, condition, ...
    int points = 0;
    std::string reason;  // "12 comparables: at least 10"
};

struct Confidence {
    int score = 1;
    std::vector<ConfidencePart> parts;  // their points sum up to the score

    [[nodiscard]] Json to_json() const;
};

//     comparables      >= 20: 3, >= 10: 2, >= 5: 1
//     match            floor(2 x mean match)
//     reputation       floor(mean reputation weighted by match)
//     sold_share       >= 0.8: 2, >= 0.5: 1
//     spread           (p90 - p10) / p50  < 0.2: 3, < 0.4: 2, < 0.6: 1; a median of 0 has none
//     condition        minus 1 a flag, at most 3
//     no_sold_price    down to 7 if none was sold
//     range            up to 1, down to 10
// Without comparables: 1.
[[nodiscard]] Confidence confidence(const ConfidenceInputs& inputs);

}  // namespace jobforge::services
