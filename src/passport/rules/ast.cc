#include "passport/rules/ast.h"

#include <algorithm>
#include <array>

namespace jobforge::passport::rules {

namespace {

// In the order of the enums.
constexpr std::array<std::string_view, 12> kBinarySymbols{
    "||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/"};
constexpr std::array<std::string_view, 5> kAccessNames{"restricted", "public", "interest",
                                                       "authority", "interest_and_authority"};

}  // namespace

std::string_view symbol(BinaryOperator op) noexcept {
    return kBinarySymbols[static_cast<std::size_t>(op)];
}

std::string_view symbol(UnaryOperator op) noexcept {
    return op == UnaryOperator::logical_not ? "!" : "-";
}

bool is_comparison(BinaryOperator op) noexcept {
    return op >= BinaryOperator::equal && op <= BinaryOperator::greater_equal;
}

std::string_view access_name(Access access) noexcept {
    return kAccessNames[static_cast<std::size_t>(access)];
}

std::optional<Access> find_access(std::string_view name) noexcept {
    const auto found = std::ranges::find(kAccessNames, name);
    if (found == kAccessNames.end()) {
        return std::nullopt;
    }
    return static_cast<Access>(found - kAccessNames.begin());
}

}  // namespace jobforge::passport::rules
