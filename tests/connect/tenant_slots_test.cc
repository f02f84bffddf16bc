// Hole 9: no tenant holds so many slots that another has none.
#include "connect/guard/tenant_slots.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "connect/http/classify.h"
#include "connect/http/governor.h"
#include "wait_until.h"

namespace jobforge::connect {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Slots = std::vector<TenantSlots::Slot>;

TenantSlotsOptions options(int total) {
    return {.name = "things", .total = total, .alone_after = std::chrono::hours(1)};
}

// As many as the tenant gets now.
Slots take_all(TenantSlots& slots, const std::string& tenant) {
    Slots taken;
    for (;;) {
        auto slot = slots.take(tenant);
        if (!slot.ok()) {
            return taken;
        }
        taken.push_back(*std::move(slot));
    }
}

// Another tenant has been there: nobody is alone.
void pass_by(TenantSlots& slots) {
    EXPECT_TRUE(slots.take("somebody else").ok());
}

TEST(Hole9TenantSlots, one_busy_tenant_among_others_gets_a_half) {
    for (const auto& [total, share] :
         {std::pair{1, 1}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 4}, {64, 32}}) {
        TenantSlots slots(options(total));
        pass_by(slots);
        const Slots taken = take_all(slots, "a");
        EXPECT_EQ(taken.size(), static_cast<std::size_t>(share)) << total;
        EXPECT_EQ(slots.held_by("a"), share);
        EXPECT_EQ(slots.take("b").ok(), total > 1) << total;
    }
}

TEST(Hole9TenantSlots, several_busy_tenants_get_equal_parts_and_one_part_stays_free) {
    for (const int tenants : {2, 3, 7}) {
        TenantSlots slots(options(64));
        std::vector<Slots> taken(static_cast<std::size_t>(tenants));
        for (bool more = true; more;) {
            more = false;
            for (int i = 0; i < tenants; ++i) {
                auto slot = slots.take("tenant " + std::to_string(i));
                if (slot.ok()) {
                    taken[static_cast<std::size_t>(i)].push_back(*std::move(slot));
                    more = true;
                }
            }
        }
        for (const Slots& of_one : taken) {
            EXPECT_NEAR(static_cast<double>(of_one.size()), 64.0 / (tenants + 1), 1.0) << tenants;
        }
        EXPECT_GE(64 - slots.in_use(), 64 / (tenants + 1) - 1) << tenants;
        EXPECT_TRUE(slots.take("the next one").ok());
    }
}

TEST(Hole9TenantSlots, a_tenant_that_is_alone_gets_three_quarters_until_another_comes) {
    for (const auto& [total, share] : {std::pair{1, 1}, {2, 1}, {4, 3}, {8, 6}, {64, 48}}) {
        TenantSlots slots(options(total));
        Slots taken = take_all(slots, "a");
        ASSERT_EQ(taken.size(), static_cast<std::size_t>(share)) << total;
        if (total < 8) {
            continue;
        }
        EXPECT_TRUE(slots.take("b").ok()) << "what is left is for others";
        taken.pop_back();
        EXPECT_FALSE(slots.take("a").ok()) << "not alone any more: no more than a half";
        taken.clear();
        EXPECT_EQ(take_all(slots, "a").size(), static_cast<std::size_t>(total) / 2);
    }
}

TEST(Hole9TenantSlots, who_has_not_asked_for_long_is_forgotten) {
    TenantSlots slots({.name = "things", .total = 8, .alone_after = milliseconds(0)});
    auto other = slots.take("b");
    const Slots beside = take_all(slots, "a");
    EXPECT_EQ(beside.size(), 4U) << "b holds one, so a is not alone";
    {
        const auto gone = std::move(other);
    }
    Slots more = take_all(slots, "a");
    EXPECT_EQ(beside.size() + more.size(), 6U);
}

TEST(Hole9TenantSlots, a_refusal_is_a_shortage_of_our_own) {
    TenantSlots slots(options(8));
    pass_by(slots);
    Slots taken = take_all(slots, "a");
    milliseconds before{0};
    for (int i = 0; i < 2000; ++i) {
        const auto refused = slots.take("a");
        ASSERT_FALSE(refused.ok());
        const Error& error = refused.error();
        const auto wait = refused_for(error);
        ASSERT_TRUE(wait.has_value()) << error.describe();
        EXPECT_GE(*wait, before) << "later ones come back later";
        EXPECT_LE(*wait, seconds(60));
        before = *wait;
        const Classified meaning = classify(error);
        EXPECT_EQ(meaning.peer, Classified::Peer::unknown) << "no breaker hears of it";
        EXPECT_EQ(meaning.kind, Classified::Kind::retry);
        EXPECT_NE(error.message.find("share of the 8 things"), std::string::npos) << error.message;
    }
    EXPECT_EQ(before, seconds(60));
    // All slots in use, none by this tenant: it comes back soon.
    const Slots rest = [&] {
        Slots all;
        for (int i = 0; slots.in_use() < 8; ++i) {
            all.push_back(slots.take("other " + std::to_string(i)).value());
        }
        return all;
    }();
    const auto refused = slots.take("new");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused_for(refused.error()), seconds(1));
    EXPECT_NE(refused.error().message.find("all 8 things"), std::string::npos);
}

TEST(Hole9TenantSlots, a_slot_comes_back_when_its_owner_is_done) {
    TenantSlots slots(options(2));
    pass_by(slots);
    {
        auto first = slots.take("a");
        ASSERT_TRUE(first.ok());
        const TenantSlots::Slot moved = *std::move(first);
        EXPECT_EQ(slots.in_use(), 1);
        EXPECT_FALSE(slots.take("a").ok());
    }
    EXPECT_EQ(slots.in_use(), 0);
    std::optional<TenantSlots::Slot> survivor;
    {
        TenantSlots short_lived(options(1));
        survivor.emplace(short_lived.take("a").value());
    }
    survivor.reset();  // a look-up that hangs may outlive what it was taken from
}

TEST(Hole9TenantSlots, a_short_wait_is_no_refusal) {
    TenantSlotsOptions waiting = options(1);
    waiting.longest_wait = std::chrono::minutes(5);
    TenantSlots slots(waiting);
    std::optional<TenantSlots::Slot> held(slots.take("a").value());
    std::atomic<bool> done{false};
    std::jthread waiter([&] { done = slots.take("b").ok(); });
    std::stop_source stop;
    std::jthread stopped([&] { EXPECT_FALSE(slots.take("c", stop.get_token()).ok()); });
    stop.request_stop();
    stopped.join();
    EXPECT_FALSE(done.load());
    held.reset();
    waiter.join();
    EXPECT_TRUE(done.load());
}

TEST(Hole9TenantSlots, threads_never_hold_more_than_there_are) {
    TenantSlotsOptions waiting = options(4);
    waiting.longest_wait = milliseconds(1);
    TenantSlots slots(waiting);
    std::atomic<int> inside{0}, most{0}, taken{0};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i) {
            threads.emplace_back([&, tenant = std::to_string(i % 3)] {
                for (int n = 0; n < 500; ++n) {
                    const auto slot = slots.take(tenant);
                    if (slot.ok()) {
                        const int now = ++inside;
                        most = std::max(most.load(), now);
                        ++taken;
                        --inside;
                    }
                }
            });
        }
    }
    EXPECT_LE(most.load(), 4);
    EXPECT_GT(taken.load(), 0);
    EXPECT_EQ(slots.in_use(), 0);
}

}  // namespace
}  // namespace jobforge::connect
