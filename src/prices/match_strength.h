// How well a listing's title fits what is to be priced. Pure, exact.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "prices/intake.h"

namespace jobforge::services {

// A number from 0 to 1 in hundred-thousandths, as price_points.match_strength keeps it.
inline constexpr std::int64_t kFullMatch = 100'000;
inline constexpr int kMatchDigits = 5;

// The share of the intake's tokens that stand in the title as whole words, rounded half up to five
// digits: its year, its mintmark, its denomination (by any of its names, denominations.h), and each
// word of its series that is longer than three letters. A year with the mintmark attached
// ("1909s") is both. An intake without any token: 0.5.
[[nodiscard]] std::int64_t match_strength(const Intake& intake, std::string_view title);

// "0.66667".
[[nodiscard]] std::string strength_text(std::int64_t strength);

}  // namespace jobforge::services
