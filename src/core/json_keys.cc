#include "core/json_keys.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

namespace jobforge {
namespace {

// Up to here comparing all pairs is faster than sorting (lengths differ, mostly).
constexpr std::size_t kFewMembers = 16;

std::optional<std::size_t> repeated_among_few(const Json::Object& members) {
    for (std::size_t later = 1; later < members.size(); ++later) {
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
            if (members[earlier].first == members[later].first) {
                return later;
            }
        }
    }
    return std::nullopt;
}

struct HashedKey {
    std::size_t hash;
    std::size_t index;
};

}  // namespace

std::optional<std::size_t> first_repeated_key(const Json::Object& members) {
    if (members.size() <= kFewMembers) {
        return repeated_among_few(members);
    }
    // Sorted by hash first, since comparing integers beside each other is much faster than
    // following pointers to strings; equal hashes are told apart by the keys, so collisions cost
    // log n, not n.
    std::vector<HashedKey> keys;
    keys.reserve(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
        keys.push_back({std::hash<std::string_view>{}(members[i].first), i});
    }
    const auto key_of = [&members](const HashedKey& key) -> const std::string& {
        return members[key.index].first;
    };
    std::ranges::sort(keys, [&key_of](const HashedKey& a, const HashedKey& b) {
        if (a.hash != b.hash) {
            return a.hash < b.hash;
        }
        const int order = key_of(a).compare(key_of(b));
        return order != 0 ? order < 0 : a.index < b.index;
    });
    std::optional<std::size_t> first;
    for (std::size_t i = 1; i < keys.size(); ++i) {
        if (keys[i - 1].hash == keys[i].hash && key_of(keys[i - 1]) == key_of(keys[i])) {
            first = std::min(first.value_or(keys[i].index), keys[i].index);
        }
    }
    return first;
}

}  // namespace jobforge
