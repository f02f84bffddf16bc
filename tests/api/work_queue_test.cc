// The queue before the threads that may block: bounded in number and in time.
#include "api/work_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>

#include "wait_until.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;
using api::WorkQueue;

// Holds one thread of the queue until it is let go.
struct Held {
    std::thread::id thread;
    std::promise<void> begun;
    std::promise<void> go;

    explicit Held(WorkQueue& queue) {
        EXPECT_TRUE(queue.push([this] {
            thread = std::this_thread::get_id();
            begun.set_value();
            go.get_future().wait();
        }));
        begun.get_future().wait();
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

}  // namespace
}  // namespace jobforge::test
