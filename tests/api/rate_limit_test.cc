// Buckets of tokens, with a clock of the test's own.
#include "api/access/rate_limit.h"

#include <gtest/gtest.h>

namespace jobforge::api {
namespace {

using namespace std::chrono_literals;

const RateLimit::TimePoint kStart{};

TEST(RateLimit, a_burst_passes_and_the_next_is_told_when_to_come_back) {
    RateLimit limit({.enabled = true, .requests_per_second = 10, .burst = 3});
    for (int left = 2; left >= 0; --left) {
        const RateDecision decision = limit.take("a", kStart);
        EXPECT_TRUE(decision.allowed);
        EXPECT_EQ(decision.remaining, left);
        EXPECT_EQ(decision.limit, 3);
    }
    const RateDecision refused = limit.take("a", kStart);
    EXPECT_FALSE(refused.allowed);
    EXPECT_EQ(refused.retry, 100ms);
    EXPECT_EQ(refused.reset, 300ms);
    EXPECT_FALSE(limit.take("a", kStart + 99ms).allowed);
    EXPECT_TRUE(limit.take("a", kStart + 101ms).allowed);
}

TEST(RateLimit, over_time_the_rate_is_exact_and_nothing_is_saved_above_the_burst) {
    RateLimit limit({.enabled = true, .requests_per_second = 50, .burst = 5});
    int allowed = 0;
    for (auto time = 0ms; time < 10000ms; time += 1ms) {
        allowed += limit.take("a", kStart + time).allowed ? 1 : 0;
    }
    EXPECT_GE(allowed, 500);
    EXPECT_LE(allowed, 505);
    allowed = 0;
    for (int request = 0; request < 20; ++request) {  // an hour later: one burst
        allowed += limit.take("a", kStart + 1h).allowed ? 1 : 0;
    }
    EXPECT_EQ(allowed, 5);
}

TEST(RateLimit, keys_do_not_share) {
    RateLimit limit({.enabled = true, .requests_per_second = 1, .burst = 1});
    EXPECT_TRUE(limit.take("a", kStart).allowed);
    EXPECT_FALSE(limit.take("a", kStart).allowed);
    EXPECT_TRUE(limit.take("b", kStart).allowed);
}

TEST(RateLimit, full_buckets_are_forgotten_and_empty_ones_are_not) {
    RateLimit limit({.enabled = true, .requests_per_second = 1, .burst = 2, .maximum_keys = 2});
    EXPECT_TRUE(limit.take("old", kStart).allowed);
    EXPECT_TRUE(limit.take("busy", kStart + 9s).allowed);
    EXPECT_TRUE(limit.take("busy", kStart + 9s).allowed);
    EXPECT_TRUE(limit.take("new", kStart + 9s).allowed);  // "old" is full again, and goes
    EXPECT_FALSE(limit.take("busy", kStart + 9s).allowed);
}

TEST(RateLimit, keys_made_up_as_fast_as_possible_share_what_is_left) {
    RateLimit limit({.enabled = true, .requests_per_second = 1, .burst = 2, .maximum_keys = 3});
    for (const char* key : {"a", "b", "c"}) {
        EXPECT_TRUE(limit.take(key, kStart).allowed);
    }
    EXPECT_TRUE(limit.take("d", kStart).allowed);
    EXPECT_TRUE(limit.take("e", kStart).allowed);
    EXPECT_FALSE(limit.take("f", kStart).allowed) << "of one bucket for all three";
    EXPECT_TRUE(limit.take("a", kStart).allowed) << "who has a bucket keeps it";
}

TEST(RateLimit, a_token_that_is_given_back_can_be_taken_again) {
    RateLimit limit({.enabled = true, .requests_per_second = 1, .burst = 1});
    EXPECT_TRUE(limit.take("a", kStart).allowed);
    limit.give_back("a", kStart);
    EXPECT_TRUE(limit.take("a", kStart).allowed);
    limit.give_back("a", kStart);
    limit.give_back("a", kStart);
    EXPECT_TRUE(limit.take("a", kStart).allowed);
    EXPECT_FALSE(limit.take("a", kStart).allowed) << "never above the burst";
}

TEST(RateLimit, a_clock_that_stands_still_gives_nothing_away) {
    RateLimit limit({.enabled = true, .requests_per_second = 1000, .burst = 1});
    EXPECT_TRUE(limit.take("a", kStart + 1s).allowed);
    EXPECT_FALSE(limit.take("a", kStart).allowed);  // and one that goes back neither
}

}  // namespace
}  // namespace jobforge::api
