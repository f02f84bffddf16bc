#include "base/json/json_keys.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

namespace jobforge {
namespace {

// Up to here a filter and a few comparisons are faster than hashing.
constexpr std::size_t kFewKeys = 64;
// In a table at most half full, chance makes no run of this length; its maker knows the hash.
constexpr int kLongestRun = 64;

using Keys = std::span<const ParsedKey>;

// A number that equal keys share and most others do not: from the length and both ends.
std::uint32_t fingerprint(std::string_view key) noexcept {
    const std::size_t size = key.size();
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    if (size >= sizeof first) {
        std::memcpy(&first, key.data(), sizeof first);
        std::memcpy(&last, key.data() + size - sizeof last, sizeof last);
    } else if (size != 0) {
        const auto byte = [key](std::size_t i) { return static_cast<unsigned char>(key[i]); };
        first = byte(0) | static_cast<unsigned>(byte(size / 2)) << 8U;
        last = byte(size - 1);
    }
    return (first ^ std::rotl(last, 15)) * 0x9E3779B1U + static_cast<std::uint32_t>(size);
}

// A key whose bit in the filter is unset has no equal before it; for the others, fingerprints rule
// out nearly all. The worst keys cost 64 * 63 / 2 comparisons.
std::optional<std::size_t> repeated_among_few(Keys keys) noexcept {
    std::array<std::uint32_t, kFewKeys> prints;
    std::array<std::uint64_t, 4> filter{};
    for (std::size_t later = 0; later < keys.size(); ++later) {
        const std::uint32_t print = fingerprint(keys[later].text);
        prints[later] = print;
        const std::uint64_t bit = std::uint64_t{1} << (print >> 26U);
        std::uint64_t& seen = filter[(print >> 24U) & 3U];
        for (std::size_t earlier = 0; (seen & bit) != 0 && earlier < later; ++earlier) {
            if (prints[earlier] == print && keys[earlier].text == keys[later].text) {
                return later;
            }
        }
        seen |= bit;
    }
    return std::nullopt;
}

struct Slot {
    std::uint32_t hash;
    std::uint32_t number;  // index + 1 of the key; 0: free
};

enum class KeyCheck : std::uint8_t { distinct, repeated, undecided };

struct Finding {
    KeyCheck check;
    std::size_t index;  // of the repeated key
};

// A hash table with linear probing. It gives up on a long run: keys with equal hashes can be
// computed, and must not buy quadratic work. Precondition: `slots` is all free, its size a power of
// two above that of `keys`.
Finding look_up(Keys keys, std::span<Slot> slots) noexcept {
    const std::size_t mask = slots.size() - 1;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::uint64_t full_hash = std::hash<std::string_view>{}(keys[i].text);
        const auto hash = static_cast<std::uint32_t>(full_hash >> 32);
        std::size_t place = full_hash & mask;
        for (int run = 0; slots[place].number != 0; place = (place + 1) & mask, ++run) {
            const Slot& slot = slots[place];
            if (slot.hash == hash && keys[slot.number - 1].text == keys[i].text) {
                return {KeyCheck::repeated, i};
            }
            if (run == kLongestRun) {
                return {KeyCheck::undecided, 0};
            }
        }
        slots[place] = {hash, static_cast<std::uint32_t>(i + 1)};
    }
    return {KeyCheck::distinct, 0};
}

Finding look_up(Keys keys) {
    if (keys.size() >= std::numeric_limits<std::uint32_t>::max()) {
        return {KeyCheck::undecided, 0};
    }
    std::vector<Slot> slots(std::bit_ceil(2 * keys.size()));
    return look_up(keys, slots);
}

std::optional<std::size_t> repeated_among_sorted(Keys keys) {
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&keys](std::size_t a, std::size_t b) {
        const int difference = keys[a].text.compare(keys[b].text);
        return difference != 0 ? difference < 0 : a < b;
    });
    std::optional<std::size_t> first;
    for (std::size_t i = 1; i < order.size(); ++i) {
        if (keys[order[i - 1]].text == keys[order[i]].text) {
            first = std::min(first.value_or(order[i]), order[i]);
        }
    }
    return first;
}

}  // namespace

std::optional<std::size_t> first_repeated_key(Keys keys) {
    if (keys.size() <= kFewKeys) {
        return repeated_among_few(keys);
    }
    const Finding found = look_up(keys);
    switch (found.check) {
        case KeyCheck::distinct:
            return std::nullopt;
        case KeyCheck::repeated:
            return found.index;
        case KeyCheck::undecided:
            break;
    }
    return repeated_among_sorted(keys);
}

}  // namespace jobforge
