// RFC 8259 case by case, in the manner of the public parsing test suites: what is JSON, what is
// not, and what is JSON but refused by Json::parse, whose documents must have one meaning.
#include <jobforge/json.h>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/json/json_check.h"

namespace jobforge {
namespace {

using namespace std::string_literals;

const std::vector<std::string>& taken_by_both() {
    static const std::vector<std::string> kCases = {
        // arrays
        "[]",
        "[ ]",
        "[\n]",
        "[[]]",
        "[[]   ]",
        "[\"\"]",
        "[\"a\"]",
        "[false]",
        "[null, 1, \"1\", {}]",
        "[null]",
        "[1\n]",
        " [1]",
        "[1,null,null,null,2]",
        "[2] ",
        "[[[[[[[[]]]]]]]]",
        "[[],[[]],{}]",
        "[\t1 ,\r\n2 ]",
        // numbers
        "[123e65]",
        "[0e+1]",
        "[0e1]",
        "[ 4]",
        "[-0.000000000000000000000000000000000000000001]",
        "[20e1]",
        "[-0]",
        "[-123]",
        "[-1]",
        "[1E22]",
        "[1E-2]",
        "[1E+2]",
        "[123e45]",
        "[123.456e78]",
        "[1e-2]",
        "[1e+2]",
        "[123]",
        "[123.456789]",
        "[0.1]",
        "[1e308]",
        "[1e400]",
        "[-1e-9999]",
        "[0.0e0]",
        "[9007199254740993]",
        "[100000000000000000000]",
        "0",
        "-0",
        "-0.0",
        "10.0100",
        "[" + std::string(309, '9') + "]",
        "1e" + std::string(100, '9'),
        // objects
        "{\"asd\":\"sdf\", \"dfg\":\"fgh\"}",
        "{\"asd\":\"sdf\"}",
        "{}",
        "{ }",
        "{\"\":0}",
        "{ \"min\": -1.0e+28, \"max\": 1.0e+28 }",
        "{\"a\":[]}",
        "{\"a\":{\"a\":{\"a\":{}}}}",
        "{\n\"a\": \"b\"\n}",
        "{\"a\" :\t1}",
        R"({"x":[{"id": "xxxx"}], "id": "yyyy"})",
        R"({"title":"\u041f\u043e\u043b\u0442\u043e\u0440\u0430"})",
        R"({"a\"b":1})",
        R"({"\u0061":1})",
        // strings
        R"(["\u0060\u012a\u12AB"])",
        R"(["\ud801\udc37"])",
        R"(["\ud83d\ude39\ud83d\udc8d"])",
        R"(["\"\\\/\b\f\n\r\t"])",
        R"(["\\u0000"])",
        R"(["\""])",
        "[\"a/*b*/c/*d//e\"]",
        R"(["\\a"])",
        R"(["\\n"])",
        R"(["\u0012"])",
        R"(["\uFFFF"])",
        "[ \"asd\"]",
        R"(["\uDBFF\uDFFF"])",
        R"(["new\u00A0line"])",
        "[\"\U0010FFFF\"]",
        "[\"\uFFFF\"]",
        R"(["\u002c"])",
        "[\"\u03c0\"]",
        "[\"\U0001BFFF\"]",
        "\" \"",
        R"(["\uD834\uDd1e"])",
        R"(["\u0821"])",
        R"(["\u0123"])",
        "[\"\u2028\"]",
        "[\"\u2029\"]",
        R"(["\u0061\u30af\u30EA\u30b9"])",
        R"(["new\u000Aline"])",
        "[\"\x7f\"]",
        R"(["\uA66D"])",
        R"(["\u005C"])",
        "[\"\u2342\u3237\u31b7\"]",
        R"(["\u200B"])",
        R"(["\u2064"])",
        R"(["\uFDD0"])",
        R"(["\uFFFE"])",
        R"(["\u0022"])",
        "[\"a\x7f a\"]",
        R"("\/")",
        "\"0123456789abcdef\"",
        "\"0123456789abcde\u00e9f\"",
        // structure
        "false",
        "42",
        "-0.1",
        "null",
        "\"asd\"",
        "true",
        "\"\"",
        "[\"a\"]\n",
        "[true]",
        " [] ",
        "\r\n\t true \t\r\n",
    };
    return kCases;
}

