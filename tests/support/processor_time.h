// How much work something is, for tests that say "not quadratic". Never compared with a number of
// seconds: machines differ, and are busy. Two amounts of work in one process can be compared.
#pragma once

#include <algorithm>
#include <ctime>
#include <functional>

namespace jobforge::test {

// Of this thread, in seconds; the least of several runs.
inline double processor_time(const std::function<void()>& work, int runs) {
    const auto now = [] {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
    };
    double least = 1e9;
    for (int run = 0; run < runs; ++run) {
        const double start = now();
        work();
        least = std::min(least, now() - start);
    }
    return least;
}

// How many times the work of `small` the work of `large` is.
inline double growth(const std::function<void()>& small, const std::function<void()>& large) {
    return processor_time(large, 1) / std::max(processor_time(small, 3), 1e-6);
}

}  // namespace jobforge::test
