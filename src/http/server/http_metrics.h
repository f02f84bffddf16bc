// What this process answered, for Prometheus. No tenant's data: paths are the routes' patterns.
// Threads: any; observe() takes a short lock.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "http/server/application.h"

namespace jobforge::http {

class RequestMetrics final {
public:
    void observe(const Observation& observation);
    void count_rate_limited();
    // `pool_in_use`: connections to the database that are at work now.
    [[nodiscard]] std::string text(int pool_in_use) const;

    static constexpr std::array kBuckets{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                         0.1,   0.25,   0.5,   1.0,  2.5,   10.0};

private:
    struct Durations {
        std::array<std::uint64_t, kBuckets.size()> counts{};  // not cumulative
        std::uint64_t count = 0;
        double sum = 0;
    };
    using Path = std::pair<std::string, std::string>;  // method, pattern

    mutable std::mutex mutex_;
    std::map<std::tuple<std::string, std::string, int>, std::uint64_t> requests_;  // under mutex_
    std::map<Path, Durations> durations_;                                          // under mutex_
    std::uint64_t rate_limited_ = 0;                                               // under mutex_
};

}  // namespace jobforge::http
