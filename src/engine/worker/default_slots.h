// How many handlers a worker runs at once unless it is told.
#pragma once

#include <algorithm>
#include <thread>

namespace jobforge::engine {

// WorkerOptions::slots, with its 0 filled in.
[[nodiscard]] inline int slots_or_default(int slots) {
    return slots != 0 ? slots
                      : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()) * 4);
}

}  // namespace jobforge::engine
