#include "base/backoff.h"

#include <gtest/gtest.h>

#include <climits>
#include <vector>

namespace jobforge {
namespace {

std::vector<std::int64_t> seconds_of(const BackoffPolicy& policy, int attempts) {
    std::vector<std::int64_t> seconds;
    for (int attempt = 1; attempt <= attempts; ++attempt) {
        seconds.push_back(retry_delay_ms(policy, attempt, 0.0) / 1000);
    }
    return seconds;
}

TEST(Backoff, passport_types_wait_2_4_8_16_up_to_1024_seconds) {
    EXPECT_EQ(seconds_of({.backoff = Backoff::bpc}, 12),
              (std::vector<std::int64_t>{2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024, 1024}));
}

TEST(Backoff, sources_wait_5_minutes_doubled_up_to_a_day) {
    EXPECT_EQ(seconds_of({.backoff = Backoff::source}, 11),
              (std::vector<std::int64_t>{300, 600, 1200, 2400, 4800, 9600, 19200, 38400, 76800,
                                         86400, 86400}));
    EXPECT_EQ(retry_delay_ms({.backoff = Backoff::source, .base_seconds = 60}, 2, 0.0), 120'000);
}

TEST(Backoff, all_others_wait_1_2_4_up_to_an_hour) {
    EXPECT_EQ(seconds_of({}, 14), (std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64, 128, 256, 512,
                                                             1024, 2048, 3600, 3600}));
}

TEST(Backoff, no_attempt_overflows) {
    for (const int attempts : {31, 32, 33, 62, 63, 64, 65, 1'000'000, INT_MAX}) {
        EXPECT_EQ(retry_delay_ms({.backoff = Backoff::bpc}, attempts, 0.0), 1'024'000);
        EXPECT_EQ(
            retry_delay_ms({.backoff = Backoff::source, .base_seconds = 86'400}, attempts, 0.0),
            86'400'000);
        EXPECT_EQ(retry_delay_ms({}, attempts, 0.0), 3'600'000);
        EXPECT_EQ(reconnect_delay_ms(attempts, 1.0), 1'000);
    }
    for (const int attempts : {0, -1, INT_MIN}) {
        EXPECT_EQ(retry_delay_ms({}, attempts, 0.0), 1'000);
        EXPECT_EQ(reconnect_delay_ms(attempts, 1.0), 50);
    }
}

TEST(Backoff, jitter_adds_up_to_its_part_and_can_be_off) {
    EXPECT_EQ(retry_delay_ms({.jitter = 0.1}, 5, 0.5), 16'800);
    EXPECT_LE(retry_delay_ms({.jitter = 0.1}, 5, 0.999999), 17'600);
    EXPECT_EQ(retry_delay_ms({.jitter = 0.0}, 5, 0.999999), 16'000);
}

TEST(Backoff, reconnects_double_from_50_ms_to_a_second_and_spread_over_half_of_it) {
    EXPECT_EQ(reconnect_delay_ms(1, 1.0), 50);
    EXPECT_EQ(reconnect_delay_ms(1, 0.0), 25);
    EXPECT_EQ(reconnect_delay_ms(4, 1.0), 400);
    EXPECT_EQ(reconnect_delay_ms(8, 1.0), 1'000);
    EXPECT_EQ(reconnect_delay_ms(8, 0.0), 500);
}

TEST(Backoff, has_the_words_of_the_database) {
    for (const Backoff backoff : {Backoff::bpc, Backoff::source, Backoff::jobforge}) {
        EXPECT_EQ(backoff_from_string(to_string(backoff)), backoff);
    }
    EXPECT_EQ(to_string(Backoff::source), "source");
    EXPECT_EQ(backoff_from_string("linear"), std::nullopt);
}

}  // namespace
}  // namespace jobforge
