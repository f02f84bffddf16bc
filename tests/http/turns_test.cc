// One turn at a time, in order, on whatever thread is there.
#include "http/server/turns.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace jobforge::test {
namespace {

using http::Turns;

TEST(Turns, the_first_must_run_and_runs_all_in_order) {
    Turns turns;
    std::string said;
    EXPECT_TRUE(turns.add([&] {
        said += 'a';
        EXPECT_FALSE(turns.add([&] { said += 'c'; })) << "somebody is at work";
    }));
    EXPECT_FALSE(turns.add([&] { said += 'b'; })) << "somebody was asked to work";
    EXPECT_EQ(said, "") << "nothing happens inside of add()";
    const Turns::Done done = turns.run();
    EXPECT_FALSE(done.more);
    EXPECT_FALSE(done.fault);
    EXPECT_EQ(said, "abc");
    EXPECT_TRUE(turns.add([] {})) << "nobody is at work any more";
}

TEST(Turns, never_two_at_once_and_none_is_lost) {
    constexpr int kThreads = 4;
    constexpr int kEach = 20'000;
    Turns turns;
    int counted = 0;  // not atomic: turns exclude each other
    std::atomic<int> inside = 0;
    std::atomic<int> together = 0;
    const auto work = [&] {
        for (int i = 0; i < kEach; ++i) {
            bool mine = turns.add([&] {
                together += inside++ == 0 ? 0 : 1;
                ++counted;
                --inside;
            });
            while (mine) {
                mine = turns.run().more;
            }
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back(work);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(together, 0);
    EXPECT_EQ(counted, kThreads * kEach);
}

TEST(Turns, who_never_ends_gives_others_a_chance) {
    Turns turns;
    std::size_t count = 0;
    std::function<void()> again = [&] {
        ++count;
        EXPECT_FALSE(turns.add(again));
    };
    EXPECT_TRUE(turns.add(again));
    EXPECT_TRUE(turns.run().more);
    EXPECT_EQ(count, Turns::kMost);
    EXPECT_FALSE(turns.add([] {})) << "the one that was told of more must come back";
    EXPECT_TRUE(turns.run().more);
    EXPECT_GT(count, Turns::kMost);
}

TEST(Turns, a_fault_is_told_and_the_others_are_done) {
    Turns turns;
    bool reached = false;
    EXPECT_TRUE(turns.add([] { throw std::runtime_error("first"); }));
    EXPECT_FALSE(turns.add([] { throw std::runtime_error("second"); }));
    EXPECT_FALSE(turns.add([&] { reached = true; }));
    const Turns::Done done = turns.run();
    EXPECT_TRUE(reached);
    ASSERT_TRUE(done.fault);
    try {
        std::rethrow_exception(done.fault);
    } catch (const std::runtime_error& fault) {
        EXPECT_STREQ(fault.what(), "first");
    }
    EXPECT_TRUE(turns.add([] {}));
}

TEST(Turns, what_one_cannot_run_the_next_one_does) {
    Turns turns;
    std::string said;
    EXPECT_TRUE(turns.add([&] { said += 'a'; }));
    turns.give_back();
    EXPECT_TRUE(turns.add([&] { said += 'b'; }));
    EXPECT_FALSE(turns.run().more);
    EXPECT_EQ(said, "ab");
}

TEST(Turns, what_a_turn_owns_goes_with_it_and_may_add_one) {
    Turns turns;
    std::string said;
    std::shared_ptr<void> farewell(
        &said, [&](void*) { EXPECT_FALSE(turns.add([&] { said += "gone"; })); });
    EXPECT_TRUE(turns.add([held = std::move(farewell)] {}));
    EXPECT_FALSE(turns.add([&] { said += "next, "; }));
    EXPECT_FALSE(turns.run().more);
    EXPECT_EQ(said, "next, gone");
}

}  // namespace
}  // namespace jobforge::test
