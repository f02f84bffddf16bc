// The worker's own port, by real requests over a socket.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <mutex>
#include <stdexcept>

#include <jobforge/json.h>
#include <jobforge/uuid.h>

#include "child_process.h"
#include "http/server/ops_server.h"
#include "http_client.h"
#include "temp_dir.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;
using http::OpsServer;
using http::OpsServerOptions;
using Checks = std::vector<std::pair<std::string, bool>>;

constexpr char kMetrics[] =
    "# HELP bpc_jobs_running Jobs that run now.\n"
    "# TYPE bpc_jobs_running gauge\n"
    "bpc_jobs_running{job_type=\"test.echo\"} 3\n";

OpsServerOptions good_options() {
    OpsServerOptions options;
    options.metrics = [] { return std::string(kMetrics); };
    options.live = [] { return true; };
    options.ready = [] { return Checks{{"database", true}, {"queue", true}}; };
    return options;
}

std::unique_ptr<OpsServer> start(OpsServerOptions options = good_options()) {
    return std::move(OpsServer::start(std::move(options))).value();
}

// The envelope, checked to the last member; returns its code.
std::string error_code(const HttpReply& reply) {
    const auto json = Json::parse(reply.body);
    const Json* error = json.ok() ? json->find("error") : nullptr;
    if (error == nullptr || error->as_object() == nullptr || error->as_object()->size() != 4 ||
        error->find("details") == nullptr || error->find("message") == nullptr ||
        error->find("correlation_id") == nullptr) {
        return "no envelope: " + reply.body;
    }
    const std::string& id = *error->find("correlation_id")->as_string();
    if (!Uuid::parse(id).ok() || reply.header.find(id) == std::string::npos) {
        return "no correlation id: " + reply.body;
    }
    return *error->find("code")->as_string();
}

TEST(OpsServer, serves_metrics_that_promtool_accepts) {
    const auto server = start();
    for (const char* path : {"/metrics", "/v1/metrics", "/metrics?name=x"}) {
        const HttpReply reply = http(server->port(), "GET", path);
        EXPECT_EQ(reply.status, 200) << path;
        EXPECT_EQ(reply.body, kMetrics) << path;
        EXPECT_NE(reply.header.find("Content-Type: text/plain; version=0.0.4"), std::string::npos);
    }
    const TempDir directory;
    const std::string file = directory.path() + "/metrics";
    std::ofstream(file) << http(server->port(), "GET", "/metrics").body;
    const Finished promtool = run({"sh", "-c", "promtool check metrics < " + file});
    EXPECT_EQ(promtool.exit_code, 0) << promtool.output << promtool.error_output;
}

TEST(OpsServer, says_alive_or_not) {
    std::atomic<bool> alive = true;
    auto options = good_options();
    options.live = [&] { return alive.load(); };
    const auto server = start(options);
    for (const char* path : {"/health/live", "/v1/health/live"}) {
        alive = true;
        HttpReply reply = http(server->port(), "GET", path);
        EXPECT_EQ(reply.status, 200);
        EXPECT_EQ(reply.body, R"({"status":"ok","checks":{}})");
        EXPECT_NE(reply.header.find("Content-Type: application/json"), std::string::npos);
        alive = false;
        reply = http(server->port(), "GET", path);
        EXPECT_EQ(reply.status, 503);
        EXPECT_EQ(reply.body, R"({"status":"unavailable","checks":{}})");
    }
}

TEST(OpsServer, is_ready_only_if_every_check_holds) {
    std::atomic<bool> queue = true;
    auto options = good_options();
    options.ready = [&] { return Checks{{"database", true}, {"queue", queue.load()}}; };
    const auto server = start(options);
    for (const char* path : {"/health/ready", "/v1/health/ready"}) {
        queue = true;
        HttpReply reply = http(server->port(), "GET", path);
        EXPECT_EQ(reply.status, 200);
        EXPECT_EQ(reply.body, R"({"status":"ok","checks":{"database":true,"queue":true}})");
        queue = false;
        reply = http(server->port(), "GET", path);
        EXPECT_EQ(reply.status, 503);
        EXPECT_EQ(reply.body,
                  R"({"status":"unavailable","checks":{"database":true,"queue":false}})");
    }
}

