// A large body is asked for only when its sender was let in.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "http_server_world.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;
using http::Request;
using http::Response;

constexpr std::size_t kAdmitAbove = 1000;

// Lets in whom `decide` does not refuse, and counts who asked.
class Door final {
public:
    using Decide = std::function<std::optional<Response>(Request&)>;

    [[nodiscard]] HttpServerWorld::Change with(Decide decide) {
        return [this, decide = std::move(decide)](WorldOptions& options) {
            options.admit_above = kAdmitAbove;
            options.admit = [this, decide](Request& request) {
                ++asked;
                return decide(request);
            };
        };
    }
    std::atomic<int> asked = 0;
};

std::optional<Response> nobody(Request& request) {
    return error_response(Error::of(ErrorCode::UNAUTHORIZED, "nobody may"), request);
}

std::optional<Response> everybody(Request& /*request*/) {
    return std::nullopt;
}

std::string chunk(std::size_t size) {
    return fmt::format("{:x}\r\n{}\r\n", size, std::string(size, 'c'));
}

TEST(HttpServerAdmission, who_is_refused_is_not_asked_for_the_body) {
    Door door;
    const HttpServerWorld world(door.with(nobody));
    for (const char* expect : {"", "Expect: 100-continue\r\n"}) {
        HttpConnection client(world.port());
        client.send(
            request_text("POST", "/echo", fmt::format("Content-Length: 1001\r\n{}", expect)));
        const HttpReply reply = client.receive_one();
        EXPECT_EQ(reply.status, 401) << "the first word of the server, before any of the body";
        EXPECT_EQ(error_code_of(reply), "UNAUTHORIZED");
        EXPECT_EQ(header_of(reply, "Connection"), "close") << "what follows is not a request";
    }
    EXPECT_EQ(door.asked, 2);
    // Observed when the answer is on its way: the client may have it first.
    ASSERT_TRUE(wait_until([&] { return world.witness->seen().size() == 2; }));
    EXPECT_EQ(world.witness->seen()[0].route_label, "/echo");
}

TEST(HttpServerAdmission, a_chunked_body_is_asked_about_when_it_has_grown) {
    Door door;
    const HttpServerWorld world(door.with(nobody));
    HttpConnection client(world.port());
    client.send(request_text("POST", "/echo", "Transfer-Encoding: chunked\r\n") + chunk(600));
    EXPECT_FALSE(client.has_news());
    client.send(chunk(600));
    EXPECT_EQ(client.receive().status, 401);
    EXPECT_EQ(door.asked, 1);
}

TEST(HttpServerAdmission, small_bodies_are_read_without_asking) {
    Door door;
    const HttpServerWorld world(door.with(nobody));
    EXPECT_EQ(world.ask("/echo", {}, "POST", std::string(kAdmitAbove, 'b')).status, 200);
    EXPECT_EQ(world.ask("/echo").status, 200);
    HttpConnection chunked(world.port());
    chunked.send(request_text("POST", "/echo", "Transfer-Encoding: chunked\r\n") +
                 chunk(kAdmitAbove) + "0\r\n\r\n");
    EXPECT_EQ(chunked.receive_one().status, 200);
    EXPECT_EQ(world.ask("/echo", "Content-Length: 99999999\r\n", "POST").status, 413);
    EXPECT_EQ(door.asked, 0);
}

