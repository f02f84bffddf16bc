// splitmix64: the random numbers of property tests, the same on every machine for the same seed.
//
// The constants are those of Steele, Lea and Flood (2014) and of Vigna's public domain
// splitmix64.c. Not for secrets.
#pragma once

#include <cstdint>

namespace jobforge::rules {

class SplitMix64 final {
public:
    explicit constexpr SplitMix64(std::uint64_t seed) noexcept : state_(seed) {}

    constexpr std::uint64_t next() noexcept {
        state_ += 0x9e3779b97f4a7c15ULL;
        return mix(state_);
    }
    // 0 .. bound - 1. The modulo's bias (below 2^-20 for the bounds used here) does not matter to
    // tests; one number drawn per call does: the sequence stays in step. Precondition: bound > 0.
    constexpr std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }
    // low .. high, both included. Precondition: low <= high, and high - low < 2^63.
    constexpr std::int64_t between(std::int64_t low, std::int64_t high) noexcept {
        const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
        return low + static_cast<std::int64_t>(below(span));
    }

    // The finalizer alone; it is a bijection. Mixes seeds: mix(a ^ mix(b)).
    [[nodiscard]] static constexpr std::uint64_t mix(std::uint64_t z) noexcept {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_;
};

}  // namespace jobforge::rules
