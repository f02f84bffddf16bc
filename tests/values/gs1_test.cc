#include "values/gs1.h"

#include <string>

#include <gtest/gtest.h>

namespace jobforge {
namespace {

// From the GS1 General Specifications and from the check digit calculator of GS1.
TEST(Gs1CheckDigit, is_right_for_published_keys_of_every_length) {
    for (const char* key : {"96385074", "614141000036", "4006381333931", "9521234000006",
                            "09521234010012", "10614141000415", "106141412345678908"}) {
        EXPECT_TRUE(gs1_check_digit(key)) << key;
    }
}

TEST(Gs1CheckDigit, finds_every_wrong_digit_in_every_place) {
    const std::string right = "09521234010012";
    for (std::size_t place = 0; place < right.size(); ++place) {
        for (char digit = '0'; digit <= '9'; ++digit) {
            std::string key = right;
            key[place] = digit;
            EXPECT_EQ(gs1_check_digit(key), key == right) << key;
        }
    }
}

TEST(Gs1CheckDigit, is_false_for_what_is_no_key) {
    for (const char* key : {"", "0", "123", "0000000", "9521234O00006", "095212340100120",
                            " 9521234010012", "0000000000000000000"}) {
        EXPECT_FALSE(gs1_check_digit(key)) << key;
    }
}

}  // namespace
}  // namespace jobforge
