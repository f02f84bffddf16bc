// The queue before the threads that may block: bounded in number and in time.
#include "http/server/work_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "wait_until.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;
using http::WorkQueue;

// Holds one thread of the queue until it is let go. What that thread uses is its own: it may still
// be at it when this object is gone.
struct Held {
    std::thread::id thread;
    std::promise<void> go;

    explicit Held(WorkQueue& queue, std::string_view party = {}) {
        const auto begun = std::make_shared<std::promise<std::thread::id>>();
        const std::shared_future<void> released = go.get_future().share();
        EXPECT_TRUE(queue.push(
            [begun, released] {
                begun->set_value(std::this_thread::get_id());
                released.wait();
            },
            party));
        thread = begun->get_future().get();
    }
};

TEST(WorkQueue, refuses_when_it_is_full_and_not_before) {
    WorkQueue queue({.threads = 1, .limit = 2, .shed_after = 1h});
    Held held(queue);
    EXPECT_EQ(queue.running(), 1u);
    std::atomic<int> done = 0;
    EXPECT_TRUE(queue.push([&] { ++done; }));
    EXPECT_TRUE(queue.push([&] { ++done; }));
    EXPECT_FALSE(queue.push([&] { ++done; }));
    EXPECT_EQ(queue.waiting(), 2u);
    held.go.set_value();
    EXPECT_TRUE(wait_until([&] { return done == 2 && queue.running() == 0; }));
    EXPECT_TRUE(queue.push([&] { ++done; }));
    EXPECT_TRUE(wait_until([&] { return done == 3; }));
}

TEST(WorkQueue, refuses_while_the_oldest_has_waited_too_long) {
    WorkQueue queue({.threads = 1, .limit = 1'000'000, .shed_after = 20ms});
    Held held(queue);
    std::atomic<int> done = 0;
    int accepted = 0;
    EXPECT_TRUE(wait_until([&] {
        const bool taken = queue.push([&] { ++done; });
        accepted += taken ? 1 : 0;
        return !taken;
    }));
    EXPECT_GE(accepted, 1);
    held.go.set_value();
    EXPECT_TRUE(wait_until([&] { return done == accepted; })) << "what was accepted is done";
    EXPECT_TRUE(queue.push([] {}));
}

TEST(WorkQueue, wakes_nobody_while_the_eager_are_at_work) {
    WorkQueue queue({.threads = 4, .limit = 100, .shed_after = 1h, .eager = 2, .patience = 1h});
    std::atomic<int> done = 0;
    for (int round = 1; round <= 100; ++round) {  // in the first ones some threads do not run yet
        Held first(queue);
        Held second(queue);
        EXPECT_TRUE(queue.push([&] {
            const auto here = std::this_thread::get_id();
            EXPECT_TRUE(here == first.thread || here == second.thread);
            ++done;
        }));
        EXPECT_EQ(queue.waiting(), 1u);
        EXPECT_EQ(queue.running(), 2u);
        first.go.set_value();
        second.go.set_value();
        EXPECT_TRUE(wait_until([&] { return done == round && queue.running() == 0; }));
    }
}

TEST(WorkQueue, leaves_short_work_to_the_threads_that_are_awake) {
    WorkQueue queue({.threads = 4, .limit = 100, .shed_after = 1h, .eager = 2, .patience = 1h});
    Held first(queue);
    Held second(queue);
    std::atomic<int> done = 0;
    std::atomic<int> elsewhere = 0;
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(queue.push([&] {
            elsewhere += std::this_thread::get_id() == first.thread ? 0 : 1;
            ++done;
        }));
    }
    first.go.set_value();
    EXPECT_TRUE(wait_until([&] { return done == 100; }));
    EXPECT_EQ(elsewhere, 0);
    second.go.set_value();
}

// The only eager thread stays away, and so does everybody who takes what waits: nobody who sleeps
// may be forgotten.
TEST(WorkQueue, all_its_threads_join_when_work_has_waited) {
    WorkQueue queue({.threads = 4, .limit = 10, .shed_after = 1h, .eager = 1, .patience = 5ms});
    for (int round = 0; round < 5; ++round) {  // in the first one some threads do not run yet
        Held first(queue);
        std::promise<void> go;
        const std::shared_future<void> all = go.get_future().share();
        for (int i = 0; i < 3; ++i) {
            EXPECT_TRUE(queue.push([all] { all.wait(); }));
        }
        EXPECT_TRUE(wait_until([&] { return queue.running() == 4; }));
        first.go.set_value();
        go.set_value();
        EXPECT_TRUE(wait_until([&] { return queue.running() == 0; }));
    }
}

