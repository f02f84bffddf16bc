#include "values/gs1.h"

#include <algorithm>
#include <array>
#include <ranges>

namespace jobforge {

bool gs1_check_digit(std::string_view key) noexcept {
    constexpr std::array<std::size_t, 6> kLengths{8, 12, 13, 14, 17, 18};
    if (std::ranges::find(kLengths, key.size()) == kLengths.end()) {
        return false;
    }
    int sum = 0;
    int weight = 1;
    for (const char digit : std::views::reverse(key)) {
        if (digit < '0' || digit > '9') {
            return false;
        }
        sum += weight * (digit - '0');
        weight = 4 - weight;
    }
    return sum % 10 == 0;
}

}  // namespace jobforge
