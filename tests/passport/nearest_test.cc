#include "rules/syntax/nearest.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobforge::rules {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::array<std::string_view, 5> kPaths{"battery.capacity", "battery.mass",
                                                 "electrical.maximum_voltage",
                                                 "electrical.minimum_voltage", "state.capacity"};

TEST(Nearest, finds_what_a_slip_of_the_finger_meant_nearest_first) {
    constexpr std::array<std::string_view, 4> names{"unwrapOr", "isSome", "some", "requireSome"};
    EXPECT_THAT(nearest_names("unwarpOr", names, 3), ElementsAre("unwrapOr"));
    EXPECT_THAT(nearest_names("ISSOME", names, 3), ElementsAre("isSome", "some"));
    EXPECT_THAT(nearest_names("ISSOME", names, 1), ElementsAre("isSome"));
}

TEST(Nearest, another_word_is_not_near) {
    constexpr std::array<std::string_view, 2> names{"unwrapOr", ""};
    EXPECT_THAT(nearest_names("filter", names, 3), IsEmpty());
    EXPECT_THAT(nearest_names("", names, 3), IsEmpty());
    const std::string long_name(201, 'a');
    const std::array<std::string_view, 1> long_names{long_name};
    EXPECT_THAT(nearest_names(long_name, long_names, 3), IsEmpty());
}

TEST(Nearest, paths_are_found_by_a_part_of_them) {
    EXPECT_THAT(nearest_paths("battery.capacty", kPaths, 1), ElementsAre("battery.capacity"));
    EXPECT_THAT(nearest_paths("voltage", kPaths, 5),
                ElementsAre("electrical.maximum_voltage", "electrical.minimum_voltage"));
    EXPECT_THAT(nearest_paths("pack.capacity", kPaths, 5), ElementsAre("state.capacity"));
    EXPECT_THAT(nearest_paths("the_whole_pack.capacity", kPaths, 5),
                ElementsAre("battery.capacity", "state.capacity"));
    EXPECT_THAT(nearest_paths("electrical.current", kPaths, 1),
                ElementsAre("electrical.maximum_voltage"));
    EXPECT_THAT(nearest_paths("of", kPaths, 5), IsEmpty());
}

}  // namespace
}  // namespace jobforge::rules
