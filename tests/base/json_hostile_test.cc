// Input made to hurt: it ends in a value or in a clear error, in bounded time and memory.
#include <jobforge/json.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

#include "base/json/canonical.h"
#include "base/json/json_check.h"
#include "processor_time.h"

namespace jobforge {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

std::string utf16(std::string_view ascii, bool little) {
    std::string out;
    for (const char c : ascii) {
        out += little ? std::string{c, '\0'} : std::string{'\0', c};
    }
    return out;
}

struct Foreign {
    std::string text;
    std::string advice;
};

TEST(JsonHostile, a_text_in_another_encoding_is_told_so) {
    const std::string json = R"({"a":1})";
    const Foreign cases[] = {
        {"\xEF\xBB\xBF" + json, "byte order mark (EF BB BF); save it as UTF-8 without one"},
        {"\xFF\xFE" + utf16(json, true), "this is UTF-16"},
        {"\xFE\xFF" + utf16(json, false), "this is UTF-16"},
        {utf16(json, true), "looks like UTF-16"},
        {utf16(json, false), "looks like UTF-16"},
        {"\xFF\xFE\0\0{\0\0\0"s, "this is UTF-32"},
        {"\0\0\xFE\xFF\0\0\0{"s, "this is UTF-32"},
        {"\0\0\0{"s, "looks like UTF-32"},
    };
    for (const Foreign& foreign : cases) {
        const Result<Json> parsed = Json::parse(foreign.text);
        ASSERT_FALSE(parsed.ok());
        EXPECT_THAT(parsed.error().message, HasSubstr("line 1, column 1: "));
        EXPECT_THAT(parsed.error().message, HasSubstr(foreign.advice));
        EXPECT_EQ(check_json(foreign.text).error().message, parsed.error().message);
    }
}

TEST(JsonHostile, numbers_of_any_size_are_kept_digit_by_digit) {
    for (const std::string& text :
         {std::string(309, '9'), "-"s + std::string(100'000, '8'), "1e308"s, "1e309"s, "-1E+99999"s,
          "1e" + std::string(1000, '9'), "0." + std::string(1000, '0') + "1", std::string(32, '7'),
          std::string(33, '7')}) {
        const Result<Json> parsed = Json::parse(text);
        ASSERT_TRUE(parsed.ok());
        EXPECT_EQ(parsed->number_text(), text);
        EXPECT_EQ(Json(*parsed).dump(), text);
        EXPECT_EQ(parsed->as_int64(), std::nullopt);
        EXPECT_EQ(canonical(*parsed).error().code, ErrorCode::CANONICAL_NUMBER_NOT_ALLOWED);
    }
}

TEST(JsonHostile, a_long_number_is_quoted_in_part_only) {
    const Result<std::string> text =
        canonical(*Json::parse("[" + std::string(1'000'000, '1') + "]"));
    ASSERT_FALSE(text.ok());
    EXPECT_LT(text.error().message.size(), 200U);
}

TEST(JsonHostile, nesting_ends_at_128_levels_however_it_is_made) {
    const auto repeated = [](const std::string& piece, int times) {
        std::string text;
        for (int i = 0; i < times; ++i) {
            text += piece;
        }
        return text;
    };
    for (const char* piece : {"[", "{\"a\":", "[{\"a\":", "[0,", "{\"a\":0,\"b\":", " [ "}) {
        const Result<Json> parsed = Json::parse(repeated(piece, 100'000));
        ASSERT_FALSE(parsed.ok());
        EXPECT_THAT(parsed.error().message, HasSubstr("nested deeper than 128 levels"));
        EXPECT_FALSE(check_json(repeated(piece, 100'000)).ok());  // never closed
    }
}

TEST(JsonHostile, a_value_built_a_million_levels_deep_is_moved_and_destroyed_without_stack) {
    Json value = 1;
    for (int level = 0; level < 1'000'000; ++level) {
        Json around;
        if (level % 2 == 0) {
            around.push_back("before").push_back(std::move(value)).push_back("behind");
        } else {
            around.set("k", std::move(value));
        }
        value = std::move(around);
    }
    Json moved = std::move(value);
    EXPECT_TRUE(value.is_null());
    EXPECT_EQ(moved.as_object()->size(), 1U);
    moved = Json();
    EXPECT_TRUE(moved.is_null());
}

TEST(JsonHostile, a_part_can_be_assigned_to_the_whole) {
    Json value = *Json::parse(R"([0,[1,{"a":["deep enough to be on the heap"]}]])");
    Json::Array* const items = const_cast<Json::Array*>(value.as_array());
    value = std::move((*items)[1]);
    EXPECT_EQ(value.dump(), R"([1,{"a":["deep enough to be on the heap"]}])");
    value = (*value.as_array())[1];
    EXPECT_EQ(value.dump(), R"({"a":["deep enough to be on the heap"]})");
    value = *&value;
    EXPECT_EQ(value.find("a")->as_array()->size(), 1U);
}

std::string records_of(std::size_t bytes) {
    std::string list = "[";
    while (list.size() < bytes) {
        list += R"({"id":123456,"name":"some name or other","tags":["a","b"],"x":null},)";
    }
    list.back() = ']';
    return list;
}

// Two hundred times the bytes: as many times the work, up to ten times more where the small text
// stays in the processor's caches and the large one's memory comes page by page; not 40,000.
TEST(JsonHostile, fifty_megabytes_are_read_in_linear_time) {
    constexpr std::size_t kLarge = 50'000'000, kSmall = kLarge / 200;
    const auto expect_linear = [](const std::string& small, const std::string& large,
                                  const std::function<bool(const std::string&)>& reads,
                                  bool readable) {
        EXPECT_LT(test::growth([&] { EXPECT_EQ(reads(small), readable); },
                               [&] { EXPECT_EQ(reads(large), readable); }),
                  8'000);
    };
    const auto parses = [](const std::string& text) { return Json::parse(text).ok(); };
    const std::string small = records_of(kSmall), large = records_of(kLarge);
    expect_linear(small, large, parses, true);
    expect_linear(small + "\xFF", large + "\xFF", parses, false);
    expect_linear(
        small, large, [](const std::string& text) { return check_json(text).ok(); }, true);
    expect_linear(std::string(kSmall, ' '), std::string(kLarge, ' '), parses, false);
    expect_linear("\"" + std::string(kSmall, 'x') + "\"", "\"" + std::string(kLarge, 'x') + "\"",
                  parses, true);
}

// MurmurHash64A as libstdc++ hashes strings, and back: the second half of a key is computed from
// the first so that all keys have one hash.
class EqualHashes final {
public:
    // 16 printable characters that make the same hash as all others from here.
    std::string next() {
        for (;;) {
            char key[16] = {'k'};
            std::uint64_t left = counter_++;
            for (int i = 1; i < 8; ++i, left /= 26) {
                key[i] = static_cast<char>('a' + left % 26);
            }
            std::uint64_t first = 0;
            std::memcpy(&first, key, 8);
            const std::uint64_t second = unmixed((kStart ^ mixed(first)) * kMultiplier ^ kTarget);
            std::memcpy(key + 8, &second, 8);
            if (is_plain(key + 8)) {
                return {key, sizeof key};
            }
        }
    }

private:
    static bool is_plain(const char* eight) {
        for (int i = 0; i < 8; ++i) {
            const char c = eight[i];
            if (c < 0x20 || c == 0x7F || c == '"' || c == '\\') {
                return false;
            }
        }
        return true;
    }

    static constexpr std::uint64_t kMultiplier = 0xC6A4A7935BD1E995ULL;
    static constexpr std::uint64_t kInverse = 0x5F7A0EA7E59B19BDULL;
    static constexpr std::uint64_t kStart = 0xC70F6907ULL ^ (16 * kMultiplier);
    static constexpr std::uint64_t kTarget = 0x123456789ABCDEFULL;

    static std::uint64_t mixed(std::uint64_t k) {
        k *= kMultiplier;
        return (k ^ (k >> 47U)) * kMultiplier;
    }
    static std::uint64_t unmixed(std::uint64_t k) {
        k *= kInverse;
        return (k ^ (k >> 47U)) * kInverse;
    }

    std::uint64_t counter_ = 0;
};

TEST(JsonHostile, keys_computed_to_have_one_hash_are_no_quadratic_work) {
    constexpr int kKeys = 4'000;
    EqualHashes keys;
    std::string text = "{";
    std::string ordinary = "{";
    const std::string first = keys.next();
    std::string key = first;
    for (int i = 0; i < kKeys; ++i) {
        ASSERT_EQ(std::hash<std::string_view>{}(key), std::hash<std::string_view>{}(first))
            << "the standard library hashes strings in another way: compute collisions anew";
        text += "\"" + key + "\":0,";
        ordinary += fmt::format("\"{:016}\":0,", i);
        key = keys.next();
    }
    text.back() = '}';
    ordinary.back() = '}';
    // The table gives up on them and the keys are sorted: about six times the work of keys that do
    // not collide. Comparing all pairs is over a hundred times.
    EXPECT_LT(test::growth([&] { EXPECT_TRUE(Json::parse(ordinary).ok()); },
                           [&] { EXPECT_TRUE(Json::parse(text).ok()); }),
              40);
    text.back() = ',';
    const std::size_t place = text.size();
    const Result<Json> repeated = Json::parse(text + "\"" + first + "\":0}");
    ASSERT_FALSE(repeated.ok());
    EXPECT_EQ(Json::parse(repeated.error().details)->find("offset")->as_int64(), place);
}

TEST(JsonHostile, a_million_keys_are_near_linear_work) {
    for (const std::string& prefix : {""s, "\\u0070"s}) {
        const auto object_of = [&prefix](int count) {
            std::string text = "{";
            for (int i = 0; i < count; ++i) {
                text += "\"" + prefix + std::to_string(i) + "\":0,";
            }
            text.back() = '}';
            return text;
        };
        const auto expect_parsed = [](const std::string& text, std::size_t count) {
            const Result<Json> parsed = Json::parse(text);
            ASSERT_TRUE(parsed.ok());
            EXPECT_EQ(parsed->as_object()->size(), count);
        };
        const std::string small = object_of(20'000), large = object_of(1'000'000);
        EXPECT_LT(test::growth([&] { expect_parsed(small, 20'000); },
                               [&] { expect_parsed(large, 1'000'000); }),
                  500);
    }
}

TEST(JsonHostile, keys_of_every_length_that_differ_in_one_byte_are_told_apart) {
    for (std::size_t length = 1; length <= 20; ++length) {
        for (std::size_t place = 0; place < length; ++place) {
            std::string one(length, 'a');
            std::string other = one;
            other[place] = 'b';
            const auto object = [](const std::string& a, const std::string& b) {
                return "{\"" + a + "\":1,\"" + b + "\":2}";
            };
            EXPECT_TRUE(Json::parse(object(one, other)).ok());
            EXPECT_FALSE(Json::parse(object(one, one)).ok());
        }
    }
}

TEST(JsonHostile, a_fault_behind_every_alignment_is_found) {
    // Around the 16 and 8 bytes that are looked at together, for every kind of byte that matters.
    for (std::size_t before = 0; before < 40; ++before) {
        const std::string plain(before, 'x');
        for (const std::string& bad : {"\x01"s, "\x1f"s, "\0"s, "\xFF"s, "\x80"s, "\n"s}) {
            for (const std::size_t behind : {0U, 3U, 20U}) {
                const std::string text = "\"" + plain + bad + std::string(behind, 'y') + "\"";
                const Result<Json> parsed = Json::parse(text);
                ASSERT_FALSE(parsed.ok());
                // A quote and a NUL begin a text in UTF-16: that is said of the whole document.
                const bool utf16 = before == 0 && bad == "\0"s;
                EXPECT_EQ(Json::parse(parsed.error().details)->find("offset")->as_int64(),
                          utf16 ? 0 : before + 1);
            }
        }
        const std::string good = "\"" + plain + "\u20ac\\n\U0001F600" + plain + "\"";
        EXPECT_EQ(*Json::parse(good)->as_string(), plain + "\u20ac\n\U0001F600" + plain);
        EXPECT_TRUE(Json::parse(std::string(before, ' ') + "1" + std::string(before, '\n')).ok());
        EXPECT_FALSE(Json::parse(std::string(before, ' ') + "\v1").ok());
    }
}

}  // namespace
}  // namespace jobforge
