// Finding repeated keys without quadratic work.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace jobforge {

// A key as the parser holds it until its object closes.
struct ParsedKey {
    std::string_view text;  // without quotes and escapes
    const char* place;      // of its opening quote in the document
};

// The index of the first key that an earlier one equals; nullopt if all differ. Linear for keys
// that were not chosen to be slow, O(n log n) comparisons for any.
[[nodiscard]] std::optional<std::size_t> first_repeated_key(std::span<const ParsedKey> keys);

}  // namespace jobforge
