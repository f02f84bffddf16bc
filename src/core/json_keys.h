// Finding repeated keys without quadratic work.
#pragma once

#include <cstddef>
#include <optional>

#include <jobforge/json.h>

namespace jobforge {

// The index of the first member whose key an earlier member has; nullopt if all keys differ.
// O(n log n) whatever the keys are: no choice of keys makes it slow, as hash tables can be.
[[nodiscard]] std::optional<std::size_t> first_repeated_key(const Json::Object& members);

}  // namespace jobforge
