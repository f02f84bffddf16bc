#include "http/server/body_budget.h"

#include <utility>

namespace jobforge::http {

bool BodyBudget::may_hold(std::string_view party, std::size_t more) const {
    if (party.empty()) {
        return true;
    }
    const auto found = held_.find(std::string(party));
    return (found == held_.end() ? 0 : found->second) + more <= most_of_a_party_;
}

void BodyBudget::add(const std::string& party, std::size_t bytes) {
    if (bytes > 0) {
        held_[party] += bytes;
    }
}

void BodyBudget::subtract(const std::string& party, std::size_t bytes) noexcept {
    const auto found = held_.find(party);
    if (found == held_.end()) {
        return;
    }
    found->second -= bytes;
    if (found->second == 0) {
        held_.erase(found);
    }
}

bool BodyBudget::Share::move_to(std::string_view party) {
    if (party == party_) {
        return true;
    }
    std::string next(party);
    if (taken_ > 0) {
        const std::lock_guard guard(budget_.mutex_);
        if (!budget_.may_hold(next, taken_)) {
            return false;
        }
        budget_.add(next, taken_);
        budget_.subtract(party_, taken_);
    }
    party_ = std::move(next);
    return true;
}

BodyBudget::Grant BodyBudget::Share::grow_to(std::size_t bytes) {
    const std::size_t charged = bytes > kFreeBytes ? bytes - kFreeBytes : 0;
    if (charged <= taken_) {
        return Grant::given;
    }
    const std::size_t more = charged - taken_;
    const std::lock_guard guard(budget_.mutex_);
    if (!budget_.may_hold(party_, more)) {
        return Grant::party_is_full;
    }
    if (budget_.left_ < more) {
        return Grant::all_is_full;
    }
    budget_.add(party_, more);
    budget_.left_ -= more;
    taken_ = charged;
    return Grant::given;
}

void BodyBudget::Share::give_back() noexcept {
    if (taken_ == 0) {
        return;
    }
    const std::lock_guard guard(budget_.mutex_);
    budget_.subtract(party_, taken_);
    budget_.left_ += taken_;
    taken_ = 0;
}

}  // namespace jobforge::http
