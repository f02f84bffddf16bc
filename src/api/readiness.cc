#include "api/readiness.h"

namespace jobforge::api {

using Clock = std::chrono::steady_clock;

Readiness::Checks Readiness::checks() {
    std::unique_lock mine(looking_, std::defer_lock);
    {
        const std::lock_guard guard(mutex_);
        // There is no answer before the first look: then all wait for it.
        if (last_.empty() || mine.try_lock()) {
            begun_ = Clock::now();
        } else {
            Checks known = last_;
            if (Clock::now() - begun_ > longest_) {
                for (auto& check : known) {
                    check.second = false;
                }
            }
            return known;
        }
    }
    if (!mine.owns_lock()) {
        mine.lock();
    }
    Checks found = look_();
    const std::lock_guard guard(mutex_);
    last_ = found;
    return found;
}

}  // namespace jobforge::api
