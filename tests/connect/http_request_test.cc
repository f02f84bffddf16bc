// One request against servers that are right, wrong, slow, endless and gone.
#include "connect/http/http_request.h"

#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "child_process.h"
#include "tcp_server.h"
#include "wait_until.h"

namespace jobforge::connect {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TcpPeer;
using test::TcpServer;
using Clock = std::chrono::steady_clock;

HttpOptions loopback_allowed() {
    HttpOptions options;
    options.allowed_networks = parse_networks("127.0.0.0/8").value();
    return options;
}

HttpRequest get(std::string url, milliseconds timeout = seconds(20)) {
    HttpRequest request;
    request.url = std::move(url);
    request.timeout = timeout;
    return request;
}

Result<HttpResponse> send(const HttpRequest& request) {
    HttpClient client(loopback_allowed());
    return client.send(request);
}

// A server that reads one request, then writes these bytes and hangs up.
TcpServer::Behaviour once(std::string answer) {
    return [answer = std::move(answer)](TcpPeer& peer) {
        (void)peer.read_request();
        (void)peer.write(answer);
    };
}

TEST(HttpRequest, an_answer_of_any_status_is_an_answer) {
    for (const int status : {200, 201, 204, 301, 302, 400, 401, 404, 410, 429, 500, 503, 599}) {
        const std::string body = status == 204 ? "" : "said";
        const auto server = TcpServer::answering(
            fmt::format("HTTP/1.1 {} Reason\r\nContent-Length: {}\r\nLocation: "
                        "http://169.254.169.254/\r\nRetry-After:  120 \r\n\r\n{}",
                        status, body.size(), body));
        const auto response = send(get(server->url()));
        ASSERT_TRUE(response.ok()) << status << " " << response.error().describe();
        EXPECT_EQ(response->status, status);
        EXPECT_EQ(response->body, body);
        EXPECT_EQ(response->header("retry-after"), "120");
        EXPECT_EQ(response->header("nothing"), std::nullopt);
        EXPECT_FALSE(response->truncated);
        EXPECT_GT(response->duration.count(), 0);
        EXPECT_EQ(server->requests().size(), 1U) << "redirects are not followed";
    }
}

TEST(HttpRequest, sends_method_headers_and_body_as_given_and_little_else) {
    const auto server = TcpServer::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    HttpRequest request = get(server->url("/hook?a=b#not-sent"));
    request.method = "POST";
    request.headers = {{"Content-Type", "application/json"}, {"X-Empty", ""}, {"X-Two", "a: b"}};
    request.body = std::string("{\"nul\":\"\0\"}", 11);
    ASSERT_TRUE(send(request).ok());
    EXPECT_EQ(
        server->requests().at(0),
        fmt::format("POST /hook?a=b HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUser-Agent: jobforge\r\n"
                    "Content-Type: application/json\r\nX-Empty:\r\nX-Two: a: b\r\n"
                    "Content-Length: 11\r\n\r\n",
                    server->port()) +
            request.body);
}

TEST(HttpRequest, sends_every_usual_method) {
    const auto server = TcpServer::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    HttpClient client(loopback_allowed());
    for (const char* method : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
        HttpRequest request = get(server->url());
        request.method = method;
        const auto response = client.send(request);
        ASSERT_TRUE(response.ok()) << method << " " << response.error().describe();
        EXPECT_TRUE(server->requests().back().starts_with(fmt::format("{} / HTTP/1.1\r\n", method)))
            << server->requests().back();
    }
    EXPECT_EQ(server->connections(), 1);
}

TEST(HttpRequest, refuses_what_could_become_another_request) {
    const auto server = TcpServer::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const std::pair<std::string, std::string> headers[] = {{"X-A", "b\r\nX-Injected: c"},
                                                           {"X-A", "b\n"},
                                                           {"X-A", std::string("b\0c", 3)},
                                                           {"X A", "b"},
                                                           {"", "b"},
                                                           {"X-A:", "b"},
                                                           {"X-A\r\nX-B", "c"},
                                                           {"hOST", "internal"},
                                                           {"Content-Length", "5"},
                                                           {"transfer-encoding", "chunked"}};
    for (const auto& header : headers) {
        HttpRequest request = get(server->url());
        request.headers = {header};
        const auto response = send(request);
        ASSERT_FALSE(response.ok()) << header.first;
        EXPECT_EQ(response.error().code, ErrorCode::VALIDATION_ERROR);
        EXPECT_FALSE(response.error().retryable);
    }
    for (const char* method : {"", "GET / HTTP/1.1\r\nX: y", "CONNECT", "TRACE", "G ET"}) {
        HttpRequest request = get(server->url());
        request.method = method;
        ASSERT_FALSE(send(request).ok()) << method;
    }
    EXPECT_EQ(server->connections(), 0);
}

TEST(HttpRequest, uses_a_connection_again) {
    const auto server = TcpServer::answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    HttpClient client(loopback_allowed());
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(client.send(get(server->url())).ok());
    }
    EXPECT_EQ(server->connections(), 1);
}