// Given to a thread that has not got up yet: no longer waiting, so it is done.
TEST(WorkQueue, what_was_given_to_a_thread_is_done_although_it_stops) {
    for (int round = 0; round < 100; ++round) {
        WorkQueue queue({.threads = 1, .limit = 10, .shed_after = 1h});
        std::atomic<int> done = 0;
        EXPECT_TRUE(queue.push([&] { ++done; }));
        EXPECT_TRUE(wait_until([&] { return done == 1 && queue.running() == 0; }));
        auto owned = std::make_shared<int>(1);
        EXPECT_TRUE(queue.push([owned, &done] { ++done; }));
        const bool given = queue.waiting() == 0;
        queue.stop();
        EXPECT_EQ(owned.use_count(), 1);
        EXPECT_TRUE(!given || done == 2);
    }
}

TEST(WorkQueue, stops_after_what_runs_and_drops_what_waits) {
    WorkQueue queue({.threads = 1, .limit = 10, .shed_after = 1h});
    Held held(queue);
    std::atomic<bool> ran = false;
    auto owned = std::make_shared<int>(1);
    EXPECT_TRUE(queue.push([&ran, owned] { ran = true; }));
    auto stopped = std::async(std::launch::async, [&] { queue.stop(); });
    EXPECT_TRUE(wait_until([&] { return queue.waiting() == 0; }));
    EXPECT_EQ(stopped.wait_for(0s), std::future_status::timeout);
    held.go.set_value();
    stopped.get();
    EXPECT_FALSE(ran);
    EXPECT_EQ(owned.use_count(), 1) << "what it owned is released";
    EXPECT_FALSE(queue.push([] {}));
}

// Hole 6: no party can take all of it.
http::WorkQueueOptions with_slots(std::size_t slots) {
    return {.threads = static_cast<int>(slots) + 2,
            .limit = 100,
            .shed_after = 1h,
            .eager = 100,
            .slots = slots};
}

// How many more the party gets.
std::size_t take_all(WorkQueue& queue, const char* party) {
    std::size_t taken = 0;
    while (queue.try_take(party)) {
        ++taken;
    }
    return taken;
}

TEST(WorkQueueShares, one_party_gets_two_thirds_and_others_find_room) {
    WorkQueue queue(with_slots(12));
    EXPECT_EQ(take_all(queue, "a"), 8u);
    for (const char* other : {"b", "c", "d", "e"}) {
        EXPECT_EQ(take_all(queue, other), 1u) << other << ": the last quarter is one for each";
    }
    EXPECT_FALSE(queue.try_take("f"));
    for (int i = 0; i < 8; ++i) {
        queue.give_back("a");
    }
    EXPECT_EQ(take_all(queue, "b"), 5u) << "three are left for those who hold none";
    EXPECT_EQ(take_all(queue, "f"), 1u);
}

TEST(WorkQueueShares, of_two_slots_no_party_has_both) {
    WorkQueue queue(with_slots(2));
    EXPECT_EQ(take_all(queue, "a"), 1u);
    EXPECT_EQ(take_all(queue, "b"), 1u);
}

TEST(WorkQueueShares, work_of_a_party_that_hangs_does_not_hold_up_others) {
    WorkQueue queue(with_slots(5));
    std::deque<Held> held;
    for (int i = 0; i < 4; ++i) {
        held.emplace_back(queue, "a");
    }
    std::atomic<int> of_a = 0;
    for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE(queue.push([&] { ++of_a; }, "a"));
    }
    EXPECT_TRUE(queue.is_held_back("a"));
    EXPECT_FALSE(queue.is_held_back("b"));
    const auto other = std::make_shared<std::promise<void>>();
    EXPECT_TRUE(queue.push([other] { other->set_value(); }, "b"));
    other->get_future().wait();  // behind fifty that came before it
    const auto nobodys = std::make_shared<std::promise<void>>();
    EXPECT_TRUE(queue.push([nobodys] { nobodys->set_value(); }));
    nobodys->get_future().wait();
    EXPECT_EQ(of_a, 0);
    EXPECT_EQ(queue.waiting(), 50u);
    held[0].go.set_value();
    EXPECT_TRUE(wait_until([&] { return of_a == 50; })) << "one slot is enough for all of them";
    for (int i = 1; i < 4; ++i) {
        held[static_cast<std::size_t>(i)].go.set_value();
    }
}

