// The worker's memory of where work is: looks replace it, claims move floors, short claims empty
// it.
#include "engine/worker/lanes.h"

#include <gtest/gtest.h>

namespace jobforge::engine {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kSecond = 1'000'000;

Uuid tenant(std::uint8_t n) {
    Uuid id;
    id.bytes[15] = n;
    return id;
}

TEST(LaneBook, an_empty_book_has_nothing_due_and_nothing_to_wait_for) {
    const LaneBook book;
    EXPECT_TRUE(book.due(kSecond).empty());
    EXPECT_FALSE(book.interrupted_due(kSecond));
    EXPECT_EQ(book.next_due(0), std::nullopt);
}

TEST(LaneBook, only_lanes_whose_first_job_is_due_are_due) {
    LaneBook book;
    book.replace({{"a", 2, tenant(1), 5 * kSecond}, {"a", 2, tenant(2), 9 * kSecond}}, {});
    const auto due = book.due(5 * kSecond);
    ASSERT_EQ(due.size(), 1U);
    EXPECT_EQ(due[0]->tenant_id, tenant(1));
}

TEST(LaneBook, the_next_due_time_is_the_earliest_one_in_the_future) {
    LaneBook book;
    book.replace({{"a", 2, tenant(1), kSecond}, {"b", 2, tenant(1), 9 * kSecond}}, {7 * kSecond});
    EXPECT_EQ(book.next_due(2 * kSecond), 7 * kSecond);
    EXPECT_EQ(book.next_due(7 * kSecond), 9 * kSecond);
    EXPECT_EQ(book.next_due(9 * kSecond), std::nullopt);
}

TEST(LaneBook, a_claim_moves_its_lanes_floor_to_the_batch_less_the_margin) {
    LaneBook book;
    book.replace({{"a", 2, tenant(1), kSecond}, {"a", 1, tenant(1), kSecond}}, {});
    EXPECT_TRUE(book.claimed("a", 2, tenant(1), 3 * kSecond));
    const auto due = book.due(10 * kSecond);
    ASSERT_EQ(due.size(), 2U);
    EXPECT_EQ(due[0]->floor_us, 3 * kSecond - LaneBook::kMarginUs);
    EXPECT_EQ(due[1]->floor_us, kSecond) << "another priority is another lane";
}

TEST(LaneBook, a_floor_never_moves_backwards_except_by_a_look) {
    LaneBook book;
    book.replace({{"a", 2, tenant(1), 5 * kSecond}}, {});
    EXPECT_FALSE(book.claimed("a", 2, tenant(1), 2 * kSecond)) << "a back-dated one";
    EXPECT_EQ(book.due(10 * kSecond)[0]->floor_us, 5 * kSecond);
    book.replace({{"a", 2, tenant(1), 2 * kSecond}}, {});
    EXPECT_EQ(book.due(10 * kSecond)[0]->floor_us, 2 * kSecond);
}

TEST(LaneBook, a_claim_of_an_unknown_lane_changes_nothing) {
    LaneBook book;
    book.replace({{"a", 2, tenant(1), 5 * kSecond}}, {});
    book.claimed("b", 2, tenant(1), 9 * kSecond);
    book.claimed("a", 2, tenant(2), 9 * kSecond);
    EXPECT_EQ(book.due(10 * kSecond)[0]->floor_us, 5 * kSecond);
}

TEST(LaneBook, a_short_claim_empties_what_was_due_and_keeps_the_future) {
    LaneBook book;
    book.replace({{"a", 2, tenant(1), kSecond}, {"a", 2, tenant(2), 9 * kSecond}}, {});
    book.exhausted(2 * kSecond);
    EXPECT_TRUE(book.due(2 * kSecond).empty());
    EXPECT_EQ(book.next_due(2 * kSecond), 9 * kSecond);
}

TEST(LaneBook, a_job_that_runs_alone_is_due_until_it_is_claimed) {
    LaneBook book;
    book.replace({}, {kSecond, 9 * kSecond});
    EXPECT_FALSE(book.interrupted_due(kSecond - 1));
    EXPECT_TRUE(book.interrupted_due(kSecond));
    book.interrupted_claimed(kSecond);
    EXPECT_FALSE(book.interrupted_due(kSecond));
    EXPECT_TRUE(book.interrupted_due(9 * kSecond)) << "the future one is another job";
}

TEST(LookInterval, is_twenty_times_the_cost_within_bounds) {
    EXPECT_EQ(look_interval(0us), 100ms);
    EXPECT_EQ(look_interval(1ms), 100ms);
    EXPECT_EQ(look_interval(10ms), 200ms);
    EXPECT_EQ(look_interval(1s), 5s);
}

}  // namespace
}  // namespace jobforge::engine
