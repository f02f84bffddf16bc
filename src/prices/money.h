// Money as marketplaces write it, read exactly: whole hundredths of a unit of currency. Pure.
//
// Nothing passes through a double: 19.99 is 1999. What can be read in two ways is refused rather
// than guessed, because a wrong price is worse than a missing one. Cents are hundredths in every
// currency, also in those without minor units: 1500 yen are 150000.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <jobforge/error.h>
#include <jobforge/json.h>

namespace jobforge::services {

// 99,999,999,999.99: beyond, a "price" is a mistake. Half a million of them add up to less
// than 2^63.
inline constexpr std::int64_t kMostCents = 9'999'999'999'999;

struct MoneyFormat {
    // What stands before the cents in texts; the other one of '.' and ',' may separate thousands.
    char decimal_mark = '.';
    // The number counts cents already (1999 is 19.99).
    bool in_cents = false;
};

struct Money {
    std::int64_t cents = 0;
    std::string currency;  // ISO 4217, if the text said it; else empty
    friend bool operator==(const Money&, const Money&) = default;
};

// A JSON number ("19.99", "1.999e1", 2000) or text. VALIDATION_ERROR for everything negative, above
// kMostCents, with a fraction of a cent (19.999; 19.990 is fine), and for texts other than
//
//     digits            19.99   1,234.56   1 234,56   1'234.56   12,345
//     with a currency   $19.99   19,99 EUR   EUR 19.99   US$5   £12
//
// Thousands are separated all or not at all, in groups of three, by one kind of separator (the
// other mark, a space of any width, an apostrophe). "1,234" is 1234 with '.' as the decimal mark
// and refused with ','. A code (EUR) or a symbol that stands for one currency (€ £ ₹ US$ ...) is
// answered in `currency`; "$" and "¥" stand for several and are used only if `expected` is one
// of those. A text that names another currency than `expected` is refused.
[[nodiscard]] Result<Money> read_money(const Json& value, const MoneyFormat& format = {},
                                       std::string_view expected = {});
[[nodiscard]] Result<Money> parse_money(std::string_view text, const MoneyFormat& format = {},
                                        std::string_view expected = {});

// Three upper-case letters.
[[nodiscard]] bool is_currency(std::string_view text) noexcept;

// "1234.05", for people; the currency is the caller's to add.
[[nodiscard]] std::string format_cents(std::int64_t cents);

}  // namespace jobforge::services
