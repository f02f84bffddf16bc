// The published examples of RFC 8785 and of its reference implementation, without fractions, which
// BPC-CJSON-1 refuses.
#include "base/json/canonical.h"

#include <gtest/gtest.h>

#include "base/crypto/hash.h"

namespace jobforge {
namespace {

using namespace std::string_literals;

Result<std::string> canonical_of(std::string_view text) {
    const Result<Json> parsed = Json::parse(text);
    EXPECT_TRUE(parsed.ok()) << text;
    return canonical(parsed.ok() ? *parsed : Json());
}

struct Vector {
    std::string_view text;
    std::string_view canonical;
};

TEST(Canonical, matches_the_published_vectors_byte_for_byte) {
    const Vector vectors[] = {
        // RFC 8785, section 3.2.2 (strings and literals)
        {R"({"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]})",
         "{\"literals\":[null,true,false],\"string\":\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"},
        // RFC 8785, section 3.2.3 (sorting): U+1F600 is before U+FB33 by its surrogates
        {R"({"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",)"
         R"("1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control",)"
         R"("\u00f6":"Latin Small Letter O With Diaeresis"})",
         "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
         "\"\u00f6\":\"Latin Small Letter O With Diaeresis\",\"\u20ac\":\"Euro Sign\","
         "\"\U0001F600\":\"Emoji: Grinning Face\",\"\uFB33\":\"Hebrew Letter Dalet With Dagesh\"}"},
        // arrays.json, french.json, structures.json, unicode.json, weird.json
        {R"([56, {"d": true, "10": null, "1": [ ]}])", R"([56,{"1":[],"10":null,"d":true}])"},
        {"{\"peach\":\"This sorting order\",\"p\u00e9ch\u00e9\":\"is "
         "wrong\",\"p\u00eache\":\"but\","
         "\"sin\":\"ignore locale\"}",
         "{\"peach\":\"This sorting order\",\"p\u00e9ch\u00e9\":\"is "
         "wrong\",\"p\u00eache\":\"but\","
         "\"sin\":\"ignore locale\"}"},
        {R"({"1":{"f":{"f":"hi","F":5},"\n":56},"10":{},"":"empty","a":{},)"
         R"("111":[{"e":"yes","E":"no"}],"A":{}})",
         R"({"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],)"
         R"("A":{},"a":{}})"},
        {R"({"Unnormalized Unicode":"A\u030a"})", "{\"Unnormalized Unicode\":\"A\u030a\"}"},
        {R"({"\u20ac":"Euro Sign","\r":"Carriage Return","\u000a":"Newline","1":"One",)"
         R"("\u0080":"Control\u007f","\ud83d\ude02":"Smiley","\u00f6":"o","\ufb33":"Dalet",)"
         R"("</script>":"Browser Challenge"})",
         "{\"\\n\":\"Newline\",\"\\r\":\"Carriage Return\",\"1\":\"One\",\"</script>\":\"Browser "
         "Challenge\",\"\u0080\":\"Control\x7f\",\"\u00f6\":\"o\",\"\u20ac\":\"Euro Sign\","
         "\"\U0001F602\":\"Smiley\",\"\uFB33\":\"Dalet\"}"},
        // the whole set of escapes
        {R"("\u0001\b\t\n\u000b\f\r\u001f \"\\\/")", R"("\u0001\b\t\n\u000b\f\r\u001f \"\\/")"},
    };
    for (const Vector& vector : vectors) {
        const Result<std::string> text = canonical_of(vector.text);
        ASSERT_TRUE(text.ok()) << text.error().describe();
        EXPECT_EQ(*text, vector.canonical);
    }
}

TEST(Canonical, has_the_hash_of_the_format_page) {
    const Result<std::string> text = canonical_of(R"({"b":2,"a":1})");
    ASSERT_TRUE(text.ok());
    EXPECT_EQ(*text, R"({"a":1,"b":2})");
    EXPECT_EQ(sha256_hex(*text),
              "43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777");
}

TEST(Canonical, integers_of_53_bits_pass_and_minus_zero_is_zero) {
    EXPECT_EQ(*canonical_of("[0,-0,7,-7,9007199254740991,-9007199254740991]"),
              "[0,0,7,-7,9007199254740991,-9007199254740991]");
}

TEST(Canonical, refuses_every_other_number_and_names_its_place) {
    for (const std::string number : {"1.0", "0.5", "1e2", "-0.0", "9007199254740992",
                                     "-9007199254740992", "123456789012345678901234567890"}) {
        const Result<std::string> text = canonical_of(R"({"a/b":[0,{"c~":)" + number + "}]}");
        ASSERT_FALSE(text.ok()) << number;
        EXPECT_EQ(text.error().code, ErrorCode::CANONICAL_NUMBER_NOT_ALLOWED);
        EXPECT_EQ(text.error().details, R"({"pointer":"/a~1b/1/c~0"})");
    }
    EXPECT_EQ(canonical_of("1.5").error().details, R"({"pointer":""})");
}

TEST(Canonical, refuses_built_values_that_have_no_one_form) {
    const Json::Object twice = {{"a", 1}, {"b", 2}, {"a", 3}};
    for (const Json& value : {Json(twice), Json("\xFF"), Json("\xED\xA0\x80"), Json("a\0b"s),
                              Json::object({{"\xC0\x80", 1}}), Json::object({{"\0"s, 1}})}) {
        const Result<std::string> text = canonical(value);
        ASSERT_FALSE(text.ok()) << value.dump();
        EXPECT_EQ(text.error().code, ErrorCode::VALIDATION_ERROR);
    }
}

TEST(Canonical, refuses_nesting_deeper_than_128) {
    const auto nested = [](int depth) {
        Json value = Json::array();
        for (int i = 1; i < depth; ++i) {
            value = i % 2 == 0 ? Json::array({value}) : Json::object({{"a", value}});
        }
        return value;
    };
    EXPECT_TRUE(canonical(nested(128)).ok());
    EXPECT_FALSE(canonical(nested(129)).ok());
}

}  // namespace
}  // namespace jobforge
