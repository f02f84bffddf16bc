// Calendar dates, 0001-01-01 to 9999-12-31 (proleptic Gregorian), without time or zone.
// Pure values; any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jobforge {

class Date final {
public:
    constexpr Date() noexcept = default;  // 0001-01-01
    // nullopt if there is no such day.
    [[nodiscard]] static std::optional<Date> make(int year, int month, int day) noexcept;
    // Exactly YYYY-MM-DD; nullopt otherwise.
    [[nodiscard]] static std::optional<Date> parse(std::string_view text) noexcept;
    [[nodiscard]] std::string text() const;
    [[nodiscard]] int year() const noexcept;
    [[nodiscard]] int month() const noexcept;
    [[nodiscard]] int day() const noexcept;
    // nullopt outside the range; any `days` is safe.
    [[nodiscard]] std::optional<Date> add_days(std::int64_t days) const noexcept;
    friend constexpr auto operator<=>(const Date&, const Date&) noexcept = default;

private:
    std::int32_t days_ = 0;  // since 0001-01-01
};

}  // namespace jobforge
