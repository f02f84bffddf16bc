// toDec of a Text: `-?[0-9]+(\.[0-9]+)?`, however many digits stand behind the point.
#pragma once

#include <optional>
#include <string_view>

#include "values/decimal.h"

namespace jobforge::rules {

// Rounded once to `scale` (0..18); nullopt if the text is not a decimal. NUMBER_OVERFLOW if it has
// more than 38 digits (leading zeros aside), before or after it is brought to the scale.
[[nodiscard]] Result<std::optional<Decimal>> decimal_from_text(std::string_view text, int scale,
                                                               Rounding rounding);

}  // namespace jobforge::rules
