// Clients that are slow on purpose, and those that must not notice.
#include <gtest/gtest.h>

#include <cstring>

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <memory>
#include <vector>

#include "http/server/transfer_pace.h"
#include "http_server_world.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;

bool nobody_is_connected(const HttpServerWorld& world) {
    return wait_until([&] { return world.server->load().connections == 0; });
}

TEST(TransferPace, every_byte_buys_time_and_none_buys_none) {
    const auto begun = std::chrono::steady_clock::now();
    const http::TransferPace pace{begun, 10s, 1000};
    EXPECT_EQ(pace.deadline(0), begun + 10s);
    EXPECT_EQ(pace.deadline(500), begun + 10s + 500ms);
    EXPECT_EQ(pace.deadline(1'000'000), begun + 1010s);
}

TEST(TransferPace, no_more_time_is_banked_than_a_pause_may_take) {
    const auto begun = std::chrono::steady_clock::now();
    http::TransferPace pace{begun, 10s, 1000};
    pace.most_banked = 30s;
    auto deadline = pace.extended(pace.deadline(0), 5000, begun);
    EXPECT_EQ(deadline, begun + 15s);
    deadline = pace.extended(deadline, 1'000'000, begun + 1s);
    EXPECT_EQ(deadline, begun + 31s);
    deadline = pace.extended(deadline, 1, begun + 30s);
    EXPECT_EQ(deadline, begun + 31s + 1ms) << "a byte now and then buys what it is worth";
}

