// How long a transfer may take: some grace, and then every byte that moved buys time.
//
// One deadline for the whole would be too short for a large body or too long for a silent client;
// a deadline per read is met by one byte at a time. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace jobforge::api {

struct TransferPace {
    using Clock = std::chrono::steady_clock;

    Clock::time_point begun;
    std::chrono::milliseconds grace;
    std::size_t min_bytes_per_second;

    // When the transfer is given up unless more bytes move.
    [[nodiscard]] Clock::time_point deadline(std::uint64_t moved) const noexcept {
        return begun + grace + std::chrono::milliseconds(moved * 1000 / min_bytes_per_second);
    }
};

}  // namespace jobforge::api