TEST(OpsServer, answers_head_like_get_without_the_body) {
    const auto server = start();
    const HttpReply reply = http(server->port(), "HEAD", "/metrics");
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "");
    const std::string length = "Content-Length: " + std::to_string(sizeof kMetrics - 1) + "\r\n";
    EXPECT_NE(reply.header.find(length), std::string::npos) << reply.header;
}

TEST(OpsServer, refuses_other_paths_and_methods_with_the_error_envelope) {
    const auto server = start();
    for (const char* path : {"/", "/metrics/", "/v2/metrics", "/health", "/..//metrics", "*"}) {
        const HttpReply reply = http(server->port(), "GET", path);
        EXPECT_EQ(reply.status, 404) << path;
        EXPECT_EQ(error_code(reply), "NOT_FOUND") << path;
    }
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"}) {
        const HttpReply reply = http(server->port(), method, "/metrics");
        EXPECT_EQ(reply.status, 405) << method;
        EXPECT_EQ(error_code(reply), "VALIDATION_ERROR") << method;
        EXPECT_NE(reply.header.find("Allow: GET, HEAD\r\n"), std::string::npos) << method;
    }
}

TEST(OpsServer, refuses_what_is_no_http) {
    const auto server = start();
    for (const std::string& text : {std::string("garbage\r\n\r\n"), std::string("GET\r\n\r\n"),
                                    std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),
                                    std::string("GET /metrics HTTP/9.9\r\n\r\n"),
                                    std::string("GET /metrics HTTP/1.1\r\nbad header\r\n\r\n"),
                                    std::string("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n")}) {
        HttpConnection connection(server->port());
        connection.send(text);
        const HttpReply reply = connection.receive();
        EXPECT_EQ(reply.status, 400) << text;
        EXPECT_EQ(error_code(reply), "VALIDATION_ERROR") << text;
        EXPECT_TRUE(connection.closed()) << text;
    }
    EXPECT_EQ(http(server->port(), "GET", "/health/live").status, 200);
}

