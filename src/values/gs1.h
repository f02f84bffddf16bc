// GS1 keys: the check digit of GTIN, GLN, GSIN and SSCC. Pure; any thread.
#pragma once

#include <string_view>

namespace jobforge {

// True if `key` is 8, 12, 13, 14, 17 or 18 digits and the last one is the check digit of the
// others (GS1 General Specifications, section 7.9: from the right the weights are 1, 3, 1, 3, ...
// and the weighted sum is a multiple of 10). Any other text is false.
[[nodiscard]] bool gs1_check_digit(std::string_view key) noexcept;

}  // namespace jobforge
