// 128-bit identifiers, written lower case with dashes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <jobforge/error.h>

namespace jobforge {

struct Uuid {
    std::array<std::uint8_t, 16> bytes{};
    friend auto operator<=>(const Uuid&, const Uuid&) = default;

    // Strict: 36 characters, dashes in place, either case. VALIDATION_ERROR otherwise.
    [[nodiscard]] static Result<Uuid> parse(std::string_view text);
    // Version 7 (RFC 9562) from a time and 10 random bytes: pure, the caller brings both.
    [[nodiscard]] static Uuid v7(std::int64_t unix_ms, const std::array<std::uint8_t, 10>& random);
    [[nodiscard]] std::string to_string() const;
    [[nodiscard]] bool is_nil() const noexcept;
};

}  // namespace jobforge

template <>
struct std::hash<jobforge::Uuid> {
    std::size_t operator()(const jobforge::Uuid& id) const noexcept;
};