TEST(HttpRequest, keeps_no_more_connections_than_asked) {
    HttpOptions options = loopback_allowed();
    options.max_idle_connections = 1;
    HttpClient client(options);
    const auto first = TcpServer::answering("HTTP/1.1 204 No\r\n\r\n");
    const auto second = TcpServer::answering("HTTP/1.1 204 No\r\n\r\n");
    ASSERT_TRUE(client.send(get(first->url())).ok());
    ASSERT_TRUE(client.send(get(second->url())).ok());  // the first one's is closed
    ASSERT_TRUE(client.send(get(first->url())).ok());
    EXPECT_EQ(first->connections(), 2);
}

TEST(HttpRequest, many_threads_share_a_client) {
    const auto server = TcpServer::answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    HttpClient client(loopback_allowed());
    std::atomic<int> right{0};
    {
        std::vector<std::jthread> threads;
        threads.reserve(8);
        for (int i = 0; i < 8; ++i) {
            threads.emplace_back([&] {
                for (int n = 0; n < 50; ++n) {
                    const auto response = client.send(get(server->url()));
                    right += response.ok() && response->body == "ok" ? 1 : 0;
                }
            });
        }
    }
    EXPECT_EQ(right.load(), 400);
    EXPECT_LE(server->connections(), 8);
}

TEST(HttpRequest, a_body_is_kept_up_to_its_limit_and_not_a_byte_more) {
    const auto server =
        TcpServer::answering("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789");
    for (const std::size_t limit : {0U, 1U, 9U, 10U, 11U}) {
        HttpRequest request = get(server->url());
        request.max_response_bytes = limit;
        const auto response = send(request);
        ASSERT_TRUE(response.ok()) << limit << response.error().describe();
        EXPECT_EQ(response->body, std::string("0123456789").substr(0, limit));
        EXPECT_EQ(response->truncated, limit < 10) << limit;
    }
}

TEST(HttpRequest, an_endless_body_ends_at_the_limit) {
    for (const char* framing :
         {"", "Content-Length: 99999999999\r\n", "Transfer-Encoding: chunked\r\n"}) {
        const std::string head = fmt::format("HTTP/1.1 200 OK\r\n{}\r\n", framing);
        const std::string piece = "1000\r\n" + std::string(4096, 'x') + "\r\n";
        TcpServer server([&](TcpPeer& peer) {
            (void)peer.read_request();
            bool open = peer.write(head);
            while (open) {
                open = peer.write(piece);
            }
        });
        const auto response = send(get(server.url()));
        ASSERT_TRUE(response.ok()) << framing << response.error().describe();
        EXPECT_TRUE(response->truncated);
        EXPECT_EQ(response->body.size(), std::size_t{1} << 20);
    }
}

