#include "base/backoff.h"

#include <gtest/gtest.h>

#include <climits>

namespace jobforge {
namespace {

TEST(Backoff, reconnects_double_from_50_ms_to_a_second_and_spread_over_half_of_it) {
    EXPECT_EQ(reconnect_delay_ms(1, 1.0), 50);
    EXPECT_EQ(reconnect_delay_ms(1, 0.0), 25);
    EXPECT_EQ(reconnect_delay_ms(4, 1.0), 400);
    EXPECT_EQ(reconnect_delay_ms(8, 1.0), 1'000);
    EXPECT_EQ(reconnect_delay_ms(8, 0.0), 500);
}

TEST(Backoff, no_number_of_failures_overflows) {
    for (const int failures : {31, 32, 33, 62, 63, 64, 65, 1'000'000, INT_MAX}) {
        EXPECT_EQ(reconnect_delay_ms(failures, 1.0), 1'000);
    }
    for (const int failures : {0, -1, INT_MIN}) {
        EXPECT_EQ(reconnect_delay_ms(failures, 1.0), 50);
    }
}

}  // namespace
}  // namespace jobforge
