#include "http/server/turns.h"

#include <utility>

namespace jobforge::http {

bool Turns::add(Turn turn) {
    const std::lock_guard guard(mutex_);
    queued_.push_back(std::move(turn));
    return !std::exchange(taken_, true);
}

void Turns::give_back() {
    const std::lock_guard guard(mutex_);
    taken_ = false;
}

Turns::Done Turns::run() {
    Done done;
    std::vector<Turn> batch;
    for (std::size_t count = 0; count < kMost; count += batch.size()) {
        batch.clear();  // without the lock: what a turn owns may add one when it goes
        {
            const std::lock_guard guard(mutex_);
            if (queued_.empty()) {
                taken_ = false;
                return done;
            }
            batch.swap(queued_);
        }
        for (Turn& turn : batch) {
            try {
                std::exchange(turn, nullptr)();
            } catch (...) {
                done.fault = done.fault ? done.fault : std::current_exception();
            }
        }
    }
    done.more = true;
    return done;
}

}  // namespace jobforge::http
