// The step budget: evaluation always ends, on every machine at the same step.
//
// A step costs the size of what it makes (Value::size); an operation that walks over what others
// made (comparisons, contains, matches, sums, sort, keys and names) costs what it walks over:
// eval_cost.h. So the budget bounds time and memory, and it counts the same with and without a
// proof. docs/rules.md has the table.
#pragma once

#include <cstdint>

namespace jobforge::rules {

inline constexpr std::uint64_t kDefaultStepBudget = 1'000'000;
// For doing again what was issued once. Some steps cost less in earlier versions of this program,
// so a passport that was within its budget then must not fail now.
inline constexpr std::uint64_t kReplayStepBudget = 16 * kDefaultStepBudget;

class Budget final {
public:
    explicit Budget(std::uint64_t steps = kDefaultStepBudget) noexcept : left_(steps) {}

    // False if the budget does not cover it; nothing is left then.
    [[nodiscard]] bool spend(std::uint64_t steps) noexcept {
        if (steps > left_) {
            left_ = 0;
            return false;
        }
        left_ -= steps;
        return true;
    }
    [[nodiscard]] std::uint64_t left() const noexcept { return left_; }

private:
    std::uint64_t left_;
};

}  // namespace jobforge::rules
