#include "rules/syntax/ast.h"

#include <algorithm>
#include <array>
#include <utility>

namespace jobforge::rules {

namespace {

// In the order of the enums.
constexpr std::array<std::string_view, 12> kBinarySymbols{
    "||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/"};
constexpr std::array<std::string_view, 5> kAccessNames{"restricted", "public", "interest",
                                                       "authority", "interest_and_authority"};

ExpressionPtr take_left(Expression& expression) noexcept {
    auto* binary = std::get_if<Binary>(&expression.node);
    return binary != nullptr ? std::move(binary->left) : nullptr;
}

template <typename Node>
std::vector<Node*> chain_from(Node* expression) {
    std::vector<Node*> chain;
    while (const auto* binary = std::get_if<Binary>(&expression->node)) {
        chain.push_back(expression);
        expression = binary->left.get();
    }
    return chain;
}

}  // namespace

Expression::~Expression() {
    ExpressionPtr left = take_left(*this);
    while (left) {
        left = take_left(*left);  // the old one has no left side any more
    }
}

std::vector<Expression*> left_chain(Expression& expression) {
    return chain_from(&expression);
}

std::vector<const Expression*> left_chain(const Expression& expression) {
    return chain_from(&expression);
}

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

}  // namespace jobforge::rules
