// Values that prove themselves whole.
#pragma once

#include <optional>
#include <string>

#include <fmt/format.h>

namespace jobforge::connect::test_support {

// Up to 200,000 bytes: many pages, so that a write takes a while.
inline std::string cache_value(int n) {
    const auto size = static_cast<std::size_t>(1000 + n * 7919 % 199'000);
    return fmt::format("{}:", n) + std::string(size, static_cast<char>('a' + n % 26));
}

// Which one it is; nullopt for anything that cache_value() does not make.
inline std::optional<int> number_of(const std::string& value) {
    const int n = std::atoi(value.c_str());
    return value == cache_value(n) ? std::optional(n) : std::nullopt;
}

}  // namespace jobforge::connect::test_support
