// What the parser takes, what it refuses, and where it says the fault is. The cases follow those of
// the public JSON parsing test suites: one short text for each rule of RFC 8259.
#include <jobforge/json.h>

#include <gtest/gtest.h>

#include <string>

#include "processor_time.h"

namespace jobforge {
namespace {

using namespace std::string_literals;

struct Accepted {
    std::string text;
    std::string dumped;
};

TEST(JsonParse, takes_every_form_of_rfc_8259) {
    const Accepted cases[] = {
        {"null", "null"},
        {" \t\r\ntrue \t\r\n", "true"},
        {"false", "false"},
        {"0", "0"},
        {"-0", "-0"},
        {"123456789012345678901234567890", "123456789012345678901234567890"},
        {"75.50", "75.50"},
        {"-1.0e+10", "-1.0e+10"},
        {"1E-400", "1E-400"},
        {"0e0", "0e0"},
        {"0.000", "0.000"},
        {"\"\"", "\"\""},
        {R"("\"\\\/\b\f\n\r\t")", R"("\"\\/\b\f\n\r\t")"},
        {R"("\u0041\u00e9\u20ac\uD83D\uDE00")", "\"A\u00e9\u20ac\U0001F600\""},
        {R"("\u001f\u007F")", "\"\\u001f\x7F\""},
        {R"("\uD800\uDC00\uDBFF\uDFFF")", "\"\U00010000\U0010FFFF\""},
        {"\"\u00e9\u20ac\U0001F600\"", "\"\u00e9\u20ac\U0001F600\""},
        {"\"\uFFFE\uFEFF\uFDD0\"", "\"\uFFFE\uFEFF\uFDD0\""},
        {"\"0123456\\\"0123456789\\n\"", "\"0123456\\\"0123456789\\n\""},
        {"[]", "[]"},
        {"[ ]", "[]"},
        {"[1 , 2,\n3]", "[1,2,3]"},
        {"[[[]],[]]", "[[[]],[]]"},
        {"{}", "{}"},
        {"{ }", "{}"},
        {R"({ "a" : 1 , "b" : [ ] })", R"({"a":1,"b":[]})"},
        {R"({"":0,"a":{"a":1},"A":2})", R"({"":0,"a":{"a":1},"A":2})"},
        {R"([{"a":1},{"a":1}])", R"([{"a":1},{"a":1}])"},
    };
    for (const Accepted& good : cases) {
        const Result<Json> parsed = Json::parse(good.text);
        ASSERT_TRUE(parsed.ok()) << good.text << ": " << parsed.error().describe();
        EXPECT_EQ(parsed->dump(), good.dumped) << good.text;
    }
}

TEST(JsonParse, refuses_what_rfc_8259_does_not_allow) {
    const std::string cases[] = {
        // structure
        "",
        " ",
        "[",
        "]",
        "{",
        "}",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[,]",
        "[1 2]",
        "[1,,2]",
        "[1:2]",
        "[1}",
        "{\"a\":1]",
        "[1]]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,\"a\":1}",
        "{a:1}",
        "{'a':1}",
        "{1:1}",
        "{null:1}",
        "{\"a\" 1}",
        "{\"a\"::1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1;}",
        "{\"a\":1}x",
        "1 2",
        "[] []",
        "null,",
        "{\"a\":1,\"b\"",
        "{\"a",
        "[\"a",
        ",",
        ":",
        "*",
        // literals
        "nul",
        "nulll",
        "NULL",
        "True",
        "tru",
        "falsee",
        "NaN",
        "Infinity",
        "-Infinity",
        "undefined",
        // numbers
        "01",
        "-01",
        "00",
        "1.",
        ".5",
        "-.5",
        "-",
        "+1",
        "1e",
        "1e+",
        "1E-",
        "1.e1",
        "0x10",
        "1_000",
        "1,000",
        "--1",
        "-a",
        "1.2.3",
        "1e2.5",
        "0e",
        "[1e]",
        "\uFF11",
        "1f",
        // strings
        "\"",
        "\"a",
        "\"\\",
        "\"\\\"",
        "'a'",
        "\"\\x41\"",
        "\"\\a\"",
        "\"\\U0041\"",
        "\"\\u\"",
        "\"\\u00\"",
        "\"\\u004\"",
        "\"\\u00G1\"",
        "\"\\u 041\"",
        "\"a\nb\"",
        "\"a\tb\"",
        "\"\x01\"",
        "\"\x1f\"",
        "\"\0\""s,
        // comments, other white space, byte order mark
        "/* */1",
        "1//",
        "#1",
        "[1,\f2]",
        "\v1",
        "\u00a01",
        "\u20281",
        "\uFEFF1",
        "1\0"s,
        "\0"s,
    };
    for (const std::string& bad : cases) {
        const Result<Json> parsed = Json::parse(bad);
        ASSERT_FALSE(parsed.ok()) << bad;
        EXPECT_EQ(parsed.error().code, ErrorCode::VALIDATION_ERROR);
        EXPECT_TRUE(Json::parse(parsed.error().details).ok()) << parsed.error().details;
    }
}

TEST(JsonParse, refuses_text_that_is_not_utf8) {
    const std::string cases[] = {
        "\x80",              // continuation without lead
        "\xC3",              // lead without continuation
        "\xC3\x28",          // continuation missing
        "\xC0\xAF",          // overlong /
        "\xC1\xBF",          // overlong
        "\xE0\x9F\xBF",      // overlong
        "\xE2\x82",          // cut short
        "\xED\xA0\x80",      // high surrogate
        "\xED\xBF\xBF",      // low surrogate
        "\xF0\x8F\xBF\xBF",  // overlong
        "\xF0\x9F\x98",      // cut short
        "\xF4\x90\x80\x80",  // above U+10FFFF
        "\xF5\x80\x80\x80",  // no such lead
        "\xFF",
    };
    for (const std::string& bytes : cases) {
        for (const char* before : {"", "0123456789", "\u20ac"}) {
            EXPECT_FALSE(Json::parse("\"" + (before + bytes) + "\"").ok()) << bytes;
            EXPECT_FALSE(Json::parse("{\"" + (before + bytes) + "\":1}").ok()) << bytes;
            EXPECT_FALSE(Json::parse("\"" + (before + bytes)).ok()) << bytes;
        }
    }
}

TEST(JsonParse, refuses_lone_surrogates) {
    for (const char* text : {R"("\ud800")", R"("\udc00")", R"("\ud800\ud800")", R"("\ud800x")",
                             R"("\ud800\n")", R"("\ud800\u0041")", R"("\udc00\ud800")",
                             R"("\ud83d\ude0")", R"("\ud83d\")", R"("\uDFFF")"}) {
        EXPECT_FALSE(Json::parse(text).ok()) << text;
        EXPECT_FALSE(Json::parse("{"s + text + ":1}").ok()) << text;
    }
}

TEST(JsonParse, refuses_u0000_and_names_its_place) {
    const Result<Json> parsed = Json::parse(R"({"a": "x\u0000"})");
    ASSERT_FALSE(parsed.ok());
    EXPECT_EQ(parsed.error().details, R"({"offset":8,"line":1,"column":9})");
    EXPECT_FALSE(Json::parse(R"({"\u0000": 1})").ok());
}

TEST(JsonParse, refuses_nesting_deeper_than_128) {
    const auto nested = [](std::size_t depth, const std::string& open, const std::string& close) {
        std::string text;
        for (std::size_t i = 0; i < depth; ++i) {
            text += open;
        }
        text += "1";
        for (std::size_t i = 0; i < depth; ++i) {
            text += close;
        }
        return text;
    };
    EXPECT_TRUE(Json::parse(nested(128, "[", "]")).ok());
    EXPECT_FALSE(Json::parse(nested(129, "[", "]")).ok());
    EXPECT_TRUE(Json::parse(nested(128, "{\"a\":", "}")).ok());
    EXPECT_FALSE(Json::parse(nested(129, "{\"a\":", "}")).ok());
    // What an attacker sends: it must end in an error, not in the stack.
    EXPECT_FALSE(Json::parse(std::string(10'000'000, '[')).ok());
}

TEST(JsonParse, siblings_do_not_count_as_depth) {
    std::string text = "[";
    for (int i = 0; i < 300; ++i) {
        text += "[{}],";
    }
    EXPECT_TRUE(Json::parse(text + "[]]").ok());
}

TEST(JsonParse, refuses_a_repeated_key_and_points_at_the_second) {
    const Result<Json> parsed = Json::parse("{\"a\":1,\n \"b\":2,\n \"\\u0061\":3}");
    ASSERT_FALSE(parsed.ok());
    EXPECT_EQ(parsed.error().message, "line 3, column 2: this key is already in the object: \"a\"");
    EXPECT_EQ(parsed.error().details, R"({"offset":17,"line":3,"column":2})");
    EXPECT_FALSE(Json::parse(R"([{"x":{"":1,"":2}}])").ok());
}

TEST(JsonParse, points_at_a_repeated_key_behind_nested_objects) {
    const Result<Json> parsed = Json::parse(R"({"a":{"b":{"c":1},"d":2},"e":3,"a":4})");
    ASSERT_FALSE(parsed.ok());
    EXPECT_EQ(parsed.error().details, R"({"offset":31,"line":1,"column":32})");
}

std::string object_with_members(std::size_t count) {
    std::string text = "{";
    for (std::size_t i = 0; i < count; ++i) {
        text += "\"key" + std::to_string(i) + "\":" + std::to_string(i) + ",";
    }
    text.back() = '}';
    return text;
}

TEST(JsonParse, finds_repeated_keys_in_objects_of_every_size) {
    for (const std::size_t count : {1U, 2U, 15U, 16U, 17U, 18U, 100U, 5000U}) {
        const std::string good = object_with_members(count);
        EXPECT_TRUE(Json::parse(good).ok()) << count;
        for (const std::size_t repeated : {std::size_t{0}, count / 2, count - 1}) {
            std::string bad = good;
            bad.back() = ',';
            const std::size_t place = bad.size();
            bad += "\"key" + std::to_string(repeated) + "\":0}";
            const Result<Json> parsed = Json::parse(bad);
            ASSERT_FALSE(parsed.ok()) << count << " " << repeated;
            EXPECT_EQ(Json::parse(parsed.error().details)->find("offset")->as_int64(), place);
        }
    }
}

TEST(JsonParse, a_hundred_thousand_members_are_no_quadratic_work) {
    const std::string small = object_with_members(2'000);
    const std::string large = object_with_members(100'000);
    const auto expect_parsed = [](const std::string& text, std::size_t members) {
        const Result<Json> parsed = Json::parse(text);
        ASSERT_TRUE(parsed.ok());
        EXPECT_EQ(parsed->as_object()->size(), members);
    };
    EXPECT_LT(
        test::growth([&] { expect_parsed(small, 2'000); }, [&] { expect_parsed(large, 100'000); }),
        500);
}

struct Faulty {
    std::string text;
    std::string message;
    std::string details;
};

TEST(JsonParse, says_line_column_and_offset_of_the_first_fault) {
    const Faulty cases[] = {
        {"", "line 1, column 1: the text ends where a value is needed",
         R"({"offset":0,"line":1,"column":1})"},
        {"[1,\n  2,\n  x]", "line 3, column 3: this is not a JSON value",
         R"({"offset":11,"line":3,"column":3})"},
        {"{\"\u20ac\U0001F600\":1 2}", "line 1, column 9: a comma or } is needed here",
         R"({"offset":13,"line":1,"column":9})"},
        {"[1\n", "line 2, column 1: a comma or ] is needed here",
         R"({"offset":3,"line":2,"column":1})"},
        {"[01]", "line 1, column 3: a number has no leading zeros",
         R"({"offset":2,"line":1,"column":3})"},
        {"{\"a\":1}\n!", "line 2, column 1: nothing may follow the document",
         R"({"offset":8,"line":2,"column":1})"},
        {R"(["\q"])", "line 1, column 3: this escape does not exist in JSON",
         R"({"offset":2,"line":1,"column":3})"},
        {"{\"a\" 1}", "line 1, column 6: a colon is needed here",
         R"({"offset":5,"line":1,"column":6})"},
        {"{\"a\":1,}", "line 1, column 8: a key in quotes is needed here",
         R"({"offset":7,"line":1,"column":8})"},
        {"\"a\nb\"", "line 1, column 3: a control character in a string must be escaped",
         R"({"offset":2,"line":1,"column":3})"},
    };
    for (const Faulty& bad : cases) {
        const Result<Json> parsed = Json::parse(bad.text);
        ASSERT_FALSE(parsed.ok()) << bad.text;
        EXPECT_EQ(parsed.error().message, bad.message) << bad.text;
        EXPECT_EQ(parsed.error().details, bad.details) << bad.text;
    }
}

TEST(JsonParse, every_prefix_of_a_document_is_refused_without_reading_past_its_end) {
    const std::string text =
        R"({"k\u00e9\ud83d\ude00y":[1,-2.5e+3,true,false,null,"long enough for words",{}],"b":{"c":""}})";
    ASSERT_TRUE(Json::parse(text).ok());
    for (std::size_t length = 0; length < text.size(); ++length) {
        // A copy of exactly this size: a sanitizer sees the first byte read too many.
        const std::vector<char> prefix(text.begin(),
                                       text.begin() + static_cast<std::ptrdiff_t>(length));
        EXPECT_FALSE(Json::parse({prefix.data(), prefix.size()}).ok()) << length;
    }
}

}  // namespace
}  // namespace jobforge
