// toDec of a text: the one place where a text with more than 18 digits behind the point is a
// number.
#pragma once

#include <optional>
#include <string_view>

#include "values/decimal.h"

namespace jobforge::verify {

// `-?[0-9]+(\.[0-9]+)?` rounded once to `scale`; nullopt for any other text. NUMBER_OVERFLOW beyond
// 38 digits, leading zeros aside.
[[nodiscard]] Result<std::optional<Decimal>> decimal_from_text(std::string_view text, int scale,
                                                               Rounding rounding);

}  // namespace jobforge::verify
