// All bodies in memory together are bounded, and small ones pass when large ones have taken it all.
#include "api/body_budget.h"

#include <gtest/gtest.h>

#include <string>

#include "http_server_world.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using api::BodyBudget;

constexpr std::size_t kFree = BodyBudget::kFreeBytes;

TEST(BodyBudgetTest, a_share_grows_until_nothing_is_left_and_gives_back_what_it_took) {
    BodyBudget budget(1000);
    BodyBudget::Share first(budget);
    EXPECT_TRUE(first.grow_to(kFree + 600));
    EXPECT_TRUE(first.grow_to(kFree + 100)) << "a share does not shrink";
    {
        BodyBudget::Share second(budget);
        EXPECT_TRUE(second.grow_to(kFree)) << "free";
        EXPECT_TRUE(second.grow_to(kFree + 400));
        EXPECT_FALSE(second.grow_to(kFree + 401));
        EXPECT_FALSE(first.grow_to(kFree + 601));
    }
    EXPECT_TRUE(first.grow_to(kFree + 1000));
    first.give_back();
    BodyBudget::Share third(budget);
    EXPECT_TRUE(third.grow_to(kFree + 1000));
}

TEST(BodyBudgetTest, a_large_body_beyond_the_budget_is_a_503_and_small_ones_are_served) {
    HttpServerWorld world(
        [](api::HttpServerOptions& options) { options.max_bodies_bytes = 500'000; });
    const std::string large(400'000, 'b');
    HttpConnection held(world.port());
    ASSERT_TRUE(held.send(request_text("POST", "/wait", {}, large)));
    ASSERT_TRUE(world.gate.wait_for(1)) << "its body is in memory until it is answered";

    const HttpReply refused = world.ask("/echo", {}, "POST", large);
    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(error_code_of(refused), "QUEUE_UNAVAILABLE");
    EXPECT_EQ(header_of(refused, "Retry-After"), "1");
    EXPECT_EQ(header_of(refused, "Connection"), "close");
    EXPECT_EQ(world.ask("/echo", {}, "POST", std::string(kFree, 's')).status, 200);

    world.gate.open();
    EXPECT_EQ(held.receive_one().status, 200);
    EXPECT_TRUE(wait_until([&] { return world.ask("/echo", {}, "POST", large).status == 200; }))
        << "what was held is given back, although its connection stays";
}

TEST(BodyBudgetTest, a_client_that_leaves_gives_its_share_back) {
    const HttpServerWorld world(
        [](api::HttpServerOptions& options) { options.max_bodies_bytes = 500'000; });
    const std::string large(400'000, 'b');
    {
        HttpConnection gone(world.port());
        gone.send(request_text("POST", "/echo", "Content-Length: 400001\r\n") + large);
    }
    EXPECT_TRUE(wait_until([&] { return world.ask("/echo", {}, "POST", large).status == 200; }));
}

}  // namespace
}  // namespace jobforge::test
