// Prices as marketplaces write them, and the cents they are.
#include <gtest/gtest.h>

#include "prices/money.h"

namespace jobforge::services {
namespace {

// "1999", "1999 EUR", or "refused: ..." without the text itself.
std::string told(const Result<Money>& money) {
    if (!money.ok()) {
        const std::string& message = money.error().message;
        return "refused: " + message.substr(message.rfind(": ") + 2);
    }
    return std::to_string(money->cents) + (money->currency.empty() ? "" : " " + money->currency);
}

TEST(Money, JsonNumbersAreReadDigitByDigit) {
    struct Case {
        const char* json;
        const char* told;
    };
    for (const auto& [json, expected] :
         {Case{"19.99", "1999"},
          {"0.07", "7"},
          {"0.29", "29"},  // 0.29 * 100 is 28.999999999999996 in doubles
          {"1.1", "110"},
          {"4.35", "435"},
          {"2000", "200000"},
          {"0", "0"},
          {"0.00", "0"},
          {"19.990000000000000000000000", "1999"},
          {"1.999e1", "1999"},
          {"1.999E+1", "1999"},
          {"1999e-2", "1999"},
          {"199900e-4", "1999"},
          {"0e40", "0"},
          {"99999999999.99", "9999999999999"},
          {"19.999", "refused: it has a fraction of a cent"},
          {"0.001", "refused: it has a fraction of a cent"},
          {"1e-3", "refused: it has a fraction of a cent"},
          {"19999999999999999999.99", "refused: it is too large"},
          {"100000000000", "refused: it is too large"},
          {"1e30", "refused: it is too large"},
          {"1e400", "refused: its exponent is too large"},
          {"1e-99999999999", "refused: its exponent is too large"},
          {"-1", "refused: it is negative"},
          {"-0.00", "refused: it is negative"},
          {"true", "refused: it is neither a number nor a text"},
          {"null", "refused: it is neither a number nor a text"},
          {"[19.99]", "refused: it is neither a number nor a text"},
          {"{\"amount\":1}", "refused: it is neither a number nor a text"}}) {
        EXPECT_EQ(told(read_money(Json::parse(json).value())), expected) << json;
    }
}

TEST(Money, EveryCentUpToTenThousandSurvivesTheWayThroughText) {
    for (std::int64_t cents = 0; cents <= 1'000'000; cents += 7) {
        const auto money = parse_money(format_cents(cents));
        ASSERT_TRUE(money.ok()) << cents;
        ASSERT_EQ(money->cents, cents);
    }
}

TEST(Money, CentsMayBeCountedAlready) {
    const MoneyFormat in_cents{.in_cents = true};
    EXPECT_EQ(told(read_money(Json(1999), in_cents)), "1999");
    EXPECT_EQ(told(parse_money("1,999", in_cents)), "1999");
    EXPECT_EQ(told(read_money(Json::number("19.99").value(), in_cents)),
              "refused: it has a fraction of a cent");
}

TEST(Money, TextsWithADecimalPoint) {
    struct Case {
        const char* text;
        const char* told;
    };
    constexpr const char* kForm = "refused: it must look like 1234.56";
    for (const auto& [text, expected] :
         {Case{"19.99", "1999"},
          {" 19.99\n", "1999"},
          {"19", "1900"},
          {"19.9", "1990"},
          {"19.990", "1999"},
          {"007.50", "750"},
          {"1,234.56", "123456"},
          {"12,345", "1234500"},
          {"1,234,567.89", "123456789"},
          {"1 234.56", "123456"},
          {"1\u00a0234\u00a0567.8", "123456780"},
          {"1\u202f234", "123400"},
          {"1'234.50", "123450"},
          {"1’234.50", "123450"},
          {"$19.99", "refused: $ may be USD CAD AUD NZD HKD SGD TWD MXN ARS CLP COP"},
          {"¥1500", "refused: ¥ may be JPY CNY"},
          {"US$19.99", "1999 USD"},
          {"US$ 19.99", "1999 USD"},
          {"C$5", "500 CAD"},
          {"€19.99", "1999 EUR"},
          {"19.99 €", "1999 EUR"},
          {"£1,250", "125000 GBP"},
          {"USD 19.99", "1999 USD"},
          {"19.99 USD", "1999 USD"},
          {"19.99EUR", "1999 EUR"},
          {"19.999", "refused: it has a fraction of a cent"},
          {"1.234", "refused: it has a fraction of a cent"},
          {"", kForm},
          {".", kForm},
          {".99", kForm},
          {"19.", kForm},
          {"USD", kForm},
          {"€", kForm},
          {"-19.99", kForm},
          {"+19.99", kForm},
          {"(19.99)", kForm},
          {"1e3", kForm},
          {"0x10", kForm},
          {"NaN", kForm},
          {"19,99", kForm},
          {"1,23,456", kForm},
          {"1,2345", kForm},
          {"1234,567", kForm},
          {",123", kForm},
          {"1,", kForm},
          {"1,234 567", kForm},
          {"1,,234", kForm},
          {"1.234.567", kForm},
          {"1 2", kForm},
          {"12\n345", kForm},
          {"from 19.99", kForm},
          {"19.99 - 25.00", kForm},
          {"$19.99 USD", kForm},
          {"19.99 usd", kForm},
          {"١٩.٩٩", kForm},
          {"19.9９", kForm},
          {"\xff\xfe", kForm}}) {
        EXPECT_EQ(told(parse_money(text)), expected) << text;
    }
}

TEST(Money, TextsWithADecimalComma) {
    struct Case {
        const char* text;
        const char* told;
    };
    const MoneyFormat comma{.decimal_mark = ','};
    constexpr const char* kForm = "refused: it must look like 1234.56";
    for (const auto& [text, expected] : {Case{"19,99", "1999"},
                                         {"1.234,56 €", "123456 EUR"},
                                         {"1 234,5", "123450"},
                                         {"12.345", "1234500"},
                                         {"1,234", "refused: it has a fraction of a cent"},
                                         {"19.99", kForm},
                                         {"1,234.56", kForm}}) {
        EXPECT_EQ(told(parse_money(text, comma)), expected) << text;
    }
}

TEST(Money, AmbiguousSymbolsNeedACurrencyFromElsewhereAndNoneMayContradictIt) {
    EXPECT_EQ(told(parse_money("$19.99", {}, "USD")), "1999 USD");
    EXPECT_EQ(told(parse_money("$19.99", {}, "CAD")), "1999 CAD");
    EXPECT_EQ(told(parse_money("1500 ¥", {}, "JPY")), "150000 JPY");
    EXPECT_EQ(told(parse_money("$19.99", {}, "EUR")), "refused: it is not in EUR");
    EXPECT_EQ(told(parse_money("€19.99", {}, "USD")), "refused: it is not in USD");
    EXPECT_EQ(told(parse_money("19.99 GBP", {}, "USD")), "refused: it is not in USD");
    EXPECT_EQ(told(parse_money("19.99", {}, "USD")), "1999");
}

TEST(Money, LongTextsAreRefusedBeforeAnythingElse) {
    EXPECT_EQ(told(parse_money(std::string(1'000'000, '1'))), "refused: it is too long");
    EXPECT_EQ(told(read_money(Json::number("1." + std::string(100'000, '0')).value())),
              "refused: it is too long");
}

}  // namespace
}  // namespace jobforge::services