TEST(WorkQueueShares, a_line_is_full_or_stuck_for_its_own_party) {
    http::WorkQueueOptions options = with_slots(2);
    options.limit = 3;
    WorkQueue queue(options);
    Held held(queue, "a");
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(queue.push([] {}, "a"));
    }
    EXPECT_FALSE(queue.push([] {}, "a"));
    EXPECT_TRUE(queue.push([] {}, "b"));
    EXPECT_TRUE(queue.push([] {}));
    held.go.set_value();
    EXPECT_TRUE(wait_until([&] { return queue.running() == 0 && queue.waiting() == 0; }));
    EXPECT_TRUE(queue.push([] {}, "a"));
}

TEST(WorkQueueShares, a_slot_given_back_wakes_who_waits_for_it) {
    for (int round = 0; round < 200; ++round) {
        WorkQueue queue(with_slots(2));
        ASSERT_TRUE(queue.try_take("a"));
        std::atomic<bool> done = false;
        EXPECT_TRUE(queue.push([&] { done = true; }, "a"));
        EXPECT_FALSE(queue.try_take("a")) << "behind what waits";
        queue.give_back("a");
        ASSERT_TRUE(wait_until([&] { return done.load(); }));
    }
}

TEST(WorkQueueShares, the_party_with_the_fewest_slots_goes_first) {
    http::WorkQueueOptions options = with_slots(6);
    options.threads = 2;
    WorkQueue queue(options);
    Held first(queue, "a");
    Held second(queue, "a");
    std::vector<std::string> order;  // one thread at a time comes to it: the other is held
    for (const char* party : {"a", "a", "b", "b"}) {
        EXPECT_TRUE(queue.push([&order, party] { order.emplace_back(party); }, party));
    }
    first.go.set_value();
    EXPECT_TRUE(wait_until([&] { return queue.waiting() == 0 && queue.running() == 1; }));
    EXPECT_EQ(order, (std::vector<std::string>{"b", "b", "a", "a"}));
    second.go.set_value();
}

TEST(WorkQueueShares, work_moves_to_the_party_that_it_turns_out_to_be_for) {
    // Before the queue, whose threads use them until it is gone.
    std::promise<bool> refused;
    std::promise<bool> moved;
    std::promise<void> go;
    WorkQueue queue(with_slots(5));
    EXPECT_EQ(take_all(queue, "tenant"), 4u);
    EXPECT_TRUE(queue.push([&] { refused.set_value(queue.move_to("tenant")); }, "log-in"));
    EXPECT_FALSE(refused.get_future().get());
    EXPECT_TRUE(wait_until([&] { return queue.running() == 0; }));
    queue.give_back("tenant");
    queue.give_back("tenant");
    EXPECT_TRUE(queue.push(
        [&] {
            moved.set_value(queue.move_to("tenant"));
            go.get_future().wait();
        },
        "log-in"));
    EXPECT_TRUE(moved.get_future().get());
    EXPECT_EQ(take_all(queue, "tenant"), 1u) << "it holds one of its slots now";
    EXPECT_EQ(take_all(queue, "log-in"), 1u) << "and none of these";
    go.set_value();
}

TEST(WorkQueueShares, parties_that_come_and_go_leave_nothing_behind) {
    WorkQueue queue(with_slots(3));
    ASSERT_TRUE(queue.try_take("stays"));
    for (int i = 0; i < 5000; ++i) {
        const std::string party = "tenant-" + std::to_string(i);
        ASSERT_TRUE(queue.try_take(party));
        queue.give_back(party);
    }
    EXPECT_EQ(take_all(queue, "stays"), 1u);
    queue.give_back("stays");
    queue.give_back("stays");
    EXPECT_EQ(take_all(queue, "other"), 2u);
}

}  // namespace
}  // namespace jobforge::test
