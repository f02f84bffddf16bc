// The HTTP server by real requests over a socket: messages, connections, refusals.
#include "http/server/http_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

#include "http_server_world.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;

TEST(HttpServer, answers_with_length_date_and_correlation_id) {
    const HttpServerWorld world;
    const HttpReply reply = world.ask("/echo?a=b", "X-Correlation-Id: my.id_1-x\r\n");
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "GET /echo ");
    EXPECT_EQ(header_of(reply, "Content-Length"), "10");
    EXPECT_EQ(header_of(reply, "Content-Type"), "application/json");
    EXPECT_EQ(header_of(reply, "X-Correlation-Id"), "my.id_1-x");
    EXPECT_EQ(header_of(reply, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(header_of(reply, "Cache-Control"), "no-store");
    EXPECT_EQ(header_of(reply, "Connection"), "close");
    EXPECT_EQ(header_of(reply, "Date").size(), std::string("Sun, 06 Nov 1994 08:49:37 GMT").size());
    for (const std::string& bad : {std::string("a b"), std::string(129, 'x'), std::string("<a>")}) {
        const std::string id =
            header_of(world.ask("/now", "X-Correlation-Id: " + bad + "\r\n"), "X-Correlation-Id");
        EXPECT_EQ(id.size(), 36u) << "a new one instead of " << bad;
    }
}

TEST(HttpServer, keeps_a_connection_for_many_requests) {
    const HttpServerWorld world;
    HttpConnection connection(world.port());
    for (int i = 0; i < 20; ++i) {
        connection.send(request_text("POST", "/echo", {}, "body " + std::to_string(i)));
        const HttpReply reply = connection.receive_one();
        EXPECT_EQ(reply.body, "POST /echo body " + std::to_string(i));
        EXPECT_EQ(header_of(reply, "Connection"), "");
    }
    connection.send("GET /now HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(header_of(connection.receive_one(), "Connection"), "keep-alive");
    connection.send("GET /now HTTP/1.0\r\n\r\n");
    EXPECT_EQ(header_of(connection.receive(), "Connection"), "close");
    EXPECT_TRUE(connection.closed());
}

TEST(HttpServer, answers_a_hundred_pipelined_requests_in_order) {
    const HttpServerWorld world;
    HttpConnection connection(world.port());
    std::string all;
    for (int i = 0; i < 100; ++i) {
        const std::string body = "body " + std::to_string(i);
        all += i % 3 == 0   ? request_text("POST", "/echo", {}, body)
               : i % 3 == 1 ? "\r\n" + request_text("GET", "/now")
                            : request_text("POST", "/echo", "Transfer-Encoding: chunked\r\n") +
                                  "3\r\nx\r\n\r\n" + "0\r\n\r\n";
    }
    ASSERT_TRUE(connection.send(all));
    for (int i = 0; i < 100; ++i) {
        const HttpReply reply = connection.receive_one();
        ASSERT_EQ(reply.status, 200) << i;
        EXPECT_EQ(reply.body, i % 3 == 0   ? "POST /echo body " + std::to_string(i)
                              : i % 3 == 1 ? "now"
                                           : "POST /echo x\r\n")
            << i;
    }
}

TEST(HttpServer, handles_one_request_of_a_connection_at_a_time) {
    HttpServerWorld world;
    HttpConnection connection(world.port());
    connection.send(request_text("GET", "/wait") + request_text("GET", "/wait"));
    ASSERT_TRUE(world.gate.wait_for(1));
    HttpConnection other(world.port());
    other.send(request_text("GET", "/wait"));
    ASSERT_TRUE(world.gate.wait_for(2)) << "the second thread is free for another connection";
    EXPECT_EQ(world.server->load().waiting, 0u) << "the second request has not been read";
    world.gate.open();
    EXPECT_EQ(connection.receive_one().status, 200);
    EXPECT_EQ(connection.receive_one().status, 200);
}

TEST(HttpServer, answers_head_like_get_without_the_body) {
    const HttpServerWorld world;
    HttpConnection connection(world.port());
    connection.send(request_text("HEAD", "/large?n=5000") + request_text("HEAD", "/now") +
                    request_text("GET", "/now"));
    EXPECT_EQ(header_of(connection.receive_one(true), "Content-Length"), "5000");
    EXPECT_EQ(header_of(connection.receive_one(true), "Content-Length"), "3");
    EXPECT_EQ(connection.receive_one().body, "now") << "no byte of a body in between";
}

TEST(HttpServer, an_answer_without_content_has_neither_length_nor_type) {
    const HttpServerWorld world;
    const HttpReply reply = world.ask("/empty");
    EXPECT_EQ(reply.status, 204);
    EXPECT_EQ(reply.body, "");
    EXPECT_EQ(header_of(reply, "Content-Length"), "");
    EXPECT_EQ(header_of(reply, "Content-Type"), "");
}

TEST(HttpServer, asks_for_the_body_when_the_client_waits_for_that) {
    const HttpServerWorld world;
    HttpConnection connection(world.port());
    connection.send(request_text("POST", "/echo", "Expect: 100-continue\r\nContent-Length: 5\r\n"));
    const HttpReply go_on = connection.receive_one();
    EXPECT_EQ(go_on.status, 100);
    connection.send("hello");
    EXPECT_EQ(connection.receive_one().body, "POST /echo hello");

    connection.send(
        request_text("POST", "/echo", "Expect: 100-continue\r\nContent-Length: 9999999\r\n"));
    EXPECT_EQ(connection.receive().status, 413) << "no invitation to send what will be refused";
}

TEST(HttpServer, reads_bodies_up_to_the_limit) {
    const HttpServerWorld world;
    const std::string full(kBodyLimit, 'b');
    EXPECT_EQ(world.ask("/echo", {}, "POST", full).body, "POST /echo " + full);
    EXPECT_EQ(world.ask("/echo", {}, "POST", full + "b").status, 413);

    HttpConnection chunked(world.port());
    chunked.send(request_text("POST", "/echo", "Transfer-Encoding: chunked\r\n") + "100000\r\n" +
                 full + "\r\n1\r\nb");
    EXPECT_EQ(error_code_of(chunked.receive()), "PAYLOAD_LIMIT");
    EXPECT_TRUE(chunked.closed());
}

TEST(HttpServer, refuses_a_body_of_100_mb_without_reading_it) {
    const HttpServerWorld world;
    HttpConnection connection(world.port());
    connection.send(request_text("POST", "/echo", "Content-Length: 100000000\r\n"));
    const HttpReply reply = connection.receive_one();  // not a byte of the body was sent
    EXPECT_EQ(reply.status, 413);
    EXPECT_EQ(error_code_of(reply), "PAYLOAD_LIMIT");
    EXPECT_EQ(header_of(reply, "Connection"), "close");

    HttpConnection eager(world.port());
    (void)eager.send(request_text("POST", "/echo", "Content-Length: 100000000\r\n") +
                     std::string(10'000'000, 'b'));
    EXPECT_EQ(eager.receive().status, 413) << "who sends at once can still read why it was refused";
}

TEST(HttpServer, an_answer_before_the_body_ends_the_connection) {
    const HttpServerWorld world;
    HttpConnection connection(world.port());
    connection.send(request_text("POST", "/nowhere", {}, request_text("GET", "/now")));
    const HttpReply reply = connection.receive();
    EXPECT_EQ(reply.status, 404);
    EXPECT_EQ(reply.body.find("now\""), std::string::npos);
    EXPECT_EQ(reply.body.find("HTTP/1.1"), std::string::npos) << "the body was taken for a request";
    EXPECT_TRUE(connection.closed());
}

// The cases themselves are in request_head_check_test.cc and chunked_body_test.cc; here it is about
// what becomes of the connection: one refusal, and nothing behind it is looked at.
TEST(HttpServer, refuses_smuggling_and_ends_the_connection) {
    const HttpServerWorld world;
    const std::string next = request_text("GET", "/echo");
    std::string many_headers = "GET /echo HTTP/1.1\r\nHost: x\r\n";
    for (int i = 0; i < 10'000; ++i) {
        many_headers += "X: y\r\n";
    }
    const auto with = [](const std::string& headers) {
        return request_text("POST", "/echo", headers);
    };
    const std::pair<std::string, int> cases[] = {
        {with("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\nG", 400},
        {with("Transfer-Encoding: chunked\r\nContent-Length: 6\r\n") + "0\r\n\r\nG", 400},
        {with("Content-Length: 1\r\nContent-Length: 2\r\n") + "ab", 400},
        {with("Content-Length: 1\r\nContent-Length: 1\r\n") + "a", 400},
        {with("Content-Length: -1\r\n"), 400},
        {with("Content-Length: 18446744073709551617\r\n") + "a", 400},
        {with("Transfer-Encoding: chunked, gzip\r\n") + "0\r\n\r\n", 400},
        {with("Transfer-Encoding : chunked\r\n") + "0\r\n\r\n", 400},
        {"GET /echo HTTP/1.1\nHost: x\n\n", 400},
        {"GET /echo HTTP/1.1\r\nHost: x\n\r\n", 400},
        {with("X: a\r\n folded\r\n"), 400},
        {with(std::string("X: a\0b\r\n", 8)), 400},
        {"GET /echo HTTP/1.1\r\n\r\n", 400},
        {"GET /echo HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
        {with("Transfer-Encoding: chunked\r\n") + "-5\r\nhello\r\n0\r\n\r\n", 400},
        {with("Transfer-Encoding: chunked\r\n") + "5\nhello\r\n0\r\n\r\n", 400},
        {with("Transfer-Encoding: chunked\r\n") + "FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n", 400},
        {with("Transfer-Encoding: chunked\r\n") + "5;" + std::string(9000, 'e') + "\r\nhello", 400},
        {"POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        {"GET /echo/../now HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {many_headers + "\r\n", 431},
        {"GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", 414},
        {"GET /echo HTTP/2.0\r\nHost: x\r\n\r\n", 505},
    };
    for (const auto& [text, status] : cases) {
        HttpConnection connection(world.port());
        (void)connection.send(text + next);
        const HttpReply reply = connection.receive();
        EXPECT_EQ(reply.status, status) << text.substr(0, 200);
        EXPECT_EQ(error_code_of(reply), "VALIDATION_ERROR") << text.substr(0, 200);
        EXPECT_EQ(header_of(reply, "Connection"), "close");
        EXPECT_TRUE(connection.closed()) << text.substr(0, 200);
    }
    for (const auto& seen : world.witness->seen()) {
        EXPECT_GE(seen.status, 400) << "something behind a refused request was answered";
    }
    EXPECT_EQ(world.ask("/now").status, 200);
}

TEST(HttpServer, a_handler_that_throws_is_a_500_without_internals_and_a_log_line_with_them) {
    const HttpServerWorld world;
    HttpConnection connection(world.port());
    connection.send(request_text("GET", "/throw", "X-Correlation-Id: find-me\r\n"));
    const HttpReply reply = connection.receive_one();
    EXPECT_EQ(reply.status, 500);
    EXPECT_EQ(error_code_of(reply), "INTERNAL_ERROR");
    EXPECT_EQ((reply.header + reply.body).find("pl4nted"), std::string::npos);
    EXPECT_NE(world.witness->log().find("pl4nted-s3cret"), std::string::npos);
    EXPECT_NE(world.witness->log().find("find-me"), std::string::npos);
    connection.send(request_text("GET", "/throw-int"));
    EXPECT_EQ(connection.receive_one().status, 500);
    connection.send(request_text("GET", "/bad-header"));
    const HttpReply split = connection.receive_one();
    EXPECT_EQ(split.status, 500) << "a header of two lines would be a second header";
    EXPECT_EQ(split.header.find("Set-Cookie"), std::string::npos);
    connection.send(request_text("GET", "/now"));
    EXPECT_EQ(connection.receive_one().status, 200) << "the connection lives on";
}

TEST(HttpServer, a_plan_that_throws_is_a_500_too) {
    const HttpServerWorld world([](WorldOptions& options) {
        options.plan = [](const http::RequestHead&) -> http::Plan {
            throw std::runtime_error("pl4nted-s3cret");
        };
    });
    const HttpReply reply = world.ask("/now");
    EXPECT_EQ(reply.status, 500);
    EXPECT_EQ(reply.body.find("pl4nted"), std::string::npos);
}

TEST(HttpServer, compresses_large_text_for_who_wants_it) {
    const HttpServerWorld world;
    const HttpReply packed = world.ask("/large?n=20000", "Accept-Encoding: br, gzip;q=0.5\r\n");
    EXPECT_EQ(header_of(packed, "Content-Encoding"), "gzip");
    EXPECT_EQ(header_of(packed, "Vary"), "Accept-Encoding");
    EXPECT_EQ(header_of(packed, "Content-Length"), std::to_string(packed.body.size()));
    EXPECT_LT(packed.body.size(), 15'000u);
    const HttpReply plain = world.ask("/large?n=20000", "Accept-Encoding: gzip;q=0\r\n");
    EXPECT_EQ(header_of(plain, "Content-Encoding"), "");
    EXPECT_EQ(header_of(plain, "Vary"), "Accept-Encoding");
    EXPECT_EQ(plain.body.size(), 20'000u);
    EXPECT_EQ(
        header_of(world.ask("/large?n=1000", "Accept-Encoding: gzip\r\n"), "Content-Encoding"), "");
    EXPECT_EQ(header_of(world.ask("/png?n=20000", "Accept-Encoding: gzip\r\n"), "Vary"), "");
    const HttpReply tagged = world.ask("/etag?n=20000", "Accept-Encoding: gzip\r\n");
    EXPECT_EQ(header_of(tagged, "ETag"), "W/\"abc\"");
    EXPECT_EQ(header_of(tagged, "Cache-Control"), "private, immutable");
    EXPECT_EQ(header_of(world.ask("/etag?n=20000"), "ETag"), "\"abc\"");
}

TEST(HttpServer, observes_every_answer_under_a_label_of_few_values) {
    const HttpServerWorld world;
    (void)world.ask("/echo");
    (void)world.ask("/nowhere/1234", {}, "BREW");
    HttpConnection garbage(world.port());
    garbage.send("garbage\r\n\r\n");
    EXPECT_EQ(garbage.receive().status, 400);
    ASSERT_TRUE(wait_until([&] { return world.witness->seen().size() == 3; }));
    const auto seen = world.witness->seen();
    EXPECT_EQ(seen[0].method + seen[0].route_label + std::to_string(seen[0].status), "GET/echo200");
    EXPECT_GT(seen[0].seconds, 0);
    EXPECT_EQ(seen[1].method + seen[1].route_label + std::to_string(seen[1].status),
              "OTHERunmatched404");
    EXPECT_EQ(seen[2].method + seen[2].route_label + std::to_string(seen[2].status),
              "OTHERinvalid400");
}

TEST(HttpServer, who_has_handled_a_request_writes_its_answer) {
    std::atomic<std::thread::id> handled;
    std::atomic<std::thread::id> answered;
    const HttpServerWorld world([&](WorldOptions& options) {
        options.handle = [&handled, handle = options.handle](http::Request& request) {
            handled = std::this_thread::get_id();
            return handle(request);
        };
        options.observe = [&answered](const http::Observation&) {
            answered = std::this_thread::get_id();
        };
    });
    // Unless the I/O thread that has read the request is still there: then it goes on.
    EXPECT_TRUE(wait_until([&] {
        answered = std::thread::id();
        EXPECT_EQ(world.ask("/echo").status, 200);
        EXPECT_TRUE(wait_until([&] { return answered.load() != std::thread::id(); }));
        return answered.load() == handled.load();
    }));
}

TEST(HttpServer, a_fault_after_an_answer_ends_its_connection_and_is_logged) {
    const HttpServerWorld world([&](WorldOptions& options) {
        options.observe = [](const http::Observation& seen) {
            throw std::runtime_error(seen.route_label == "/echo" ? "by a handler" : "by a reader");
        };
    });
    EXPECT_EQ(world.ask("/echo").status, 200);
    EXPECT_EQ(world.ask("/now").status, 200);
    for (const char* text : {"by a handler", "by a reader"}) {
        EXPECT_TRUE(
            wait_until([&] { return world.witness->log().find(text) != std::string::npos; }));
    }
    EXPECT_TRUE(wait_until([&] { return world.server->load().connections == 0; }));
    EXPECT_EQ(world.ask("/echo").status, 200) << "the others go on";
}

TEST(HttpServer, says_why_it_cannot_start) {
    const HttpServerWorld world;
    const auto error = [](auto change) {
        FunctionApplication application{WorldOptions{}};
        http::ServerOptions options;
        change(options);
        const auto started = http::Server::start(application, options);
        return started.ok() ? "started" : started.error().describe();
    };
    const auto has = [](const std::string& text, std::string_view part) {
        return text.find(part) != std::string::npos;
    };
    using Options = http::ServerOptions;
    EXPECT_TRUE(has(error([&](Options& o) { o.port = world.port(); }), "ADDRESS_IN_USE"));
    EXPECT_TRUE(has(error([](Options& o) { o.address = "nowhere"; }), "not an IP address"));
    EXPECT_TRUE(has(error([](Options& o) { o.port = 65536; }), "65535"));
    EXPECT_TRUE(has(error([](Options& o) { o.io_threads = 0; }), "threads"));
    EXPECT_TRUE(has(error([](Options& o) { o.queue_limit = 0; }), "limit"));
    EXPECT_TRUE(has(error([](Options& o) { o.tls_key_file = "/x"; }), "certificate file"));
    EXPECT_TRUE(has(error([](Options& o) { o.tls_key_file = o.tls_certificate_file = "/x"; }),
                    "CONFIG_MISSING"));
}

}  // namespace
}  // namespace jobforge::test
