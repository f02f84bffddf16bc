// All bodies in memory together are bounded, and small ones pass when large ones have taken it all.
#include "http/server/body_budget.h"

#include <gtest/gtest.h>

#include <string>

#include "http_server_world.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using http::BodyBudget;
using Grant = http::BodyBudget::Grant;

constexpr std::size_t kFree = BodyBudget::kFreeBytes;

// A server whose requests are of the party that their header X-Party names.
void use_parties(WorldOptions& options) {
    options.plan = [plan = options.plan](const http::RequestHead& head) {
        http::Plan made = plan(head);
        const std::string* party = head.header("x-party");
        made.party = party == nullptr ? "" : *party;
        return made;
    };
}

TEST(BodyBudgetTest, a_share_grows_until_nothing_is_left_and_gives_back_what_it_took) {
    BodyBudget budget(1000);
    BodyBudget::Share first(budget);
    EXPECT_EQ(first.grow_to(kFree + 600), Grant::given);
    EXPECT_EQ(first.grow_to(kFree + 100), Grant::given) << "a share does not shrink";
    {
        BodyBudget::Share second(budget);
        EXPECT_EQ(second.grow_to(kFree), Grant::given) << "free";
        EXPECT_EQ(second.grow_to(kFree + 400), Grant::given);
        EXPECT_EQ(second.grow_to(kFree + 401), Grant::all_is_full);
        EXPECT_EQ(first.grow_to(kFree + 601), Grant::all_is_full);
    }
    EXPECT_EQ(first.grow_to(kFree + 1000), Grant::given);
    first.give_back();
    BodyBudget::Share third(budget);
    EXPECT_EQ(third.grow_to(kFree + 1000), Grant::given);
}

TEST(BodyBudgetTest, a_party_gets_two_thirds_and_takes_what_it_has_along) {
    BodyBudget budget(900);
    BodyBudget::Share first(budget);
    BodyBudget::Share second(budget);
    ASSERT_TRUE(first.move_to("log-in"));
    EXPECT_EQ(first.grow_to(kFree + 500), Grant::given);
    ASSERT_TRUE(second.move_to("tenant"));
    EXPECT_EQ(second.grow_to(kFree + 200), Grant::given);
    EXPECT_FALSE(first.move_to("tenant")) << "together they have more than 600";
    EXPECT_EQ(first.grow_to(kFree + 601), Grant::party_is_full);
    EXPECT_EQ(second.grow_to(kFree + 401), Grant::all_is_full);
    second.give_back();
    EXPECT_TRUE(first.move_to("tenant"));
    EXPECT_EQ(second.grow_to(kFree + 101), Grant::party_is_full) << "what it took came along";
    BodyBudget::Share third(budget);
    ASSERT_TRUE(third.move_to("log-in"));
    EXPECT_EQ(third.grow_to(kFree + 400), Grant::given);
}

TEST(BodyBudgetTest, a_large_body_beyond_the_budget_is_a_503_and_small_ones_are_served) {
    HttpServerWorld world([](WorldOptions& options) { options.max_bodies_bytes = 500'000; });
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

TEST(BodyBudgetTest, a_party_whose_bodies_stay_half_sent_leaves_room_for_others) {
    const HttpServerWorld world([](WorldOptions& options) {
        use_parties(options);
        options.max_bodies_bytes = 1'500'000;
        options.max_bytes_per_second = 0;
    });
    HttpConnection first(world.port());
    HttpConnection second(world.port());
    const std::string half(700'000, 'b');
    for (HttpConnection* const client : {&first, &second}) {
        client->send(request_text("POST", "/echo", "X-Party: a\r\nContent-Length: 1000000\r\n") +
                     half);
    }
    ASSERT_TRUE(wait_until([&] { return first.has_news() || second.has_news(); }));
    const bool is_first = first.has_news();
    const HttpReply refused = (is_first ? first : second).receive_one();
    EXPECT_EQ(refused.status, 429) << "two of them are more than 1,000,000 bytes";
    EXPECT_EQ(error_code_of(refused), "RATE_LIMITED");
    EXPECT_EQ(header_of(refused, "Retry-After"), "1");
    const std::string other(480'000, 'o');
    EXPECT_EQ(world.ask("/echo", "X-Party: b\r\n", "POST", other).status, 200);
    HttpConnection& rest = is_first ? second : first;
    rest.send(std::string(300'000, 'b'));
    EXPECT_EQ(rest.receive_one().status, 200);
}

TEST(BodyBudgetTest, a_client_that_leaves_gives_its_share_back) {
    const HttpServerWorld world([](WorldOptions& options) { options.max_bodies_bytes = 500'000; });
    const std::string large(400'000, 'b');
    {
        HttpConnection gone(world.port());
        gone.send(request_text("POST", "/echo", "Content-Length: 400001\r\n") + large);
    }
    EXPECT_TRUE(wait_until([&] { return world.ask("/echo", {}, "POST", large).status == 200; }));
}

}  // namespace
}  // namespace jobforge::test
