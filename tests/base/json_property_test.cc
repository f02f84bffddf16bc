// Properties that hold for every value and every text, searched for counter-examples.
#include <jobforge/json.h>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "base/json/canonical.h"
#include "base/text/utf8.h"

namespace jobforge {
namespace {

rc::Gen<std::string> any_text() {
    // Scalar values but U+0000, with small ones (escapes, ASCII) as likely as large ones.
    const auto code_point = rc::gen::oneOf(
        rc::gen::inRange<int>(1, 0x80), rc::gen::inRange<int>(0x80, 0xD800),
        rc::gen::inRange<int>(0xE000, 0x10000), rc::gen::inRange<int>(0x10000, 0x110000));
    return rc::gen::map(rc::gen::container<std::vector<int>>(code_point),
                        [](const std::vector<int>& code_points) {
                            std::string text;
                            for (const int c : code_points) {
                                utf8_append(text, static_cast<char32_t>(c));
                            }
                            return text;
                        });
}

rc::Gen<Json> any_number() {
    return rc::gen::map(
        rc::gen::tuple(rc::gen::arbitrary<std::int64_t>(), rc::gen::inRange(0, 1000),
                       rc::gen::inRange(-400, 400), rc::gen::inRange(0, 4)),
        [](const std::tuple<std::int64_t, int, int, int>& parts) {
            const auto& [whole, fraction, exponent, form] = parts;
            std::string text = std::to_string(whole);
            text += (form & 1) != 0 ? "." + std::to_string(fraction) : "";
            text += (form & 2) != 0 ? "e" + std::to_string(exponent) : "";
            return *Json::number(text);
        });
}

rc::Gen<Json> any_json(int depth);

rc::Gen<Json> any_object(int depth) {
    const auto members = rc::gen::container<std::vector<std::pair<std::string, Json>>>(
        rc::gen::pair(any_text(), any_json(depth - 1)));
    return rc::gen::map(members, [](const std::vector<std::pair<std::string, Json>>& drawn) {
        std::set<std::string> keys;
        Json::Object object;
        for (const auto& [key, value] : drawn) {
            if (keys.insert(key).second) {
                object.emplace_back(key, value);
            }
        }
        return Json(object);
    });
}

rc::Gen<Json> any_json(int depth) {
    const auto text = rc::gen::map(any_text(), [](std::string drawn) { return Json(drawn); });
    const auto flag =
        rc::gen::map(rc::gen::arbitrary<bool>(), [](bool drawn) { return Json(drawn); });
    const auto scalar = rc::gen::oneOf(rc::gen::just(Json()), flag, any_number(), text);
    if (depth == 0) {
        return scalar;
    }
    const auto array = rc::gen::map(rc::gen::container<std::vector<Json>>(any_json(depth - 1)),
                                    [](const std::vector<Json>& drawn) { return Json(drawn); });
    return rc::gen::oneOf(scalar, array, any_object(depth));
}

TEST(JsonProperty, parsing_what_was_dumped_gives_the_value_back) {
    EXPECT_TRUE(rc::check("parse(dump(x)) == x", [] {
        const Json value = *rc::gen::resize(8, any_json(3));
        const Result<Json> compact = Json::parse(value.dump());
        RC_ASSERT(compact.ok());
        RC_ASSERT(*compact == value);
        RC_ASSERT(compact->dump() == value.dump());
        const Result<Json> pretty = Json::parse(value.pretty());
        RC_ASSERT(pretty.ok());
        RC_ASSERT(*pretty == value);
    }));
}

TEST(JsonProperty, canonical_text_does_not_depend_on_the_order_of_members) {
    EXPECT_TRUE(rc::check("canonical(shuffled) == canonical(x)", [] {
        const Json value = *rc::gen::resize(12, any_object(1));
        Json::Object members = *value.as_object();
        // Most drawn numbers have no canonical form.
        std::erase_if(members,
                      [](const Json::Member& member) { return member.second.is_number(); });
        Json::Object reversed(members.rbegin(), members.rend());
        const Result<std::string> text = canonical(Json(members));
        RC_ASSERT(text.ok());
        RC_ASSERT(*text == *canonical(Json(reversed)));
        RC_ASSERT(*Json::parse(*text) == Json(members));
    }));
}

RC_GTEST_PROP(JsonFuzz, random_bytes_never_crash_and_quoting_them_always_parses,
              (const std::string& bytes)) {
    static_cast<void>(Json::parse(bytes));
    const Result<Json> quoted = Json::parse(json_quote(bytes));
    RC_ASSERT(quoted.ok());
    if (utf8_first_fault(bytes) == std::string::npos && bytes.find('\0') == std::string::npos) {
        RC_ASSERT(*quoted->as_string() == bytes);
    }
}

// One byte changed in a good document: mostly still near-JSON, which random bytes never are.
TEST(JsonFuzz, a_changed_byte_is_refused_or_gives_a_value_that_survives_a_round_trip) {
    EXPECT_TRUE(rc::check("mutated text", [] {
        std::string text = (*rc::gen::resize(6, any_json(2))).dump();
        const auto place = *rc::gen::inRange<std::size_t>(0, text.size());
        text[place] = *rc::gen::element('"', '\\', '{', '}', '[', ']', ',', ':', '0', '-', 'e', '.',
                                        'u', '\n', '\x80', '\xED', '\0');
        const Result<Json> parsed = Json::parse(text);
        if (parsed.ok()) {
            RC_ASSERT(*Json::parse(parsed->dump()) == *parsed);
        }
    }));
}

}  // namespace
}  // namespace jobforge