TEST(HttpRequest, a_compressed_body_stays_as_it_is) {
    const std::string gzip("\x1f\x8b\x08\x00\x00", 5);
    const auto server = TcpServer::answering(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n" + gzip);
    const auto response = send(get(server->url()));
    ASSERT_TRUE(response.ok()) << response.error().describe();
    EXPECT_EQ(response->body, gzip);
    EXPECT_EQ(server->requests().at(0).find("Accept-Encoding"), std::string::npos);
}

TEST(HttpRequest, informational_answers_folded_lines_and_trailers_are_understood) {
    TcpServer server(once(
        "HTTP/1.1 103 Early Hints\r\nLink: early\r\n\r\nHTTP/1.1 200 OK\r\nX-Long: one\r\n  two\r\n"
        "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Trailer: late\r\n\r\n"));
    const auto response = send(get(server.url()));
    ASSERT_TRUE(response.ok()) << response.error().describe();
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->header("link"), std::nullopt);
    EXPECT_EQ(response->header("x-long"), "one two");
    EXPECT_EQ(response->header("x-trailer"), std::nullopt);
    EXPECT_EQ(response->body, "ok");
}

struct BadServer {
    const char* name;
    std::string answer;
    bool repeated = false;  // until the client hangs up
};

void PrintTo(const BadServer& server, std::ostream* out) {
    *out << server.name;
}

class HttpRequestHostile : public testing::TestWithParam<BadServer> {};

TEST_P(HttpRequestHostile, is_a_failed_connection_that_may_be_repeated) {
    TcpServer server([](TcpPeer& peer) {
        (void)peer.read_request();
        while (peer.write(GetParam().answer) && GetParam().repeated) {
        }
    });
    const auto start = Clock::now();
    const auto response = send(get(server.url()));
    ASSERT_FALSE(response.ok()) << response->status << response->body.substr(0, 50);
    EXPECT_EQ(response.error().code, ErrorCode::CONNECTION_FAILED) << response.error().describe();
    EXPECT_TRUE(response.error().retryable);
    EXPECT_TRUE(response.error().outcome_unknown) << "the request was sent";
    EXPECT_LT(Clock::now() - start, seconds(15)) << "long before the timeout";
}

std::string many_headers(int count) {
    std::string text = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n";
    for (int i = 0; i < count; ++i) {
        text += fmt::format("X-{}: y\r\n", i);
    }
    return text + "\r\n";
}

