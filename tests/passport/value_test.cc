#include "rules/eval/rule_value.h"

#include <gtest/gtest.h>

namespace jobforge::rules {
namespace {

Value dec(const char* text) {
    return Value(*Decimal::parse(text));
}

TEST(Value, is_written_in_the_canonical_form_of_passports) {
    EXPECT_EQ(Value().canonical(), "null");
    EXPECT_EQ(Value(true).canonical(), "true");
    EXPECT_EQ(Value(std::int64_t{-7}).canonical(), "-7");
    EXPECT_EQ(dec("1.50").canonical(), R"("1.50")");
    EXPECT_EQ(Value(*Date::make(2027, 2, 18)).canonical(), R"("2027-02-18")");
    EXPECT_EQ(Value(*make_quantity(*Decimal::parse("1.5"), *find_unit("kg"))).canonical(),
              R"({"unit":"kg","value":"1.500000"})");
    EXPECT_EQ(Value("a\"\n").canonical(), R"("a\"\n")");
    EXPECT_EQ(Value(Value::List{Value(false), Value()}).canonical(), "[false,null]");
}

TEST(Value, writes_members_in_the_order_of_utf16_code_units) {
    // U+FFFD is one unit above the surrogates that U+1F50B needs, although its bytes are smaller.
    const Value value = Value::of_members(
        {{"\xEF\xBF\xBD", Value(true)}, {"\xF0\x9F\x94\x8B", Value(true)}, {"a", Value(true)}});
    EXPECT_EQ(value.canonical(), "{\"a\":true,\"\xF0\x9F\x94\x8B\":true,\"\xEF\xBF\xBD\":true}");
    EXPECT_NE(value.member("\xEF\xBF\xBD"), nullptr);
    EXPECT_EQ(value.member("b"), nullptr);
}

TEST(Value, equality_looks_through_scales_and_units) {
    EXPECT_TRUE(equal(dec("1.5"), dec("1.500")));
    EXPECT_FALSE(equal(dec("1.5"), Value()));
    const Value one_kwh(Quantity{*Decimal::parse("1.000000"), find_unit("kWh")});
    const Value thousand_wh(Quantity{*Decimal::parse("1000.000000"), find_unit("Wh")});
    EXPECT_TRUE(equal(one_kwh, thousand_wh));
    EXPECT_TRUE(equal(Value(Value::List{dec("1")}), Value(Value::List{dec("1.0")})));
    EXPECT_FALSE(equal(Value(Value::List{dec("1")}), Value(Value::List{})));
    EXPECT_TRUE(compare(Value("a"), Value("\xC3\xA4")) < 0);
}

TEST(Value, size_counts_shared_parts_every_time_so_that_doubling_cannot_hide) {
    EXPECT_EQ(Value(std::int64_t{1}).size(), 1U);
    EXPECT_EQ(Value(std::string(32, 'x')).size(), 3U);
    Value doubled(Value::List{Value(true)});
    for (int i = 0; i < 100; ++i) doubled = Value(Value::List{doubled, doubled});
    EXPECT_EQ(doubled.size(), std::uint64_t{1} << 62);
}

}  // namespace
}  // namespace jobforge::rules