TEST(TransferPace, what_comes_at_once_does_not_wait_and_the_rest_does) {
    const auto begun = std::chrono::steady_clock::now();
    const http::TransferPace pace{begun, 10s, 1000, 2'000'000, 500};
    EXPECT_EQ(pace.next(0), begun);
    EXPECT_EQ(pace.next(500), begun);
    EXPECT_EQ(pace.next(500 + 2000), begun + 1ms);
    EXPECT_EQ(pace.next(std::uint64_t{500} + 20'000'000'000), begun + 10'000s);
    const http::TransferPace unlimited{begun, 10s, 1000};
    EXPECT_EQ(unlimited.next(1'000'000'000), begun);
}

TEST(HttpServerSlow, a_large_body_is_read_at_a_pace_and_a_small_one_at_once) {
    const HttpServerWorld world(
        [](WorldOptions& options) { options.max_bytes_per_second = 1'000'000; });
    const auto upload = [&](std::size_t size) {
        const auto begun = std::chrono::steady_clock::now();
        HttpConnection connection(world.port());
        connection.send(request_text("POST", "/echo", fmt::format("Content-Length: {}\r\n", size)) +
                        std::string(size, 'x'));
        EXPECT_EQ(connection.receive_one().body.size(), size + std::strlen("POST /echo "));
        return std::chrono::steady_clock::now() - begun;
    };
    // The last piece is at hand when the one before it has had its time.
    EXPECT_GE(upload(65536 + 400'000), 300ms);
    // One that needs no second read cannot have waited: the next would have come too late.
    EXPECT_TRUE(wait_until([&] { return upload(10'000) < 300ms; }));
}

TEST(HttpServerSlow, who_waits_for_the_rest_of_a_body_stops_at_once) {
    HttpServerWorld world([](WorldOptions& options) { options.max_bytes_per_second = 1; });
    HttpConnection connection(world.port());
    connection.send(request_text("POST", "/echo", "Content-Length: 500000\r\n") +
                    std::string(200'000, 'x'));
    for (int i = 0; i < 20; ++i) {  // then the I/O thread has come to the body, too
        EXPECT_EQ(world.ask("/echo").status, 200);
    }
    world.server->stop();
    EXPECT_EQ(world.server->load().connections, 0u);
}

TEST(HttpServerSlow, five_hundred_unfinished_heads_do_not_disturb_others_and_are_cut) {
    rlimit files{};  // both ends of every connection are ours
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = std::max<rlim_t>(files.rlim_cur, 2048);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
    const HttpServerWorld world([](WorldOptions& options) {
        options.header_timeout = 6s;
        options.idle_timeout = 100s;
    });
    std::vector<std::unique_ptr<HttpConnection>> slow;
    for (int i = 0; i < 500; ++i) {
        slow.push_back(std::make_unique<HttpConnection>(world.port()));
        ASSERT_TRUE(slow.back()->connected()) << i;
        ASSERT_TRUE(slow.back()->send("GET /echo HTTP/1.1\r\nHost: x\r\nX-Slow: "));
    }
    // All are held, each with a byte now and then, while healthy requests are answered.
    EXPECT_TRUE(wait_until([&] { return world.server->load().connections == 500; }));
    for (int i = 0; i < 50; ++i) {
        (void)slow[static_cast<std::size_t>(i)]->send("x");
        EXPECT_EQ(world.ask("/echo").status, 200) << i;
    }
    // Only a deadline for the whole head ends who sends another byte whenever it is looked at.
    EXPECT_TRUE(wait_until([&] {
        bool open = false;
        for (const auto& connection : slow) {
            open = connection->send("x") || open;
        }
        return !open;
    }));
    EXPECT_TRUE(nobody_is_connected(world));
    EXPECT_EQ(world.ask("/echo").status, 200);
}

TEST(HttpServerSlow, a_connection_that_says_nothing_is_cut) {
    const HttpServerWorld world([](WorldOptions& options) { options.header_timeout = 100ms; });
    HttpConnection silent(world.port());
    EXPECT_EQ(silent.receive().status, 0);
    EXPECT_TRUE(silent.closed());
}

TEST(HttpServerSlow, an_idle_connection_is_cut_later_than_an_unfinished_head) {
    const HttpServerWorld world([](WorldOptions& options) {
        options.header_timeout = 100ms;
        options.idle_timeout = 700ms;
    });
    HttpConnection idle(world.port());
    const auto begin = std::chrono::steady_clock::now();
    idle.send(request_text("GET", "/now"));
    EXPECT_EQ(idle.receive_one().status, 200);
    EXPECT_EQ(idle.receive().status, 0);
    EXPECT_TRUE(idle.closed());
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 700ms);
}

TEST(HttpServerSlow, who_was_idle_has_no_more_time_for_a_head_than_others) {
    const HttpServerWorld world([](WorldOptions& options) {
        options.header_timeout = 100ms;
        options.idle_timeout = 1h;
    });
    HttpConnection slow(world.port());
    slow.send(request_text("GET", "/now"));
    EXPECT_EQ(slow.receive_one().status, 200);
    slow.send("GET /now HTTP/1.1\r\n");
    EXPECT_EQ(slow.receive().status, 0);
    EXPECT_TRUE(slow.closed());
}

TEST(HttpServerSlow, a_body_below_the_minimum_rate_is_cut) {
    const HttpServerWorld world([](WorldOptions& options) {
        options.transfer_grace = 200ms;
        options.min_bytes_per_second = 100'000;
    });
    HttpConnection by_length(world.port());
    by_length.send(request_text("POST", "/echo", "Content-Length: 1000000\r\n"));
    EXPECT_TRUE(wait_until([&] { return !by_length.send("x"); }));
    HttpConnection chunked(world.port());
    chunked.send(request_text("POST", "/echo", "Transfer-Encoding: chunked\r\n"));
    EXPECT_TRUE(wait_until([&] { return !chunked.send("1\r\nx\r\n"); }));
    EXPECT_TRUE(nobody_is_connected(world));
    EXPECT_TRUE(world.witness->seen().empty()) << "no handler has seen them";
}

TEST(HttpServerSlow, a_body_that_stops_is_cut_however_much_of_it_has_come) {
    const HttpServerWorld world([](WorldOptions& options) {
        options.transfer_grace = 200ms;
        options.longest_pause = 300ms;
        options.min_bytes_per_second = 1000;
    });
    HttpConnection stopped(world.port());
    stopped.send(request_text("POST", "/echo", "Content-Length: 1000000\r\n") +
                 std::string(900'000, 'x'));
    EXPECT_EQ(stopped.receive().status, 0);
    EXPECT_TRUE(nobody_is_connected(world)) << "what has come would have bought 900 s";
    EXPECT_TRUE(world.witness->seen().empty()) << "no handler has seen it";
}

TEST(HttpServerSlow, who_does_not_read_a_large_answer_is_cut) {
    const HttpServerWorld world([](WorldOptions& options) {
        options.transfer_grace = 200ms;
        options.min_bytes_per_second = 1'000'000'000;  // what the system buffers buys little
    });
    HttpConnection deaf(world.port(), 4096);
    deaf.send(request_text("GET", "/large?n=50000000"));
    EXPECT_TRUE(wait_until([&] { return !world.witness->seen().empty(); }));
    EXPECT_TRUE(nobody_is_connected(world));
    EXPECT_LT(deaf.receive().body.size(), 50'000'000u);
}

TEST(HttpServerSlow, who_does_not_read_holds_no_handler_thread) {
    const HttpServerWorld world([](WorldOptions& options) { options.handler_threads = 1; });
    HttpConnection deaf(world.port(), 4096);
    deaf.send(request_text("GET", "/large?n=50000000"));
    EXPECT_TRUE(deaf.receive_until("\r\n\r\n")) << "its answer is being written";
    EXPECT_EQ(world.ask("/echo").status, 200);
    EXPECT_EQ(world.witness->seen().size(), 1u) << "and still is";
}

TEST(HttpServerSlow, a_large_answer_arrives_whole_at_who_reads) {
    const HttpServerWorld world;
    EXPECT_EQ(world.ask("/large?n=20000000").body.size(), 20'000'000u);
}

}  // namespace
}  // namespace jobforge::test
