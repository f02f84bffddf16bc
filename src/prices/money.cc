#include "prices/money.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "prices/currency_marks.h"
#include "values/unicode.h"

namespace jobforge::services {

namespace {

constexpr std::size_t kLongestText = 64;
constexpr std::size_t kGroup = 3;  // digits between separators of thousands
constexpr int kMostExponent = 40;

Error no_money(std::string_view text, std::string_view why) {
    return Error::of(
        ErrorCode::VALIDATION_ERROR,
        fmt::format("\"{}\" is not a price: {}",
                    unicode::collapsed(text.substr(0, std::min(text.size(), kLongestText))), why));
}

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

// What is left of a text while it is read from both ends.
class Reader final {
public:
    explicit Reader(std::string_view text) : rest_(unicode::trimmed(text)) {}

    // A currency at either end, or none. VALIDATION_ERROR if it is not `expected`.
    [[nodiscard]] Result<std::string> currency(std::string_view expected);
    [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

private:
    [[nodiscard]] bool take(std::string_view mark);
    [[nodiscard]] std::string take_code();

    std::string_view rest_;
};

bool Reader::take(std::string_view mark) {
    if (rest_.starts_with(mark)) {
        rest_ = unicode::trimmed(rest_.substr(mark.size()));
        return true;
    }
    if (rest_.ends_with(mark)) {
        rest_ = unicode::trimmed(rest_.substr(0, rest_.size() - mark.size()));
        return true;
    }
    return false;
}

std::string Reader::take_code() {
    constexpr std::size_t kCode = 3;
    if (rest_.size() <= kCode) {
        return {};
    }
    for (const std::string_view code :
         {rest_.substr(0, kCode), rest_.substr(rest_.size() - kCode)}) {
        if (is_currency(code)) {
            std::string found(code);
            return take(found) ? found : std::string();
        }
    }
    return {};
}

bool is_one_of(std::string_view currencies, std::string_view one) {
    return !one.empty() && currencies.find(one) != std::string_view::npos;
}

Result<std::string> Reader::currency(std::string_view expected) {
    const std::string_view whole = rest_;
    std::string code = take_code();
    if (code.empty()) {
        for (const CurrencyMark& mark : kCurrencyMarks) {
            if (!take(mark.text)) {
                continue;
            }
            const bool only_one = mark.currencies.size() == kGroup;
            if (!only_one && expected.empty()) {
                return no_money(whole, fmt::format("{} may be {}", mark.text, mark.currencies));
            }
            code = only_one                               ? mark.currencies
                   : is_one_of(mark.currencies, expected) ? expected
                                                          : "";
            if (code.empty()) {
                return no_money(whole, fmt::format("it is not in {}", expected));
            }
            break;
        }
    }
    if (!code.empty() && !expected.empty() && code != expected) {
        return no_money(whole, fmt::format("it is not in {}", expected));
    }
    return code;
}

// A separator of thousands at the beginning of `text`: its length, 0 if there is none.
std::size_t separator_length(std::string_view text, char decimal_mark) {
    const char other = decimal_mark == '.' ? ',' : '.';
    if (text.front() == other || text.front() == '\'') {
        return 1;
    }
    std::string_view rest = text;
    const char32_t code_point = unicode::take(rest);
    constexpr char32_t kRightQuote = 0x2019;
    const bool blank = unicode::is_blank(code_point) && code_point != U'\n' && code_point != U'\r';
    return blank || code_point == kRightQuote ? text.size() - rest.size() : 0;
}

// The digits of the whole part, without separators. Empty: they are not where they belong.
std::string whole_digits(std::string_view text, char decimal_mark) {
    std::string digits;
    std::string_view separator;
    std::size_t group = 0;
    while (!text.empty()) {
        if (is_digit(text.front())) {
            digits += text.front();
            text.remove_prefix(1);
            ++group;
            continue;
        }
        const std::size_t length = separator_length(text, decimal_mark);
        const std::string_view here = text.substr(0, length);
        const bool first = separator.empty();
        const bool fits = first ? group >= 1 && group <= kGroup : group == kGroup;
        if (length == 0 || !fits || (!first && here != separator)) {
            return {};
        }
        separator = here;
        group = 0;
        text.remove_prefix(length);
    }
    return separator.empty() || group == kGroup ? digits : std::string();
}

// `whole`.`fraction` times 10^exponent, in cents.
Result<std::int64_t> to_cents(std::string_view shown, const std::string& whole,
                              std::string_view fraction, int exponent) {
    std::string digits = whole + std::string(fraction);
    // How many digits stand behind the cents' last one; negative: so many zeros are missing.
    int beyond = static_cast<int>(fraction.size()) - exponent;
    while (beyond > 0) {
        if (digits.empty() || digits.back() == '0') {
            if (!digits.empty()) {
                digits.pop_back();
            }
            --beyond;
            continue;
        }
        return no_money(shown, "it has a fraction of a cent");
    }
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    if (digits.empty()) {
        return 0;
    }
    digits.append(static_cast<std::size_t>(-beyond), '0');
    std::int64_t cents = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), cents);
    if (read.ec != std::errc() || cents > kMostCents) {
        return no_money(shown, "it is too large");
    }
    return cents;
}

// A JSON number: digits, maybe a fraction, maybe an exponent.
Result<Money> from_number(std::string_view number, const MoneyFormat& format) {
    if (number.starts_with('-')) {
        return no_money(number, "it is negative");
    }
    if (number.size() > kLongestText) {
        return no_money(number, "it is too long");
    }
    const std::size_t e = number.find_first_of("eE");
    const std::string_view mantissa = number.substr(0, e);
    int exponent = 0;
    if (e != std::string_view::npos) {
        std::string_view power = number.substr(e + 1);
        power.remove_prefix(power.starts_with('+') ? 1 : 0);
        const auto read = std::from_chars(power.data(), power.data() + power.size(), exponent);
        if (read.ec != std::errc() || std::abs(exponent) > kMostExponent) {
            return no_money(number, "its exponent is too large");
        }
    }
    const std::size_t point = mantissa.find('.');
    const std::string_view fraction =
        point == std::string_view::npos ? std::string_view() : mantissa.substr(point + 1);
    const auto cents = to_cents(number, std::string(mantissa.substr(0, point)), fraction,
                                exponent + (format.in_cents ? 0 : 2));
    return cents.ok() ? Result<Money>(Money{*cents, {}}) : Result<Money>(cents.error());
}

}  // namespace

