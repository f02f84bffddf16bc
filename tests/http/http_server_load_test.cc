// More requests than can be served, and the server's end.
#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "http_server_world.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;

TEST(HttpServerLoad, a_full_queue_is_a_503_at_once_and_liveness_still_answers) {
    HttpServerWorld world([](WorldOptions& options) {
        options.handler_threads = 1;
        options.queue_limit = 1;
        options.shed_after = 1h;
    });
    HttpConnection running(world.port());
    running.send(request_text("GET", "/wait"));
    ASSERT_TRUE(world.gate.wait_for(1));
    HttpConnection waiting(world.port());
    waiting.send(request_text("GET", "/echo"));
    ASSERT_TRUE(wait_until([&] { return world.server->load().waiting == 1; }));

    HttpConnection refused(world.port());
    refused.send(request_text("GET", "/echo"));
    const HttpReply reply = refused.receive_one();  // while the only handler thread is held
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(error_code_of(reply), "QUEUE_UNAVAILABLE");
    EXPECT_EQ(header_of(reply, "Retry-After"), "1");
    EXPECT_EQ(world.ask("/now").status, 200);
    EXPECT_EQ(world.server->load().handling, 1u);

    world.gate.open();
    EXPECT_EQ(running.receive_one().status, 200);
    EXPECT_EQ(waiting.receive_one().status, 200);
    refused.send(request_text("GET", "/echo"));
    EXPECT_EQ(refused.receive_one().status, 200) << "the same connection, once there is room";
}

TEST(HttpServerLoad, drain_finishes_what_was_begun_and_refuses_what_was_not) {
    HttpServerWorld world;
    HttpConnection idle(world.port());
    idle.send(request_text("GET", "/now"));
    EXPECT_EQ(idle.receive_one().status, 200);
    HttpConnection begun(world.port());
    begun.send(request_text("GET", "/wait") + request_text("GET", "/echo"));
    ASSERT_TRUE(world.gate.wait_for(1));
    HttpConnection half(world.port());
    half.send(request_text("POST", "/echo", "Expect: 100-continue\r\nContent-Length: 5\r\n"));
    EXPECT_EQ(half.receive_one().status, 100) << "its body is being read";

    auto drained = std::async(std::launch::async, [&] { return world.server->drain(20s); });
    EXPECT_EQ(idle.receive().status, 0);
    EXPECT_TRUE(idle.closed()) << "at once, although it had a minute";
    EXPECT_TRUE(wait_until([&] { return !HttpConnection(world.port()).connected(); }));
    half.send("hello");
    const HttpReply late = half.receive();
    EXPECT_EQ(late.body, "POST /echo hello");
    EXPECT_EQ(header_of(late, "Connection"), "close");
    EXPECT_EQ(drained.wait_for(0s), std::future_status::timeout) << "one is still handled";

    world.gate.open();
    const HttpReply last = begun.receive();
    EXPECT_EQ(last.body, "GET /wait ") << "without an answer to what was pipelined behind it";
    EXPECT_EQ(header_of(last, "Connection"), "close");
    EXPECT_TRUE(drained.get());
}

TEST(HttpServerLoad, drain_does_not_wait_longer_than_it_was_told) {
    HttpServerWorld world;
    HttpConnection begun(world.port());
    begun.send(request_text("GET", "/wait"));
    ASSERT_TRUE(world.gate.wait_for(1));
    EXPECT_FALSE(world.server->drain(50ms));
    world.gate.open();
    EXPECT_EQ(begun.receive().status, 200);
    EXPECT_TRUE(world.server->drain(20s));
}

TEST(HttpServerLoad, stops_at_once_although_clients_hang_on) {
    HttpServerWorld world;
    HttpConnection idle(world.port());
    HttpConnection half(world.port());
    half.send("GET /echo HT");
    HttpConnection running(world.port());
    running.send(request_text("GET", "/wait"));
    ASSERT_TRUE(world.gate.wait_for(1));
    HttpConnection deaf(world.port(), 4096);
    deaf.send(request_text("GET", "/large?n=50000000"));
    ASSERT_TRUE(deaf.receive_until("HTTP/1.1 200"));
    world.gate.open();
    const auto begin = std::chrono::steady_clock::now();
    world.server->stop();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 8s) << "not the 10 s that a slow head has";
    EXPECT_EQ(idle.receive().status, 0);
    EXPECT_TRUE(idle.closed());
    EXPECT_FALSE(HttpConnection(world.port()).connected());
    EXPECT_EQ(world.server->load().connections, 0u);
    world.server->stop();
}

TEST(HttpServerLoad, what_still_waits_when_it_stops_is_dropped_without_being_handled) {
    auto world = std::make_unique<HttpServerWorld>(
        [](WorldOptions& options) { options.handler_threads = 1; });
    HttpConnection running(world->port());
    running.send(request_text("GET", "/wait"));
    ASSERT_TRUE(world->gate.wait_for(1));
    HttpConnection waiting(world->port());
    waiting.send(request_text("GET", "/echo"));
    ASSERT_TRUE(wait_until([&] { return world->server->load().waiting == 1; }));
    auto stopped = std::async(std::launch::async, [&] { world->server->stop(); });
    EXPECT_EQ(waiting.receive().status, 0);
    EXPECT_TRUE(waiting.closed());
    world->gate.open();
    stopped.get();
}

TEST(HttpServerLoad, a_client_that_leaves_while_its_request_is_handled_harms_nobody) {
    HttpServerWorld world;
    {
        HttpConnection gone(world.port());
        gone.send(request_text("GET", "/wait"));
        ASSERT_TRUE(world.gate.wait_for(1));
    }
    world.gate.open();
    EXPECT_TRUE(wait_until([&] { return world.server->load().connections == 0; }));
    EXPECT_EQ(world.ask("/echo").status, 200);
}

TEST(HttpServerLoad, several_io_threads_serve_many_connections_at_once) {
    HttpServerWorld world([](WorldOptions& options) {
        options.io_threads = 3;
        options.handler_threads = 4;
    });
    std::vector<std::future<int>> clients;
    for (int client = 0; client < 8; ++client) {
        clients.push_back(std::async(std::launch::async, [&] {
            HttpConnection connection(world.port());
            int good = 0;
            for (int i = 0; i < 50; ++i) {
                connection.send(request_text("POST", "/echo", {}, "body"));
                good += connection.receive_one().body == "POST /echo body" ? 1 : 0;
            }
            return good;
        }));
    }
    for (auto& client : clients) {
        EXPECT_EQ(client.get(), 50);
    }
}

}  // namespace
}  // namespace jobforge::test