INSTANTIATE_TEST_SUITE_P(
    Servers, HttpRequestHostile,
    testing::Values(
        BadServer{"nothing", ""}, BadServer{"garbage", "\x16\x03\x01 hello there\r\n\r\n"},
        BadServer{"a_status_without_version", "200 OK\r\n\r\n"},
        BadServer{"half_a_status_line", "HTTP/1.1 20"},
        BadServer{"half_a_header", "HTTP/1.1 200 OK\r\nContent-Le"},
        BadServer{"less_than_announced", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"},
        BadServer{"a_length_that_is_no_number", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nxx"},
        BadServer{"an_invalid_chunk",
                  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n0\r\n\r\n"},
        BadServer{"a_chunk_cut_short",
                  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nok"},
        BadServer{"a_huge_header",
                  "HTTP/1.1 200 OK\r\nX-Big: " + std::string(90'000, 'x') + "\r\n\r\n"},
        BadServer{"too_many_headers", many_headers(250)},
        BadServer{"endless_headers", "HTTP/1.1 200 OK\r\nX: y\r\n", true},
        BadServer{"an_endless_header_line", std::string(4096, 'x'), true},
        BadServer{"endless_informational_answers", "HTTP/1.1 102 Processing\r\n\r\n", true}),
    [](const auto& row) { return row.param.name; });

TEST(HttpRequest, the_header_limits_are_the_requests_own) {
    const auto server = TcpServer::answering(many_headers(100));
    HttpRequest request = get(server->url());
    ASSERT_TRUE(send(request).ok());
    request.max_headers = 50;
    ASSERT_FALSE(send(request).ok());
    request.max_headers = 200;
    request.max_header_bytes = 100;
    const auto response = send(request);
    ASSERT_FALSE(response.ok());
    EXPECT_NE(response.error().message.find("100 bytes"), std::string::npos);
}

void expect_timeout(const Result<HttpResponse>& response, Clock::time_point start) {
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, ErrorCode::TIMEOUT) << response.error().describe();
    EXPECT_TRUE(response.error().retryable);
    EXPECT_LT(Clock::now() - start, seconds(10));
}

TEST(HttpRequest, a_server_that_never_answers_costs_the_timeout) {
    TcpServer server([](TcpPeer& peer) {
        (void)peer.read_request();
        (void)peer.read_request();  // until the client is gone
    });
    const auto start = Clock::now();
    const auto response = send(get(server.url(), milliseconds(200)));
    EXPECT_GE(Clock::now() - start, milliseconds(195));
    expect_timeout(response, start);
    EXPECT_TRUE(response.error().outcome_unknown);
}

TEST(HttpRequest, a_slow_drip_does_not_outlive_the_timeout) {
    TcpServer server([](TcpPeer& peer) {
        (void)peer.read_request();
        (void)peer.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        while (peer.write("x") && !peer.closed_within(milliseconds(5))) {
        }
    });
    const auto start = Clock::now();
    expect_timeout(send(get(server.url(), milliseconds(300))), start);
}

TEST(HttpRequest, a_name_that_takes_too_long_counts_against_the_timeout) {
    HttpOptions options = loopback_allowed();
    options.resolver = [](const NameQuery& query) -> Result<std::vector<IpAddress>> {
        (void)test::wait_until([&] { return Clock::now() > query.deadline; });
        return Error::of(ErrorCode::TIMEOUT, "slow");
    };
    HttpClient client(options);
    const auto start = Clock::now();
    expect_timeout(client.send(get("http://slow.example/", milliseconds(100))), start);
}

TEST(HttpRequest, a_stop_ends_a_request_at_once) {
    std::atomic<bool> idle{false};
    TcpServer server([&](TcpPeer& peer) {
        (void)peer.read_request();
        (void)peer.closed_within(milliseconds(400));  // longer than libcurl's timers of connecting
        idle = true;
        (void)peer.read_request();
    });
    HttpClient client(loopback_allowed());
    std::stop_source stop;
    std::optional<Clock::time_point> stopped;
    std::jthread stopper([&] {
        (void)test::wait_until([&] { return idle.load(); });
        stopped = Clock::now();
        stop.request_stop();
    });
    const auto response = client.send(get(server.url()), stop.get_token());
    const auto end = Clock::now();
    stopper.join();
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, ErrorCode::TIMEOUT);
    EXPECT_NE(response.error().message.find("stopped"), std::string::npos);
    EXPECT_LT(end - *stopped, seconds(20)) << "and does not wait for the timeout";
    const auto before = client.send(get(server.url()), stop.get_token());
    ASSERT_FALSE(before.ok());
    EXPECT_EQ(server.connections(), 1) << "a request that comes too late is not sent";
}

TEST(HttpRequest, works_again_after_a_failure) {
    std::atomic<int> count{0};
    TcpServer server([&](TcpPeer& peer) {
        (void)peer.read_request();
        if (count++ > 0) {
            (void)peer.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        }
    });
    HttpClient client(loopback_allowed());
    EXPECT_FALSE(client.send(get(server.url())).ok());
    const auto response = client.send(get(server.url()));
    ASSERT_TRUE(response.ok()) << response.error().describe();
    EXPECT_EQ(response->body, "ok");
}

TEST(HttpRequest, a_closed_port_is_a_failed_connection_and_nothing_was_sent) {
    const auto response = send(get(fmt::format("http://127.0.0.1:{}/", test::free_port())));
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, ErrorCode::CONNECTION_FAILED);
    EXPECT_TRUE(response.error().retryable);
    EXPECT_FALSE(response.error().outcome_unknown);
}

TEST(HttpRequest, an_unknown_name_is_a_failed_connection) {
    const auto response = send(get("http://does-not-exist.invalid/"));
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, ErrorCode::CONNECTION_FAILED) << response.error().describe();
    EXPECT_TRUE(response.error().retryable);
    EXPECT_NE(response.error().message.find("does-not-exist.invalid"), std::string::npos);
}

TEST(HttpRequest, errors_do_not_repeat_what_a_url_may_hide) {
    const auto response =
        send(get(fmt::format("http://127.0.0.1:{}/?token=hidden", test::free_port())));
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().to_json().find("hidden"), std::string::npos);
}

}  // namespace
}  // namespace jobforge::connect