bool is_currency(std::string_view text) noexcept {
    return text.size() == 3 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

Result<Money> parse_money(std::string_view text, const MoneyFormat& format,
                          std::string_view expected) {
    if (text.size() > kLongestText) {
        return no_money(text, "it is too long");
    }
    Reader reader(text);
    auto currency = reader.currency(expected);
    if (!currency.ok()) {
        return std::move(currency).error();
    }
    const std::string_view amount = reader.rest();
    const std::size_t mark = amount.find(format.decimal_mark);
    const bool has_fraction = mark != std::string_view::npos;
    const std::string_view fraction = has_fraction ? amount.substr(mark + 1) : std::string_view();
    const std::string whole = whole_digits(amount.substr(0, mark), format.decimal_mark);
    if (whole.empty() || (has_fraction && fraction.empty()) ||
        !std::all_of(fraction.begin(), fraction.end(), is_digit)) {
        return no_money(text, "it must look like 1234.56");
    }
    const auto cents = to_cents(text, whole, fraction, format.in_cents ? 0 : 2);
    if (!cents.ok()) {
        return cents.error();
    }
    return Money{*cents, *std::move(currency)};
}

Result<Money> read_money(const Json& value, const MoneyFormat& format, std::string_view expected) {
    if (const auto number = value.number_text()) {
        return from_number(*number, format);
    }
    if (const std::string* text = value.as_string()) {
        return parse_money(*text, format, expected);
    }
    return no_money(value.dump(), "it is neither a number nor a text");
}

std::string format_cents(std::int64_t cents) {
    return fmt::format("{}.{:02}", cents / 100, cents % 100);
}

}  // namespace jobforge::services
