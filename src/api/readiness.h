// Named checks that many may ask for at once: one of them looks, the others get the last answer.
//
// So any number of health requests takes one connection and no thread waits for another. A look
// that takes too long counts as a failed one, for those who come meanwhile.
//
// Threads: any.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace jobforge::api {

class Readiness final {
public:
    using Checks = std::vector<std::pair<std::string, bool>>;

    explicit Readiness(std::function<Checks()> look,
                       std::chrono::milliseconds longest = std::chrono::milliseconds(2000))
        : look_(std::move(look)), longest_(longest) {}

    [[nodiscard]] Checks checks();

private:
    const std::function<Checks()> look_;
    const std::chrono::milliseconds longest_;
    std::mutex looking_;
    std::mutex mutex_;
    Checks last_;
    std::chrono::steady_clock::time_point begun_;  // of the look that goes on, or the last one
};

}  // namespace jobforge::api