const std::vector<std::string>& grammar_only() {
    static const std::vector<std::string> kCases = {
        R"({"a":"b","a":"c"})",
        R"({"a":"b","a":"b"})",
        R"({"a":1,"\u0061":2})",
        R"({"":1,"":2})",
        R"({"x":{"b":1,"b":1}})",
        R"({"foo\u0000bar": 42})",
        R"(["\u0000"])",
        R"(["\uD800"])",
        R"(["\uDC00"])",
        R"(["\uD800\uD800\n"])",
        R"(["\uD888\u1234"])",
        R"(["\uDd1e\uD834"])",
        R"(["\uD800abc"])",
        R"(["\uDFAA"])",
        R"({"\uDFAA":0})",
        std::string(129, '[') + std::string(129, ']'),
        std::string(500, '[') + std::string(500, ']'),
        std::string(100'000, '[') + std::string(100'000, ']'),
    };
    return kCases;
}

const std::vector<std::string>& refused() {
    static const std::vector<std::string> kCases = {
        // arrays
        "[1 true]",
        "[a\xE5]",
        "[\"\": 1]",
        "[\"\"],",
        "[,1]",
        "[1,,2]",
        "[\"x\",,]",
        "[\"x\"]]",
        "[\"\",]",
        "[\"x\"",
        "[x",
        "[3[4]]",
        "[\xFF]",
        "[1:2]",
        "[,]",
        "[-]",
        "[   , \"\"]",
        "[\"a\",\n4\n,1,",
        "[1,]",
        "[1,,]",
        "[\"\va\"\\f]",
        "[*]",
        "[\"\"",
        "[1,",
        "[1,\n1\n,1",
        "[{}",
        "[1;2]",
        "[(1)]",
        "[\"a\" \"b\"]",
        // literals
        "[fals]",
        "[nul]",
        "[tru]",
        "[True]",
        "[NULL]",
        "[undefined]",
        "nan",
        "[truee]",
        "[falsey]",
        "[nullnull]",
        "[n",
        "[t",
        "[f",
        "[ture]",
        // numbers
        "[++1234]",
        "[+1]",
        "[+Inf]",
        "[-01]",
        "[-1.0.]",
        "[-2.]",
        "[-NaN]",
        "[.-1]",
        "[.2e-3]",
        "[0.1.2]",
        "[0.3e+]",
        "[0.3e]",
        "[0.e1]",
        "[0E+]",
        "[0E]",
        "[0e+]",
        "[0e]",
        "[1.0e+]",
        "[1.0e-]",
        "[1.0e]",
        "[1 000.0]",
        "[1eE2]",
        "[2.e+3]",
        "[2.e-3]",
        "[2.e3]",
        "[9.e+]",
        "[Inf]",
        "[NaN]",
        "[\uFF11]",
        "[1+2]",
        "[0x1]",
        "[0x42]",
        "[Infinity]",
        "[0e+-1]",
        "[-123.123foo]",
        "[123\xE5]",
        "[1e1\xE5]",
        "[0\xE5]",
        "[-Infinity]",
        "[-foo]",
        "[- 1]",
        "[-012]",
        "[-.123]",
        "[-1x]",
        "[1ea]",
        "[1e\xE5]",
        "[1.]",
        "[.123]",
        "[1.2a-3]",
        "[1.8011670033376514H-308]",
        "[012]",
        "00",
        "1_000",
        "1e5.5",
        "--1",
        "1-",
        "1.2.3",
        "0b1",
        "1d",
        "1L",
        // objects
        "[\"x\", truth]",
        "{[: \"x\"}",
        "{\"x\", null}",
        "{\"x\"::\"b\"}",
        "{\U0001F1E8\U0001F1ED}",
        "{\"a\":\"a\" 123}",
        "{key: 'value'}",
        "{\"\xB9\":\"0\",}",
        "{\"a\" b}",
        "{:\"b\"}",
        "{\"a\" \"b\"}",
        "{\"a\":",
        "{\"a\"",
        "{1:1}",
        "{9999E9999:1}",
        "{null:null,null:null}",
        "{\"id\":0,,,,,}",
        "{'a':0}",
        "{\"id\":0,}",
        "{\"a\":\"b\"}/**/",
        "{\"a\":\"b\"}/**//",
        "{\"a\":\"b\"}//",
        "{\"a\":\"b\"}/",
        "{\"a\":\"b\",,\"c\":\"d\"}",
        "{a: \"b\"}",
        "{\"a\":\"a",
        "{ \"foo\" : \"bar\", \"a\" }",
        "{\"a\":\"b\"}#",
        "{\"a\":1,",
        "{,}",
        "{\"a\":1]",
        "{\"a\":}",
        "{\"a\";1}",
        "{{}}",
        "{true:1}",
        // strings
        R"(["\uD800\"])",
        R"(["\uD800\u"])",
        R"(["\uD800\u1"])",
        R"(["\uD800\u1x"])",
        "[\u00e9]",
        "[\"\\\0\"]"s,
        R"(["\x00"])",
        R"(["\\\"])",
        "[\"\\\t\"]",
        "[\"\\\U0001F300\"]",
        R"(["\"])",
        R"(["\u00A"])",
        R"(["\uD834\uDd"])",
        R"(["\uD800\uD800\x"])",
        "[\"\\u\xE5\"]",
        R"(["\a"])",
        R"(["\uqqqq"])",
        "[\"\\\xE5\"]",
        "[\\u0020\"asd\"]",
        R"([\n])",
        "\"",
        "['single quote']",
        "abc",
        "[\"\\",
        "[\"a\0a\"]"s,
        "[\"new\nline\"]",
        "[\"\t\"]",
        R"("\UA66D")",
        "\"\"x",
        "[\"\x1f\"]",
        "\"\x80\"",
        "\"\xC0\x80\"",
        "\"\xED\xA0\x80\"",
        "\"\xF4\x90\x80\x80\"",
        "\"\xE2\x82\"",
        "\"\xF8\x88\x80\x80\x80\"",
        "\"a\\",
        "\"\\u12",
        "\"\\u123g\"",
        "'",
        "`a`",
        // structure
        "",
        " ",
        "\n",
        "\uFEFF",
        "\uFEFF{}",
        "<.>",
        "[<null>]",
        "[1]x",
        "[1]]",
        "[\"asd]",
        "a\xC3\xA5",
        "1]",
        "{\"x\": true,",
        "[][]",
        "]",
        "\xEF\xBB{}",
        "\xE5",
        "[",
        "2@",
        "{}}",
        "{\"\":",
        "{\"a\":/*comment*/\"b\"}",
        "{\"a\": true} \"x\"",
        "['",
        "[,",
        "[{",
        "[\"a",
        "{",
        "{]",
        "{[",
        "{\"a",
        "{'a'",
        "[\"\\{[\"\\{[\"\\{[\"\\{",
        "\xE9",
        "*",
        "{\"a\":\"b\"}#{}",
        "[\\u000A\"\"]",
        "[1",
        "[ false, nul",
        "[ true, fals",
        "[ false, tru",
        "{\"asd\":\"asd\"",
        "\u00e5",
        "[\u2060]",
        "\uFEFF ",
        "[\f]",
        "[\v1]",
        "\u00a0[]",
        "\0"s,
        "[]\0"s,
        "1\0"s,
        "// 1",
        "/* 1 */ 1",
        "1 # one",
        "[1,\0 2]"s,
        "\x1b[1]",
        ":",
        ",",
        "{\"a\":[}",
        "[{\"a\":]}",
        std::string(100'000, '['),
        "{\"a\":"s + std::string(50'000, '['),
    };
    return kCases;
}

std::string shown(const std::string& text) {
    return json_quote(text.substr(0, 80));
}

TEST(JsonConformance, the_list_is_long_and_has_no_case_twice) {
    std::set<std::string> all;
    for (const auto* list : {&taken_by_both(), &grammar_only(), &refused()}) {
        for (const std::string& text : *list) {
            EXPECT_TRUE(all.insert(text).second) << shown(text);
        }
    }
    EXPECT_GE(all.size(), 250U);
}

TEST(JsonConformance, json_is_taken_by_the_grammar_and_by_the_parser) {
    for (const std::string& text : taken_by_both()) {
        const Status checked = check_json(text);
        EXPECT_TRUE(checked.ok()) << shown(text) << checked.error().describe();
        const Result<Json> parsed = Json::parse(text);
        EXPECT_TRUE(parsed.ok()) << shown(text) << parsed.error().describe();
    }
}

TEST(JsonConformance, json_without_one_meaning_is_taken_by_the_grammar_only) {
    for (const std::string& text : grammar_only()) {
        const Status checked = check_json(text);
        EXPECT_TRUE(checked.ok()) << shown(text) << checked.error().describe();
        EXPECT_FALSE(Json::parse(text).ok()) << shown(text);
    }
}

TEST(JsonConformance, all_else_is_refused_by_both_with_one_message_and_place) {
    for (const std::string& text : refused()) {
        const Status checked = check_json(text);
        ASSERT_FALSE(checked.ok()) << shown(text);
        EXPECT_EQ(checked.error().code, ErrorCode::VALIDATION_ERROR);
        const Result<Json> parsed = Json::parse(text);
        ASSERT_FALSE(parsed.ok()) << shown(text);
        // The parser may stop earlier, at a rule the grammar does not have.
        const auto offset = [](const Error& error) {
            return *Json::parse(error.details)->find("offset")->as_int64();
        };
        EXPECT_LE(offset(parsed.error()), offset(checked.error())) << shown(text);
        if (offset(parsed.error()) == offset(checked.error())) {
            EXPECT_EQ(parsed.error().message, checked.error().message) << shown(text);
        }
    }
}

TEST(JsonConformance, the_check_names_the_place_of_the_fault) {
    const Status checked = check_json("{\"a\": [1,\n  \"\u20ac\" 2]}");
    ASSERT_FALSE(checked.ok());
    EXPECT_EQ(checked.error().message, "line 2, column 7: a comma or ] is needed here");
    EXPECT_EQ(checked.error().details, R"({"offset":18,"line":2,"column":7})");
}

TEST(JsonConformance, every_prefix_of_a_document_is_refused_without_reading_past_its_end) {
    const std::string text =
        R"({"k\u00e9\ud83d\ude00y":[1,-2.5e+3,true,false,null,"sixteen and more bytes"],"b":{"c":""}})";
    ASSERT_TRUE(check_json(text).ok());
    for (std::size_t length = 0; length < text.size(); ++length) {
        const std::vector<char> prefix(text.begin(),
                                       text.begin() + static_cast<std::ptrdiff_t>(length));
        EXPECT_FALSE(check_json({prefix.data(), prefix.size()}).ok()) << length;
    }
}

}  // namespace
}  // namespace jobforge
