#include <jobforge/json.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "processor_time.h"

namespace jobforge {
namespace {

using namespace std::string_literals;

Json parse(std::string_view text) {
    Result<Json> parsed = Json::parse(text);
    EXPECT_TRUE(parsed.ok()) << text;
    return parsed.ok() ? *std::move(parsed) : Json();
}

TEST(Json, knows_its_kind_and_answers_for_no_other) {
    EXPECT_TRUE(Json().is_null());
    EXPECT_TRUE(Json(nullptr).is_null());
    EXPECT_EQ(Json(true).as_bool(), true);
    EXPECT_EQ(Json(7).as_int64(), 7);
    EXPECT_EQ(*Json("x").as_string(), "x");
    EXPECT_TRUE(Json::array().is_array());
    EXPECT_TRUE(Json::object().is_object());
    EXPECT_EQ(Json("7").as_int64(), std::nullopt);
    EXPECT_EQ(Json(1).as_bool(), std::nullopt);
    EXPECT_EQ(Json(1).as_string(), nullptr);
    EXPECT_EQ(Json("7").number_text(), std::nullopt);
    EXPECT_EQ(Json::array().as_object(), nullptr);
    EXPECT_EQ(Json::object().as_array(), nullptr);
    EXPECT_EQ(Json(1).find("a"), nullptr);
}

TEST(Json, integers_keep_their_whole_range) {
    EXPECT_EQ(Json(std::numeric_limits<std::int64_t>::min()).dump(), "-9223372036854775808");
    EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
    EXPECT_EQ(Json(std::numeric_limits<std::int64_t>::min()).as_int64(),
              std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).as_int64(), std::nullopt);
    EXPECT_EQ(Json(4'000'000'000U).as_int64(), 4'000'000'000);
}

TEST(Json, only_integers_are_integers) {
    for (const char* text : {"1.0", "1e2", "9223372036854775808", "-9223372036854775809", "0.5"}) {
        EXPECT_EQ(parse(text).as_int64(), std::nullopt) << text;
    }
    EXPECT_EQ(parse("-0").as_int64(), 0);
    EXPECT_EQ(parse("9223372036854775807").as_int64(), 9223372036854775807);
}

TEST(Json, a_number_keeps_the_digits_it_was_given) {
    for (const char* text : {"75.50", "1e400", "-0.0", "12345678901234567890"}) {
        const Result<Json> number = Json::number(text);
        ASSERT_TRUE(number.ok()) << text;
        EXPECT_EQ(number->number_text(), text);
        EXPECT_EQ(number->dump(), text);
    }
}

TEST(Json, a_number_is_made_of_nothing_else) {
    for (const std::string& text :
         {""s, "-"s, " 1"s, "1 "s, "1x"s, "NaN"s, "0x1"s, "01"s, "1\0"s}) {
        const Result<Json> number = Json::number(text);
        ASSERT_FALSE(number.ok()) << text;
        EXPECT_EQ(number.error().code, ErrorCode::VALIDATION_ERROR);
    }
}

TEST(Json, set_keeps_the_place_of_a_key_and_appends_new_ones) {
    Json object;
    object.set("b", 1).set("a", 2).set("b", "x");
    EXPECT_EQ(object.dump(), R"({"b":"x","a":2})");
    EXPECT_EQ(object.find("a")->as_int64(), 2);
    EXPECT_EQ(object.find("c"), nullptr);
}

TEST(Json, push_back_makes_an_array_of_null) {
    Json array;
    array.push_back(1).push_back(Json::object({{"a", nullptr}}));
    EXPECT_EQ(array.dump(), R"([1,{"a":null}])");
}

TEST(Json, changing_a_value_of_the_wrong_kind_is_a_broken_invariant) {
    Json number(1);
    EXPECT_THROW(number.set("a", 1), std::logic_error);
    EXPECT_THROW(number.push_back(1), std::logic_error);
}

TEST(Json, equality_ignores_the_order_of_members) {
    EXPECT_EQ(parse(R"({"a":1,"b":[1,2]})"), parse(R"({"b":[1,2],"a":1})"));
    EXPECT_NE(parse(R"({"a":1,"b":2})"), parse(R"({"a":2,"b":1})"));
    EXPECT_NE(parse(R"({"a":1,"b":2})"), parse(R"({"a":1,"c":2})"));
    EXPECT_NE(parse(R"({"a":1})"), parse(R"({"a":1,"b":2})"));
    EXPECT_NE(parse("[1,2]"), parse("[2,1]"));
}

TEST(Json, equality_compares_number_texts_and_kinds) {
    EXPECT_NE(parse("1"), parse("1.0"));
    EXPECT_NE(parse("1"), parse("\"1\""));
    EXPECT_NE(Json(), Json(false));
    EXPECT_EQ(Json(5), parse("5"));
}

TEST(Json, large_objects_in_other_orders_compare_without_quadratic_work) {
    const auto expect_equal = [](int count) {
        Json::Object forward;
        for (int i = 0; i < count; ++i) {
            forward.emplace_back("key" + std::to_string(i), i);
        }
        Json::Object backward(forward.rbegin(), forward.rend());
        EXPECT_EQ(Json(std::move(forward)), Json(std::move(backward)));
    };
    EXPECT_LT(test::growth([&] { expect_equal(2'000); }, [&] { expect_equal(100'000); }), 500);
}

TEST(Json, pretty_indents_by_two_and_leaves_empty_containers_closed) {
    EXPECT_EQ(
        parse(R"({"a":[1,{"b":null}],"c":[],"d":{}})").pretty(),
        "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": [],\n  \"d\": "
        "{}\n}");
    EXPECT_EQ(Json("x").pretty(), "\"x\"");
}

TEST(JsonQuote, escapes_what_must_be_escaped_and_nothing_else) {
    EXPECT_EQ(json_quote("\"\\/\b\f\n\r\t\x01\x1f\x7f"),
              "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
    EXPECT_EQ(json_quote("\u00e9\u20ac\U0001F600"), "\"\u00e9\u20ac\U0001F600\"");
}

TEST(JsonQuote, gives_valid_json_for_any_bytes) {
    EXPECT_EQ(json_quote("a\xFF\xC3z"), "\"a\uFFFD\uFFFDz\"");
    EXPECT_EQ(json_quote("a\0b"s), "\"a\uFFFDb\"");
    EXPECT_EQ(json_quote("\xED\xA0\x80"), "\"\uFFFD\uFFFD\uFFFD\"");
}

}  // namespace
}  // namespace jobforge
