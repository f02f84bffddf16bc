// The memory that bodies of requests may take together, whoever sends them.
//
// Each route bounds one body, and the number of connections is bounded, but their product is not
// what a process has. A body is charged for what has arrived, not for what it announced, and until
// its request has been answered. The first bytes of each are free: a flood of large bodies must not
// shut out the small ones that most requests have.
//
// Threads: any; a Share one at a time.
#pragma once

#include <atomic>
#include <cstddef>

namespace jobforge::api {

class BodyBudget final {
public:
    static constexpr std::size_t kFreeBytes = 16384;  // of each body; what a head may have too

    explicit BodyBudget(std::size_t bytes) noexcept : left_(bytes) {}

    // What one request has taken; given back at its end.
    class Share final {
    public:
        explicit Share(BodyBudget& budget) noexcept : budget_(budget) {}
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;
        ~Share() { give_back(); }

        // Whether a body may have grown to so many bytes. If not, the share stays as it was.
        [[nodiscard]] bool grow_to(std::size_t bytes) noexcept;
        void give_back() noexcept;

    private:
        BodyBudget& budget_;
        std::size_t taken_ = 0;
    };

private:
    [[nodiscard]] bool take(std::size_t bytes) noexcept;

    std::atomic<std::size_t> left_;
};

}  // namespace jobforge::api
