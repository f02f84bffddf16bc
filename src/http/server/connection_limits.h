// How many connections there may be, of all clients and of one address. Counts only: what becomes
// of a connection beyond a limit is the listener's decision.
//
// An address is what one client can easily have many of: of IPv6 the first 64 bits, which is what a
// subscriber gets.
//
// Threads: any. A Seat may outlive the server that gave it.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace jobforge::http {

// "192.0.2.7" as it is, also when written as ::ffff:192.0.2.7; "2001:db8:1:2:3::4" as
// "2001:db8:1:2::/64". What is not an address is its own group.
[[nodiscard]] std::string address_group(std::string_view address);

class ConnectionLimits final {
public:
    struct Options {
        std::size_t all = 4096;
        std::size_t per_address = 1024;
    };
    enum class Place {
        regular,       // within the limits, and counted
        over_address,  // its address has as many as it may
        over_all,      // there are as many as there may be
    };

private:
    struct Counts {
        mutable std::mutex mutex;
        std::size_t all = 0;
        std::unordered_map<std::string, std::size_t> by_group;
    };

public:
    // One connection's place; gives it back on destruction. Move only.
    class Seat final {
    public:
        Seat() = default;
        Seat(Seat&& other) noexcept = default;
        Seat& operator=(Seat&&) = delete;
        ~Seat();
        [[nodiscard]] Place place() const noexcept { return place_; }
        [[nodiscard]] bool regular() const noexcept { return place_ == Place::regular; }
        [[nodiscard]] const std::string& group() const noexcept { return group_; }

    private:
        friend class ConnectionLimits;
        Seat(Place place, std::string group) : place_(place), group_(std::move(group)) {}
        Place place_ = Place::regular;
        std::string group_;
        std::shared_ptr<Counts> counts_;  // null: not counted
    };

    explicit ConnectionLimits(Options options) : options_(options) {}

    // A connection of that address group.
    [[nodiscard]] Seat take(std::string group);
    [[nodiscard]] std::size_t of(const std::string& group) const;
    [[nodiscard]] const Options& options() const noexcept { return options_; }

private:
    const Options options_;
    const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace jobforge::http
