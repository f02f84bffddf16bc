// The memory that bodies of requests may take together, and of it each party's part.
//
// Each route bounds one body, and the number of connections is bounded, but their product is not
// what a process has. A body is charged for what has arrived, not for what it announced, and until
// its request has been answered. The first bytes of each are free: a flood of large bodies must not
// shut out the small ones that most requests have.
//
// A party, such as a tenant, gets two thirds at most: two uploads of 48 MiB that one tenant left
// half sent took all 96 MiB, and every other tenant's body was refused. "" names no party, and has
// no limit but the whole.
//
// Threads: any; a Share one at a time.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace jobforge::http {

class BodyBudget final {
public:
    static constexpr std::size_t kFreeBytes = 16384;  // of each body; what a head may have too

    enum class Grant { given, party_is_full, all_is_full };

    explicit BodyBudget(std::size_t bytes) noexcept
        : most_of_a_party_(bytes - bytes / 3), left_(bytes) {}

    // What one request has taken; given back at its end.
    class Share final {
    public:
        explicit Share(BodyBudget& budget) noexcept : budget_(budget) {}
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;
        ~Share() { give_back(); }

        // Whose it is from now on, with what it has taken. False if that is more than this party
        // may have; then it stays whose it was.
        [[nodiscard]] bool move_to(std::string_view party);
        // Whether a body may have grown to so many bytes. If not, the share stays as it was.
        [[nodiscard]] Grant grow_to(std::size_t bytes);
        void give_back() noexcept;

    private:
        BodyBudget& budget_;
        std::string party_;
        std::size_t taken_ = 0;
    };

private:
    [[nodiscard]] bool may_hold(std::string_view party, std::size_t more) const;
    void add(const std::string& party, std::size_t bytes);
    void subtract(const std::string& party, std::size_t bytes) noexcept;

    const std::size_t most_of_a_party_;
    std::mutex mutex_;
    std::size_t left_;
    std::unordered_map<std::string, std::size_t> held_;  // by parties that hold something
};

}  // namespace jobforge::http