TEST(HttpServerAdmission, who_is_let_in_is_told_to_go_on_and_asked_about_once_a_request) {
    Door door;
    const HttpServerWorld world(door.with(everybody));
    HttpConnection client(world.port());
    const std::string body(5000, 'b');
    for (int request = 1; request <= 2; ++request) {
        client.send(
            request_text("POST", "/echo", "Content-Length: 5000\r\nExpect: 100-continue\r\n"));
        EXPECT_EQ(client.receive_one().status, 100);
        EXPECT_EQ(door.asked, request);
        client.send(body);
        EXPECT_EQ(client.receive_one().body, "POST /echo " + body);
    }
    client.send(request_text("POST", "/echo", "Transfer-Encoding: chunked\r\n") + chunk(150'000) +
                chunk(150'000) + "0\r\n\r\n" + request_text("GET", "/now"));
    EXPECT_EQ(client.receive_one().body, "POST /echo " + std::string(300'000, 'c'));
    EXPECT_EQ(client.receive_one().body, "now");
    EXPECT_EQ(door.asked, 3);
}

TEST(HttpServerAdmission, who_was_told_to_go_on_is_not_told_again_in_the_middle) {
    Door door;
    const HttpServerWorld world(door.with(everybody));
    HttpConnection client(world.port());
    client.send(
        request_text("POST", "/echo", "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n"));
    EXPECT_EQ(client.receive_one().status, 100);
    client.send(chunk(2000));
    EXPECT_TRUE(wait_until([&] { return door.asked == 1; }));
    client.send("0\r\n\r\n");
    EXPECT_EQ(client.receive_one().body, "POST /echo " + std::string(2000, 'c'));
}

// Answers with what its admission has decided, if it was asked.
struct Deciding final : http::Exchange {
    [[nodiscard]] std::optional<Response> admit() override {
        decided = "asked";
        return std::nullopt;
    }
    [[nodiscard]] Response handle() override { return {.body = decided}; }
    void observe(const http::Observation& /*observation*/) override {}
    std::string decided = "not asked";
};

struct DecidingApplication final : http::Application {
    [[nodiscard]] http::Plan plan(Request& /*request*/) override {
        http::Plan plan;
        plan.body_limit = kBodyLimit;
        plan.exchange = std::make_unique<Deciding>();
        plan.asks_admission = true;
        return plan;
    }
    void observe(const http::Observation& /*observation*/) override {}
};

TEST(HttpServerAdmission, what_was_decided_is_there_for_the_handler) {
    DecidingApplication application;
    http::ServerOptions options;
    options.admit_above = kAdmitAbove;
    const auto server = std::move(http::Server::start(application, options)).value();
    HttpConnection client(server->port());
    client.send(request_text("POST", "/echo", {}, std::string(5000, 'b')));
    EXPECT_EQ(client.receive_one().body, "asked");
    client.send(request_text("POST", "/echo", {}, "small"));
    EXPECT_EQ(client.receive_one().body, "not asked")
        << "nothing is left for the connection's next request";
}

TEST(HttpServerAdmission, a_fault_is_a_500_that_shows_nothing) {
    Door door;
    for (const bool standard : {true, false}) {
        const HttpServerWorld world(door.with([&](Request&) -> std::optional<Response> {
            if (standard) {
                throw std::runtime_error("pl4nted-s3cret");
            }
            throw 7;
        }));
        const HttpReply reply = world.ask("/echo", "Content-Length: 5000\r\n", "POST");
        EXPECT_EQ(reply.status, 500);
        EXPECT_EQ(reply.body.find("pl4nted"), std::string::npos);
        EXPECT_EQ(world.witness->log().find("pl4nted") != std::string::npos, standard);
    }
}

TEST(HttpServerAdmission, it_waits_in_the_queue_of_all_requests_and_is_shed_like_them) {
    Door door;
    const auto change = door.with(everybody);
    HttpServerWorld world([&](WorldOptions& options) {
        change(options);
        options.handler_threads = 1;
        options.queue_limit = 1;
    });
    HttpConnection working(world.port());
    working.send(request_text("GET", "/wait"));
    ASSERT_TRUE(world.gate.wait_for(1));
    HttpConnection waiting(world.port());
    waiting.send(request_text("GET", "/echo"));
    ASSERT_TRUE(wait_until([&] { return world.server->load().waiting == 1; }));
    const HttpReply shed = world.ask("/echo", "Content-Length: 5000\r\n", "POST");
    EXPECT_EQ(shed.status, 503);
    EXPECT_EQ(error_code_of(shed), "QUEUE_UNAVAILABLE");
    EXPECT_EQ(header_of(shed, "Connection"), "close");
    EXPECT_EQ(door.asked, 0);
}

TEST(HttpServerAdmission, what_a_refused_client_has_sent_is_not_kept) {
    Door door;
    const auto change = door.with(nobody);
    const HttpServerWorld world([&](WorldOptions& options) {
        change(options);
        options.admit_above = 300'000;
        options.max_bodies_bytes = 500'000;
    });
    HttpConnection refused(world.port());
    refused.send(request_text("POST", "/echo", "Transfer-Encoding: chunked\r\n") + chunk(400'000));
    EXPECT_EQ(refused.receive_one().status, 401);
    EXPECT_EQ(world.ask("/echo", {}, "POST", std::string(250'000, 'b')).status, 200)
        << "its share is free, although it has not closed";
}

TEST(HttpServerAdmission, a_slow_client_is_cut_off_after_it_was_let_in) {
    Door door;
    const auto change = door.with(everybody);
    const HttpServerWorld world([&](WorldOptions& options) {
        change(options);
        options.transfer_grace = 200ms;
        options.min_bytes_per_second = 100'000;
    });
    HttpConnection slow(world.port());
    slow.send(request_text("POST", "/echo", "Content-Length: 1000000\r\n"));
    EXPECT_TRUE(wait_until([&] { return !slow.send("x"); }));
    HttpConnection chunked(world.port());
    chunked.send(request_text("POST", "/echo", "Transfer-Encoding: chunked\r\n") + chunk(2000));
    EXPECT_TRUE(wait_until([&] { return !chunked.send("1\r\nx\r\n"); }));
    EXPECT_TRUE(world.witness->seen().empty()) << "no handler has seen them";
    EXPECT_EQ(door.asked, 2);
}

TEST(HttpServerAdmission, the_time_it_takes_is_not_the_clients) {
    Gate gate;
    Door door;
    const auto change = door.with([&](Request&) -> std::optional<Response> {
        gate.pass();
        return std::nullopt;
    });
    const HttpServerWorld world([&](WorldOptions& options) {
        change(options);
        options.header_timeout = 300ms;
        options.transfer_grace = 300ms;
        options.min_bytes_per_second = 1'000'000'000;
    });
    const auto begin = std::chrono::steady_clock::now();
    HttpConnection client(world.port());
    client.send(request_text("POST", "/echo", {}, std::string(200'000, 'b')));
    ASSERT_TRUE(gate.wait_for(1));
    ASSERT_TRUE(wait_until([&] { return std::chrono::steady_clock::now() - begin > 600ms; }));
    gate.open();
    EXPECT_EQ(client.receive_one().status, 200);
}

}  // namespace
}  // namespace jobforge::test
