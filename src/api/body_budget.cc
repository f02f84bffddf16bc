#include "api/body_budget.h"

namespace jobforge::api {

bool BodyBudget::take(std::size_t bytes) noexcept {
    std::size_t left = left_.load(std::memory_order_relaxed);
    while (left >= bytes) {
        if (left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

bool BodyBudget::Share::grow_to(std::size_t bytes) noexcept {
    const std::size_t charged = bytes > kFreeBytes ? bytes - kFreeBytes : 0;
    if (charged <= taken_) {
        return true;
    }
    if (!budget_.take(charged - taken_)) {
        return false;
    }
    taken_ = charged;
    return true;
}

void BodyBudget::Share::give_back() noexcept {
    budget_.left_.fetch_add(taken_, std::memory_order_relaxed);
    taken_ = 0;
}

}  // namespace jobforge::api
