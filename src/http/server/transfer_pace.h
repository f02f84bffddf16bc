// How long a transfer may take: some grace, and then every byte that moved buys time. And how fast
// it may be.
//
// One deadline for the whole would be too short for a large body or too long for a silent client;
// a deadline per read is met by one byte at a time. A body that comes as fast as a processor copies
// keeps the others' answers waiting: after what comes with a first read it is read at a pace that
// leaves the processors to them.
//
// A body that stops has no use for the time that its first bytes bought: 48 of 64 MiB, sent at
// once, bought three hours in which they stayed in memory. extended() banks no more than
// most_banked. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace jobforge::http {

struct TransferPace {
    using Clock = std::chrono::steady_clock;

    Clock::time_point begun;
    std::chrono::milliseconds grace;
    std::size_t min_bytes_per_second;
    std::size_t max_bytes_per_second = 0;  // 0: as fast as it comes
    std::uint64_t at_once = 0;             // bytes that need not wait
    std::chrono::milliseconds most_banked{0};

    // When the transfer is given up unless more bytes move.
    [[nodiscard]] Clock::time_point deadline(std::uint64_t moved) const noexcept {
        return begun + grace + std::chrono::milliseconds(moved * 1000 / min_bytes_per_second);
    }
    // The deadline that follows `before` when so many bytes have moved by `now`.
    [[nodiscard]] Clock::time_point extended(Clock::time_point before, std::uint64_t bytes,
                                             Clock::time_point now) const noexcept {
        const std::chrono::microseconds bought(bytes * 1'000'000 / min_bytes_per_second);
        return std::min(before + bought, now + std::max(grace, most_banked));
    }
    // When more may be read.
    [[nodiscard]] Clock::time_point next(std::uint64_t moved) const noexcept {
        return max_bytes_per_second == 0 || moved <= at_once
                   ? begun
                   : begun + std::chrono::microseconds((moved - at_once) * 1'000'000 /
                                                       max_bytes_per_second);
    }
};

}  // namespace jobforge::http