TEST(OpsServer, refuses_large_headers_and_bodies_without_reading_them_all) {
    const auto server = start();
    HttpConnection headers(server->port());
    headers.send("GET /metrics HTTP/1.1\r\nX-Large: " + std::string(100'000, 'h') + "\r\n\r\n");
    EXPECT_EQ(headers.receive().status, 431);

    HttpConnection body(server->port());
    body.send("GET /metrics HTTP/1.1\r\nContent-Length: 100000\r\n\r\n" +
              std::string(100'000, 'b'));
    const HttpReply reply = body.receive();
    EXPECT_EQ(reply.status, 413);
    EXPECT_EQ(error_code(reply), "PAYLOAD_LIMIT");

    HttpConnection small(server->port());
    small.send("GET /health/live HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
    EXPECT_EQ(small.receive().status, 200) << "a small body is ignored";
}

TEST(OpsServer, cuts_off_clients_that_are_silent_or_drip) {
    auto options = good_options();
    options.read_timeout = 200ms;
    const auto server = start(options);

    HttpConnection silent(server->port());
    EXPECT_EQ(silent.receive().status, 0);
    EXPECT_TRUE(silent.closed());

    HttpConnection unfinished(server->port());
    unfinished.send("GET /metrics HTTP/1.1\r\n");
    EXPECT_EQ(unfinished.receive().status, 0);
    EXPECT_TRUE(unfinished.closed());

    HttpConnection dripping(server->port());
    dripping.send("GET /metrics HTTP/1.1\r\nX-Slow: ");
    // Every look sends another byte: only a deadline for the whole request ends this.
    EXPECT_TRUE(wait_until([&] { return !dripping.send("x"); }));
}

TEST(OpsServer, holds_a_limited_number_of_connections_and_frees_their_places) {
    auto options = good_options();
    options.max_connections = 2;
    options.read_timeout = 500ms;
    const auto server = start(options);
    HttpConnection first(server->port());
    HttpConnection second(server->port());
    HttpConnection third(server->port());
    third.send("GET /health/live HTTP/1.1\r\n\r\n");
    EXPECT_EQ(third.receive().status, 0) << "no place is left";
    // The idle two are cut off, and then there is room again.
    EXPECT_TRUE(
        wait_until([&] { return http(server->port(), "GET", "/health/live").status == 200; }));
}

TEST(OpsServer, a_failing_callback_is_a_500_that_shows_nothing_and_a_log_line_that_does) {
    std::mutex mutex;
    std::vector<std::string> lines;
    auto options = good_options();
    options.metrics = []() -> std::string { throw std::runtime_error("pl4nted-s3cret"); };
    options.ready = []() -> Checks { throw 7; };
    options.log = [&](LogLevel level, std::string_view text) {
        const std::lock_guard guard(mutex);
        EXPECT_EQ(level, LogLevel::error);
        lines.emplace_back(text);
    };
    const auto server = start(options);
    const HttpReply reply = http(server->port(), "GET", "/metrics");
    EXPECT_EQ(reply.status, 500);
    EXPECT_EQ(error_code(reply), "INTERNAL_ERROR");
    EXPECT_EQ((reply.header + reply.body).find("pl4nted"), std::string::npos);
    EXPECT_EQ(http(server->port(), "GET", "/health/ready").status, 500);

    const std::lock_guard guard(mutex);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_NE(lines[0].find("pl4nted-s3cret"), std::string::npos);
    const auto id = *Json::parse(reply.body)->find("error")->find("correlation_id")->as_string();
    EXPECT_NE(lines[0].find(id), std::string::npos) << "the log is found by the correlation id";
}

TEST(OpsServer, a_slow_scrape_does_not_delay_the_liveness) {
    std::promise<void> asked;
    std::promise<void> go_on;
    auto options = good_options();
    options.metrics = [&] {
        asked.set_value();
        go_on.get_future().wait();
        return std::string(kMetrics);
    };
    const auto server = start(options);
    auto scrape = std::async(std::launch::async,
                             [&] { return http(server->port(), "GET", "/metrics").status; });
    asked.get_future().wait();
    EXPECT_EQ(http(server->port(), "GET", "/health/live").status, 200);
    go_on.set_value();
    EXPECT_EQ(scrape.get(), 200);
}

TEST(OpsServer, stops_at_once_although_clients_hang_on) {
    const auto server = start();
    HttpConnection idle(server->port());
    HttpConnection half(server->port());
    half.send("GET /metr");
    const auto begin = std::chrono::steady_clock::now();
    server->stop();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 4s) << "not the 5 s that a slow client has";
    EXPECT_EQ(idle.receive().status, 0);
    EXPECT_TRUE(idle.closed());
    EXPECT_FALSE(HttpConnection(server->port()).connected());
    server->stop();
}

TEST(OpsServer, says_why_it_cannot_listen) {
    const auto server = start();
    auto taken = good_options();
    taken.port = server->port();
    const auto second = OpsServer::start(taken);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, ErrorCode::ADDRESS_IN_USE) << second.error().message;
    EXPECT_NE(second.error().message.find(std::to_string(server->port())), std::string::npos);

    auto nowhere = good_options();
    nowhere.address = "not an address";
    EXPECT_EQ(OpsServer::start(nowhere).error().code, ErrorCode::CONFIG_MISSING);

    const auto refused = [](auto change) {
        auto options = good_options();
        change(options);
        const auto result = OpsServer::start(options);
        return !result.ok() && result.error().code == ErrorCode::VALIDATION_ERROR;
    };
    EXPECT_TRUE(refused([](OpsServerOptions& o) { o.port = 65536; }));
    EXPECT_TRUE(refused([](OpsServerOptions& o) { o.threads = 0; }));
    EXPECT_TRUE(refused([](OpsServerOptions& o) { o.max_connections = 0; }));
    EXPECT_TRUE(refused([](OpsServerOptions& o) { o.metrics = nullptr; }));
}

}  // namespace
}  // namespace jobforge::test
