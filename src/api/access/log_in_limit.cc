#include "api/access/log_in_limit.h"

#include <utility>

namespace jobforge::api {

LogInLimit::Attempt LogInLimit::begin(std::string address, TimePoint now) {
    Attempt attempt;
    if (!limit_.enabled()) {
        return attempt;
    }
    attempt.rate_ = limit_.take(address, now);
    attempt.address_ = std::move(address);
    if (!attempt.rate_.allowed) {
        attempt.one_at_a_time_ = std::unique_lock(without_token_, std::try_to_lock);
    }
    return attempt;
}

void LogInLimit::succeeded(const Attempt& attempt, TimePoint now) {
    if (limit_.enabled() && attempt.rate_.allowed) {
        limit_.give_back(attempt.address_, now);
    }
}

}  // namespace jobforge::api
