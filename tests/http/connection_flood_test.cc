// Hole 12 of the attack on tenants: idle sockets of one address made health requests fail, and the
// log said nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <deque>

#include <fmt/format.h>

#include "http/server/connection_limits.h"
#include "http_server_world.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;
using http::address_group;
using http::ConnectionLimits;
using ::testing::HasSubstr;
using Place = ConnectionLimits::Place;

constexpr const char* kHostile = "127.0.0.66";
constexpr const char* kOther = "127.0.0.2";

// A server with room for eight connections, two of each address, whose /now is vital.
struct FloodWorld {
    explicit FloodWorld(const HttpServerWorld::Change& change = {})
        : http([&](WorldOptions& options) {
              options.max_connections = 8;
              options.max_connections_per_address = 2;
              options.reserve_connections = 3;
              options.idle_gives_way_after = 1h;
              options.flood_log_every = 1h;
              const auto plan = options.plan;
              options.plan = [plan](const http::RequestHead& head) {
                  http::Plan planned = plan(head);
                  planned.vital = head.path == "/now";
                  return planned;
              };
              if (change) {
                  change(options);
              }
          }) {}

    // Idle connections from that address, accepted.
    void open(int count, const char* from) {
        const std::size_t before = http.server->load().connections;
        for (int i = 0; i < count; ++i) {
            idle.emplace_back(http.port(), 0, from);
        }
        ASSERT_TRUE(wait_until([&] {
            return http.server->load().connections == before + static_cast<std::size_t>(count);
        })) << http.server->load().connections;
    }
    // Two from each of four addresses: no place is left.
    void fill() {
        for (const char* from : {"127.0.0.11", "127.0.0.12", "127.0.0.13", "127.0.0.14"}) {
            open(2, from);
        }
    }
    HttpReply ask(const char* target, const char* from) {
        HttpConnection connection(http.port(), 0, from);
        connection.send(request_text("GET", target));
        return connection.receive_one();
    }

    HttpServerWorld http;
    std::deque<HttpConnection> idle;
};

TEST(ConnectionFlood, one_address_has_its_share_and_others_are_served) {
    FloodWorld world;
    world.open(2, kHostile);
    const HttpReply refused = world.ask("/echo", kHostile);
    EXPECT_EQ(refused.status, 503) << "a third one of this address";
    EXPECT_EQ(error_code_of(refused), "QUEUE_UNAVAILABLE");
    EXPECT_NE(header_of(refused, "Retry-After"), "");
    EXPECT_EQ(header_of(refused, "Connection"), "close");
    EXPECT_EQ(world.ask("/echo", kOther).status, 200);
    world.idle.clear();
    EXPECT_TRUE(wait_until([&] { return world.ask("/echo", kHostile).status == 200; }))
        << "its places are free again";
}

TEST(ConnectionFlood, health_is_answered_when_every_place_is_taken) {
    FloodWorld world;
    world.fill();
    EXPECT_EQ(world.ask("/now", kOther).status, 200);
    EXPECT_EQ(world.ask("/now", "127.0.0.11").status, 200) << "of an address that has its share";
    EXPECT_EQ(world.ask("/echo", kOther).status, 503);
    EXPECT_EQ(world.http.ask("/echo", "Content-Type: text/plain\r\n", "POST", "hello").status, 503);
}

TEST(ConnectionFlood, sockets_that_fill_the_reserve_end_for_who_asks) {
    FloodWorld world([](WorldOptions& options) { options.reserve_timeout = 1h; });
    world.fill();
    world.open(3, kHostile);  // the reserve
    HttpConnection& oldest = world.idle[8];
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(world.ask("/now", i % 2 == 0 ? kOther : kHostile).status, 200);
    }
    (void)oldest.receive();
    EXPECT_TRUE(oldest.closed());
    EXPECT_FALSE(world.idle.front().has_news()) << "regular connections stay";
}

TEST(ConnectionFlood, a_socket_in_the_reserve_has_little_time) {
    FloodWorld world([](WorldOptions& options) {
        options.header_timeout = 1h;
        options.tls_handshake_timeout = 1h;
        options.reserve_timeout = 100ms;
    });
    world.fill();
    HttpConnection slow(world.http.port(), 0, kHostile);
    slow.send("GET /now HT");
    EXPECT_EQ(slow.receive().status, 0);
    EXPECT_TRUE(slow.closed());
    EXPECT_FALSE(world.idle.front().has_news());
}

