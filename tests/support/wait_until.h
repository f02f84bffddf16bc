// Waiting for a condition, not for a time.
//
// A test that sleeps is either slow or flaky. wait_until() looks again and again in short bounded
// steps and returns as soon as the condition holds; `limit` only decides when a broken build fails.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace jobforge::test {

inline constexpr std::chrono::seconds kPatience{20};

// True once predicate() is; false if it still is not after `limit`.
template <typename Predicate>
[[nodiscard]] bool wait_until(Predicate predicate, std::chrono::milliseconds limit = kPatience) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::chrono::milliseconds step{1};
    while (!predicate()) {
        if (std::chrono::steady_clock::now() > deadline) {
            return false;
        }
        std::this_thread::sleep_for(step);
        step = std::min(step * 2, std::chrono::milliseconds(50));
    }
    return true;
}

}  // namespace jobforge::test
