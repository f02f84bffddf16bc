// The bytes of a hash, key or id as a view, which is what hex, base64 and Postgres take.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace jobforge {

// Valid for as long as the array.
template <std::size_t N>
[[nodiscard]] std::string_view bytes_of(const std::array<std::uint8_t, N>& array) noexcept {
    return {reinterpret_cast<const char*>(array.data()), N};
}

}  // namespace jobforge
