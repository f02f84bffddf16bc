// The statuses of a compliance entry: a closed set, so that a reader of a passport knows what each
// means and nothing can hide behind a word of its own.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace jobforge {

inline constexpr std::array<std::string_view, 5> kComplianceStatuses{"PASS", "FAIL", "WARN",
                                                                     "PENDING", "NOT_APPLICABLE"};

[[nodiscard]] constexpr bool is_compliance_status(std::string_view status) noexcept {
    return std::ranges::find(kComplianceStatuses, status) != kComplianceStatuses.end();
}

}  // namespace jobforge
