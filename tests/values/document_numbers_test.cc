#include "values/document_numbers.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/json/canonical.h"
#include "big_number_model.h"

namespace jobforge {
namespace {

// The canonical text of what a document becomes, or the error's code.
std::string exact(std::string_view text) {
    const Result<Json> document = Json::parse(text);
    if (!document.ok()) {
        return "no JSON: " + document.error().message;
    }
    const Result<Json> numbers = with_exact_numbers(*document);
    return numbers.ok() ? canonical(*numbers).value()
                        : std::string(to_string(numbers.error().code));
}

TEST(DocumentNumbers, keeps_canonical_integers_as_numbers) {
    for (const char* text :
         {"0", "1", "-1", "9007199254740991", "-9007199254740991", "[1,2,{\"a\":3}]"}) {
        EXPECT_EQ(exact(text), text);
    }
    EXPECT_EQ(exact("-0"), "0");
}

TEST(DocumentNumbers, writes_every_other_number_as_its_plain_decimal) {
    const std::pair<const char*, const char*> numbers[] = {
        {"75.50", "75.50"},
        {"7.55e1", "75.5"},
        {"1E2", "100"},
        {"1e+2", "100"},
        {"1e0", "1"},
        {"1.50e1", "15.0"},
        {"1.5e1", "15"},
        {"1.5e3", "1500"},
        {"5e-3", "0.005"},
        {"-5E-003", "-0.005"},
        {"0.05e1", "0.5"},
        {"0.05e2", "5"},
        {"0.050e2", "5.0"},
        {"12.34e-2", "0.1234"},
        {"1.0", "1.0"},
        {"-1.0", "-1.0"},
        {"0.0", "0.0"},
        {"-0.0", "0.0"},
        {"-0e0", "0"},
        {"0e-2", "0.00"},
        {"0e5", "0"},
        {"0.00e1", "0.0"},
        {"0.000e9", "0"},
        {"0e999999999999999999999999", "0"},
        {"9007199254740992", "9007199254740992"},
        {"-9007199254740992", "-9007199254740992"},
        {"9223372036854775807", "9223372036854775807"},
        {"9223372036854775808", "9223372036854775808"},
        {"12345678901234567890", "12345678901234567890"},
        {"0.1", "0.1"},
        {"0.30000000000000004", "0.30000000000000004"},
    };
    for (const auto& [written, plain] : numbers) {
        EXPECT_EQ(exact(written), '"' + std::string(plain) + '"') << written;
    }
}

TEST(DocumentNumbers, takes_38_digits_and_refuses_39) {
    const std::string nines(38, '9');
    EXPECT_EQ(exact(nines), '"' + nines + '"');
    EXPECT_EQ(exact("-" + nines), "\"-" + nines + '"');
    EXPECT_EQ(exact("0." + nines), "\"0." + nines + '"');
    EXPECT_EQ(exact("9." + nines.substr(1)), "\"9." + nines.substr(1) + '"');
    EXPECT_EQ(exact("1e37"), "\"1" + std::string(37, '0') + '"');
    EXPECT_EQ(exact("1e-38"), "\"0." + std::string(37, '0') + "1\"");
    EXPECT_EQ(exact("1.5e-37"), "\"0." + std::string(36, '0') + "15\"");
    EXPECT_EQ(exact("0e-38"), "\"0." + std::string(38, '0') + '"');
    for (const std::string& text :
         {nines + "0", "-" + nines + "0", "0." + nines + "9", "9." + nines, std::string("1e38"),
          std::string("-1e38"), std::string("1e-39"), std::string("1.5e-38"), std::string("0e-39"),
          nines + "e1", nines + "e-39", nines + ".0"}) {
        EXPECT_EQ(exact(text), "DOCUMENT_REJECTED") << text;
    }
}

TEST(DocumentNumbers, refuses_giants_without_writing_them_out) {
    for (const char* text :
         {"1e999999999", "1e-999999999", "-1E+999999999", "1e308", "0e-999999999",
          "1e99999999999999999999999999999999999999", "1e-99999999999999999999999999999999999999",
          "1e9223372036854775807", "1e-9223372036854775808", "1e18446744073709551617",
          "1.5e4294967297"}) {
        EXPECT_EQ(exact(text), "DOCUMENT_REJECTED") << text;
    }
    EXPECT_EQ(exact(std::string(309, '9')), "DOCUMENT_REJECTED");
    EXPECT_EQ(exact(std::string(1'000'000, '9')), "DOCUMENT_REJECTED");
}

TEST(DocumentNumbers, long_spellings_of_short_numbers_are_kept) {
    EXPECT_EQ(exact("0." + std::string(100'000, '0') + "15e100001"), "\"1.5\"");
    EXPECT_EQ(exact("1" + std::string(100'000, '0') + "e-100000"), "DOCUMENT_REJECTED")
        << "written digits are kept, and there are 100000 behind the point";
    EXPECT_EQ(exact("1e" + std::string(100'000, '0') + "1"), "\"10\"");
}

TEST(DocumentNumbers, names_the_place) {
    const Result<Json> document =
        Json::parse(R"({"a":{"x/y":[1.5,{"~":[[],{"n":1e99}]}]},"b":2e99})");
    ASSERT_TRUE(document.ok());
    const Result<Json> numbers = with_exact_numbers(*document);
    ASSERT_FALSE(numbers.ok());
    EXPECT_EQ(numbers.error().code, ErrorCode::DOCUMENT_REJECTED);
    EXPECT_EQ(numbers.error().details, R"({"pointer":"/a/x~1y/1/~0/1/n"})");
    EXPECT_EQ(numbers.error().message,
              "/a/x~1y/1/~0/1/n: 1e99 has more than 38 digits when written out; a document's "
              "numbers may have at most 38");
    const Result<Json> alone = with_exact_numbers(*Json::parse(std::string(1000, '1')));
    ASSERT_FALSE(alone.ok());
    EXPECT_EQ(alone.error().details, R"({"pointer":""})");
    EXPECT_LT(alone.error().message.size(), 250U) << "a giant is not quoted in full";
}

TEST(DocumentNumbers, leaves_everything_else_and_the_order_alone) {
    const char* text = R"({"z":[true,false,null,"1.50","",{}],"a":[],"m":"x\n"})";
    const Result<Json> numbers = with_exact_numbers(*Json::parse(text));
    ASSERT_TRUE(numbers.ok());
    EXPECT_EQ(numbers->dump(), text);
    EXPECT_EQ(with_exact_numbers(*Json::parse(R"({"b":1.5,"a":[2e0]})"))->dump(),
              R"({"b":"1.5","a":["2"]})");
}

TEST(DocumentNumbers, goes_as_deep_as_the_parser_and_no_deeper) {
    const std::string deepest = std::string(128, '[') + "1.5" + std::string(128, ']');
    EXPECT_EQ(exact(deepest), std::string(128, '[') + "\"1.5\"" + std::string(128, ']'));
    Json built = *Json::parse(deepest);
    built = Json(Json::Array{built});
    const Result<Json> numbers = with_exact_numbers(built);
    ASSERT_FALSE(numbers.ok());
    EXPECT_EQ(numbers.error().code, ErrorCode::DOCUMENT_REJECTED);
}

TEST(DocumentNumbers, counts_levels_and_not_neighbours) {
    std::string items = "[]";
    for (int i = 0; i < 200; ++i) {
        items += ",[],{}";
    }
    EXPECT_EQ(exact("[" + items + "]"), "[" + items + "]");
}

// The expansion against the paper-and-pencil model: coefficient * 10^exponent, as exact fractions.
RC_GTEST_PROP(DocumentNumbersProperty, the_value_is_the_written_value, ()) {
    const auto digit = rc::gen::element('0', '0', '0', '1', '5', '9');
    auto whole = *rc::gen::container<std::string>(digit);
    whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
    const auto fraction = *rc::gen::container<std::string>(digit);
    const int exponent = *rc::gen::inRange(-45, 45);
    const std::string coefficient = (*rc::gen::arbitrary<bool>() ? "-" : "") +
                                    (whole.empty() ? "0" : whole) +
                                    (fraction.empty() ? "" : "." + fraction);
    const std::string result = exact(coefficient + "e" + std::to_string(exponent));
    if (result == "DOCUMENT_REJECTED") {
        const auto behind = std::max(static_cast<int>(fraction.size()) - exponent, 0);
        const model::Digits digits = model::trimmed(whole + fraction);
        const auto in_all = static_cast<int>(digits.size()) +
                            std::max(exponent - static_cast<int>(fraction.size()), 0);
        RC_ASSERT(behind > 38 || (digits != "0" && in_all > 38));
        return;
    }
    RC_ASSERT(result.size() > 2U);
    const model::Number written = model::number(coefficient);
    const model::Number plain = model::number(result.substr(1, result.size() - 2));
    RC_ASSERT(plain.scale == std::max(written.scale - exponent, 0));
    // written * 10^exponent == plain, both sides times 10^(scales and a negative exponent).
    RC_ASSERT(model::shifted(written.digits, std::max(exponent, 0) + plain.scale) ==
              model::shifted(plain.digits, written.scale + std::max(-exponent, 0)));
    RC_ASSERT(plain.negative == (written.negative && plain.digits != "0"));
    RC_ASSERT(result.size() <= 2U + 1 + 1 + 1 + 38);
}

}  // namespace
}  // namespace jobforge
