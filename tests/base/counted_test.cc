#include "base/text/counted.h"

#include <gtest/gtest.h>

namespace jobforge {
namespace {

TEST(Counted, one_thing_has_the_singular_and_all_other_numbers_the_plural) {
    EXPECT_EQ(counted(1, "job"), "1 job");
    EXPECT_EQ(counted(0, "job"), "0 jobs");
    EXPECT_EQ(counted(2, "job"), "2 jobs");
    EXPECT_EQ(counted(1, "log entry", "log entries"), "1 log entry");
    EXPECT_EQ(counted(11, "log entry", "log entries"), "11 log entries");
}

}  // namespace
}  // namespace jobforge
