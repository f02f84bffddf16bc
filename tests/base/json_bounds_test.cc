#include "base/json/json_bounds.h"

#include <gtest/gtest.h>

namespace jobforge {
namespace {

std::string place_in(const std::string& text) {
    const auto value = Json::parse(text);
    EXPECT_TRUE(value.ok()) << text;
    return value.ok() ? find_long_number(*value).value_or("none") : "no JSON";
}

TEST(JsonBounds, a_number_has_at_most_400_digits_before_and_behind_its_point) {
    const std::string nines(400, '9');
    for (const std::string& fits :
         {std::string("0"), std::string("-1.5"), nines, "-" + nines, "0." + nines,
          nines + "." + nines, std::string("1e399"), std::string("-1e399"), std::string("1E+399"),
          std::string("1e-400"), std::string("0.5e-399"), std::string("1.7976931348623157e308"),
          std::string("5e-324")}) {
        EXPECT_EQ(place_in(fits), "none") << fits;
    }
    for (const std::string& long_one :
         {nines + "9", "-" + nines + "9", "0.1" + nines, std::string("1e400"),
          std::string("1E+400"), std::string("-1e131071"), std::string("1e-401"),
          std::string("1.5e-400"), nines + "e1", std::string("1e99999999999999999999"),
          std::string("1e-99999999999999999999")}) {
        EXPECT_EQ(place_in(long_one), "") << long_one;
    }
}

TEST(JsonBounds, digits_of_a_text_do_not_count) {
    EXPECT_EQ(place_in("\"1e131071\""), "none");
    EXPECT_EQ(place_in("{\"1e131071\": [true, null, \"" + std::string(1000, '9') + "\"]}"), "none");
}

TEST(JsonBounds, the_first_place_is_told_as_a_json_pointer) {
    EXPECT_EQ(place_in(R"({"a": [1, {"b": [1e131071]}]})"), "/a/1/b/0");
    EXPECT_EQ(place_in(R"({"a/b": {"~": 1e400}})"), "/a~1b/~0");
    EXPECT_EQ(place_in("[1e400, 1e400]"), "/0");
}

}  // namespace
}  // namespace jobforge