TEST(ConnectionFlood, a_connection_in_the_reserve_is_for_one_request) {
    FloodWorld world;
    world.fill();
    HttpConnection client(world.http.port(), 0, kOther);
    client.send(request_text("GET", "/now") + request_text("GET", "/now"));
    const HttpReply reply = client.receive();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "now") << "and no second answer";
}

// Four addresses that hold two each, and one that holds one: idle ones of the crowds go first.
TEST(ConnectionFlood, at_the_limit_idle_connections_of_the_largest_crowd_give_way) {
    FloodWorld world([](WorldOptions& options) {
        options.max_connections = 3;
        options.idle_gives_way_after = 0ms;
        options.header_timeout = 1h;
    });
    world.open(1, kOther);  // the oldest, but alone
    world.open(2, kHostile);
    EXPECT_TRUE(wait_until([&] { return world.ask("/echo", "127.0.0.3").status == 200; }));
    EXPECT_TRUE(wait_until([&] { return world.idle[1].has_news(); }));
    EXPECT_FALSE(world.idle[0].has_news());
    EXPECT_THAT(world.http.witness->log(), HasSubstr("too many connections"));
}

TEST(ConnectionFlood, a_request_under_way_does_not_give_way) {
    FloodWorld world([](WorldOptions& options) {
        options.max_connections = 1;
        options.idle_gives_way_after = 0ms;
    });
    HttpConnection busy(world.http.port(), 0, kHostile);
    busy.send(request_text("GET", "/wait"));
    ASSERT_TRUE(world.http.gate.wait_for(1));
    EXPECT_EQ(world.ask("/echo", kOther).status, 503);
    world.http.gate.open();
    EXPECT_EQ(busy.receive_one().status, 200);
}

TEST(ConnectionFlood, the_log_has_one_line_and_later_the_count) {
    FloodWorld world([](WorldOptions& options) { options.flood_log_every = 300ms; });
    world.open(2, kHostile);
    for (int i = 0; i < 30; ++i) {
        EXPECT_EQ(world.ask("/echo", kHostile).status, 503);
    }
    const auto lines = [&] {
        const std::string log = world.http.witness->log();
        std::size_t count = 0;
        for (auto at = log.find("too many"); at != std::string::npos;
             at = log.find("too many", at + 1)) {
            ++count;
        }
        return count;
    };
    EXPECT_THAT(world.http.witness->log(),
                HasSubstr("too many connections over_address_limit=1 over_limit=0 idle_closed=0 "
                          "address=\"127.0.0.66\" address_limit=2 limit=8\n"));
    // What came after the first line is told without another refusal.
    EXPECT_TRUE(wait_until([&] { return lines() >= 2; })) << world.http.witness->log();
    EXPECT_LT(lines(), 10u) << world.http.witness->log();
}

TEST(ConnectionLimitsCount, by_address_and_by_network_of_ipv6) {
    EXPECT_EQ(address_group("192.0.2.7"), "192.0.2.7");
    EXPECT_EQ(address_group("::ffff:192.0.2.7"), "192.0.2.7");
    EXPECT_EQ(address_group("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
    EXPECT_EQ(address_group("2001:db8:1:2:ffff::1"), "2001:db8:1:2::/64");
    EXPECT_EQ(address_group("fe80::1%eth0"), "fe80::/64");
    EXPECT_NE(address_group("2001:db8:1:3::1"), address_group("2001:db8:1:2::1"));
}

TEST(ConnectionLimitsCount, places_come_back) {
    ConnectionLimits limits({.all = 3, .per_address = 2});
    {
        const auto a = limits.take("a");
        const auto b = limits.take("a");
        const auto c = limits.take("a");
        EXPECT_EQ(c.place(), Place::over_address);
        const auto d = limits.take("b");
        EXPECT_EQ(d.place(), Place::regular);
        EXPECT_EQ(limits.take("c").place(), Place::over_all);
        EXPECT_EQ(limits.of("a"), 2u);
    }
    EXPECT_EQ(limits.of("a"), 0u);
    const auto again = limits.take("a");
    EXPECT_EQ(again.place(), Place::regular);
}

}  // namespace
}  // namespace jobforge::test
