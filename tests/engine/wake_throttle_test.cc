// How an idle worker naps, and when it stops asking to be woken.
#include "engine/worker/wake_throttle.h"

#include <gtest/gtest.h>

namespace jobforge::engine {
namespace {

using namespace std::chrono_literals;

TEST(WakeThrottle, naps_double_up_to_the_poll_interval_and_start_again_after_work) {
    WakeThrottle throttle(50ms);
    const Clock::time_point now{1h};
    EXPECT_EQ(throttle.next_nap(now), 10ms);
    EXPECT_EQ(throttle.next_nap(now), 20ms);
    EXPECT_EQ(throttle.next_nap(now), 40ms);
    EXPECT_EQ(throttle.next_nap(now), 50ms);
    EXPECT_EQ(throttle.next_nap(now), 50ms);
    throttle.found_work();
    EXPECT_EQ(throttle.next_nap(now), 10ms);
}

TEST(WakeThrottle, a_poll_interval_below_the_first_nap_wins) {
    WakeThrottle throttle(1ms);
    EXPECT_EQ(throttle.next_nap(Clock::time_point{1h}), 1ms);
}

TEST(WakeThrottle, two_hundred_wakes_in_a_second_are_fine) {
    WakeThrottle throttle(1s);
    const Clock::time_point now{1h};
    for (int i = 0; i < WakeThrottle::kMaxWakesPerSecond; ++i) {
        throttle.woken(now);
    }
    EXPECT_TRUE(throttle.may_ask(now));
}

TEST(WakeThrottle, more_stop_it_from_asking_for_a_second_in_which_it_polls_fast) {
    WakeThrottle throttle(1s);
    const Clock::time_point now{1h};
    for (int i = 0; i <= WakeThrottle::kMaxWakesPerSecond; ++i) {
        throttle.woken(now);
    }
    EXPECT_FALSE(throttle.may_ask(now));
    EXPECT_EQ(throttle.next_nap(now), WakeThrottle::kBusyNap);
    EXPECT_TRUE(throttle.may_ask(now + 1s));
}

TEST(WakeThrottle, wakes_of_different_seconds_do_not_add_up) {
    WakeThrottle throttle(1s);
    Clock::time_point now{1h};
    for (int i = 0; i < 10 * WakeThrottle::kMaxWakesPerSecond; ++i) {
        now += 10ms;
        throttle.woken(now);
    }
    EXPECT_TRUE(throttle.may_ask(now));
}

TEST(WakeThrottle, a_request_covers_the_naps_after_work_that_end_before_it_does) {
    WakeThrottle throttle(1s);
    const Clock::time_point now{1h};
    EXPECT_FALSE(throttle.sleeps_at_once(now, true, false));
    throttle.asked(now + 1s);
    EXPECT_TRUE(throttle.sleeps_at_once(now + 1s, true, false));
    EXPECT_FALSE(throttle.sleeps_at_once(now + 1s + 1ms, true, false));
}

TEST(WakeThrottle, without_work_or_with_a_look_due_a_nap_asks_and_looks_first) {
    WakeThrottle throttle(1s);
    const Clock::time_point now{1h};
    throttle.asked(now + 1s);
    EXPECT_FALSE(throttle.sleeps_at_once(now, false, false));
    EXPECT_FALSE(throttle.sleeps_at_once(now, true, true));
}

}  // namespace
}  // namespace jobforge::engine
