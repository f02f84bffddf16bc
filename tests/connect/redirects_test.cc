// Redirects: followed when asked, as browsers do, and never with somebody else's credentials.
#include "connect/http/redirects.h"

#include <gtest/gtest.h>

#include "route_server.h"
#include "tls_server.h"

namespace jobforge::connect {
namespace {

using namespace test_support;
using std::chrono::milliseconds;
using std::chrono::seconds;

class RedirectsTest : public testing::Test {
protected:
    RedirectsTest() { server_.at("/end", answer(200, "arrived")); }

    static HttpRequest follow(std::string url, int hops = 5) {
        HttpRequest request = get(std::move(url));
        request.follow_redirects = hops;
        return request;
    }
    Result<HttpResponse> send(const HttpRequest& request) { return redirects_.send(request); }

    RouteServer server_;
    HttpClient client_{allowing()};
    Redirects redirects_{client_, {"X-Token"}};
};

TEST_F(RedirectsTest, are_answers_unless_asked_for) {
    server_.at("/", redirect(302, "/end"));
    const auto response = send(follow(server_.url(), 0));
    ASSERT_TRUE(response.ok());
    EXPECT_EQ(response->status, 302);
    EXPECT_EQ(server_.requests().size(), 1U);
}

TEST_F(RedirectsTest, are_followed_from_hop_to_hop) {
    server_.at("/", redirect(301, "/one/"));
    server_.at("/one/", redirect(302, "two?x=1#here"));
    server_.at("/one/two?x=1", redirect(307, server_.url("/three")));
    server_.at("/three", redirect(308, "../end"));
    const auto response = send(follow(server_.url()));
    ASSERT_TRUE(response.ok()) << response.error().describe();
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->body, "arrived");
    EXPECT_GT(response->duration.count(), 0);
    EXPECT_EQ(server_.requests().size(), 5U);
    EXPECT_EQ(server_.connections(), 1);
}

TEST_F(RedirectsTest, other_answers_of_the_300s_are_answers) {
    for (const int status : {300, 304, 305, 306}) {
        server_.at("/", redirect(status, "/end"));
        const auto response = send(follow(server_.url()));
        ASSERT_TRUE(response.ok()) << status;
        EXPECT_EQ(response->status, status);
    }
    for (const char* location : {"", "X-Other: 1\r\n", "Location:\r\n"}) {
        server_.at("/", answer(302, "", location));
        const auto response = send(follow(server_.url()));
        ASSERT_TRUE(response.ok()) << location;
        EXPECT_EQ(response->status, 302) << "it leads nowhere";
    }
}

TEST_F(RedirectsTest, change_the_method_as_browsers_do) {
    struct Row {
        int status;
        const char *method, *then;
    };
    const Row rows[] = {{301, "POST", "GET"},    {302, "POST", "GET"},  {303, "POST", "GET"},
                        {307, "POST", "POST"},   {308, "POST", "POST"}, {301, "PUT", "PUT"},
                        {302, "PATCH", "PATCH"}, {303, "PUT", "GET"},   {303, "DELETE", "GET"},
                        {303, "HEAD", "HEAD"},   {302, "HEAD", "HEAD"}, {307, "DELETE", "DELETE"},
                        {303, "GET", "GET"}};
    for (const Row& row : rows) {
        RouteServer server;
        server.at("/", redirect(row.status, "/end"));
        server.at("/end", answer(200, ""));
        HttpRequest request = follow(server.url());
        request.method = row.method;
        request.headers = {{"Content-Type", "text/plain"}, {"X-Own", "kept"}};
        request.body = row.method == std::string("HEAD") ? "" : "what was said";
        ASSERT_TRUE(send(request).ok()) << row.status << row.method;
        const std::string last = server.requests().at(1);
        EXPECT_TRUE(last.starts_with(std::string(row.then) + " /end ")) << row.status << last;
        const bool kept = std::string(row.method) == row.then;
        EXPECT_EQ(last.ends_with("what was said"), kept && !request.body.empty()) << last;
        EXPECT_EQ(has_header(last, "Content-Type"), kept) << last;
        EXPECT_TRUE(has_header(last, "X-Own")) << last;
    }
}

// Redirects to another server and back, with these headers; what each request had of `name`.
class Hole13Redirects : public RedirectsTest {
protected:
    Hole13Redirects() {
        other_.at("/", redirect(302, server_.url("/end")));
        server_.at("/same", redirect(302, "/out"));
        server_.at("/out", redirect(302, other_.url()));
    }
    void go(HttpHeaders headers, Redirects& redirects) {
        HttpRequest request = follow(server_.url("/same"));
        request.headers = std::move(headers);
        const auto response = redirects.send(request);
        ASSERT_TRUE(response.ok()) << response.error().describe();
        own_ = server_.requests();
        ASSERT_EQ(own_.size(), 3U);
        ASSERT_EQ(other_.requests().size(), 1U);
    }

    RouteServer other_{"127.0.0.2"};
    std::vector<std::string> own_;  // at home, at home after a redirect, back from the other
};

TEST_F(Hole13Redirects, credentials_and_custom_headers_stay_with_their_origin) {
    const HttpHeaders headers = {{"AUTHORIZATION", "Bearer x"},
                                 {"cookie", "a=b"},
                                 {"x-token", "t"},
                                 {"X-Api-Key", "k"},
                                 {"X-Own", "1"},
                                 {"Idempotency-Key", "order-17"},
                                 {"Referer", "http://a/?k=v"},
                                 {"api-key", "k"},
                                 {"Ocp-Apim-Subscription-Key", "k"},
                                 {"Content-Location", "/x"},
                                 {"Private-Token", "k"},
                                 {"Proxy-Connection", "x"}};
    go(headers, redirects_);
    for (const auto& [name, value] : headers) {
        EXPECT_TRUE(has_header(own_[0], name)) << name;
        EXPECT_TRUE(has_header(own_[1], name)) << name << ": the same origin";
        EXPECT_FALSE(has_header(other_.requests().at(0), name)) << name << ": another";
        EXPECT_FALSE(has_header(own_[2], name)) << name << ": back again, sent by the other";
    }
}

TEST_F(Hole13Redirects, another_origin_gets_what_the_safelist_names) {
    const HttpHeaders headers = {
        {"ACCEPT", "a/b"},           {"Accept-Encoding", "x"},   {"accept-language", "de"},
        {"Content-Encoding", "x"},   {"Content-Language", "de"}, {"Content-Type", "a/b"},
        {"traceparent", "00-1-2-3"}, {"tracestate", "a=b"},      {"User-Agent", "acme/1"}};
    go(headers, redirects_);
    for (const auto& [name, value] : headers) {
        EXPECT_TRUE(has_header(other_.requests().at(0), name)) << name;
        EXPECT_TRUE(has_header(own_[2], name)) << name;
    }
}

TEST_F(Hole13Redirects, a_secret_stays_at_home_under_a_safelisted_name_too) {
    Redirects redirects(client_, {"user-agent"});
    go({{"User-Agent", "the-api-key"}, {"Accept", "a/b"}}, redirects);
    EXPECT_TRUE(has_header(own_[1], "User-Agent"));
    EXPECT_EQ(other_.requests().at(0).find("the-api-key"), std::string::npos);
    EXPECT_TRUE(has_header(other_.requests().at(0), "Accept"));
}

TEST_F(Hole13Redirects, from_https_to_http_are_refused) {
    TlsServer secure;
    HttpOptions options = allowing();
    options.resolver = fixed_resolver({{"*", {IpAddress::parse("127.0.0.1").value()}}});
    options.ca_file = secure.certificate_file();
    HttpClient client(options);
    Redirects redirects(client);
    for (const std::string& location :
         {server_.url("/end"), fmt::format("http://hooks.example:{}/end", server_.port())}) {
        secure.at("down", redirect(302, location));
        const auto response = redirects.send(follow(secure.url("hooks.example", "/down")));
        ASSERT_FALSE(response.ok()) << location;
        EXPECT_EQ(response.error().code, ErrorCode::SSRF_BLOCKED) << response.error().describe();
        EXPECT_NE(response.error().message.find("not encrypted"), std::string::npos);
        EXPECT_FALSE(response.error().retryable);
        EXPECT_TRUE(response.error().outcome_unknown) << "the first hop was sent";
    }
    EXPECT_EQ(server_.connections(), 0) << "nothing was sent in the clear";

    // The other direction is an improvement, and https to https is nothing special.
    secure.at("there", redirect(302, secure.url("hooks.example", "/end")));
    secure.at("end", answer(200, "arrived"));
    server_.at("/up", redirect(302, secure.url("hooks.example", "/there")));
    const auto up = redirects.send(follow(server_.url("/up")));
    ASSERT_TRUE(up.ok()) << up.error().describe();
    EXPECT_EQ(up->body, "arrived");
}

TEST_F(RedirectsTest, another_port_is_another_origin) {
    RouteServer neighbour;
    neighbour.at("/", answer(200, ""));
    server_.at("/", redirect(307, neighbour.url()));
    HttpRequest request = follow(server_.url());
    request.headers = {{"Authorization", "Bearer x"}};
    ASSERT_TRUE(send(request).ok());
    EXPECT_FALSE(has_header(neighbour.requests().at(0), "Authorization"));
}

void expect_astray(const Result<HttpResponse>& response) {
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, ErrorCode::CONNECTION_FAILED) << response.error().describe();
    EXPECT_FALSE(response.error().retryable);
    EXPECT_TRUE(response.error().outcome_unknown);
    EXPECT_FALSE(response.error().hint.empty());
}

TEST_F(RedirectsTest, end_at_the_number_asked_for) {
    for (int i = 0; i < 12; ++i) {
        server_.at(fmt::format("/{}", i), redirect(302, fmt::format("/{}", i + 1)));
    }
    server_.at("/12", answer(200, ""));
    EXPECT_TRUE(send(follow(server_.url("/2"), 10)).ok());
    const std::size_t before = server_.requests().size();
    expect_astray(send(follow(server_.url("/1"), 10)));
    EXPECT_EQ(server_.requests().size(), before + 11);
    expect_astray(send(follow(server_.url("/0"), 1)));
    for (const int hops : {-1, 11}) {
        const auto response = send(follow(server_.url("/11"), hops));
        ASSERT_FALSE(response.ok());
        EXPECT_EQ(response.error().code, ErrorCode::VALIDATION_ERROR);
    }
}

TEST_F(RedirectsTest, in_a_circle_end_when_it_closes) {
    server_.at("/a", redirect(302, "/b"));
    server_.at("/b", redirect(302, "/a#again"));
    expect_astray(send(follow(server_.url("/a"), 10)));
    EXPECT_EQ(server_.requests().size(), 2U);
    server_.at("/self", redirect(302, "/self"));
    expect_astray(send(follow(server_.url("/self"), 10)));
    // A POST that comes back as a GET is not a circle: it is how forms answer.
    RouteServer form;
    form.at("/", redirect(303, "/"));
    HttpRequest post = follow(form.url(), 10);
    post.method = "POST";
    expect_astray(send(post));
    EXPECT_EQ(form.requests().size(), 2U);
}

TEST_F(RedirectsTest, lead_to_nothing_but_http) {
    for (const char* location : {"file:///etc/passwd", "ftp://127.0.0.1/", "javascript:x",
                                 "//user@127.0.0.1/", "http://127.1/", "gopher://127.0.0.1/"}) {
        server_.at("/", redirect(302, location));
        const auto response = send(follow(server_.url()));
        ASSERT_FALSE(response.ok()) << location;
        EXPECT_EQ(response.error().code, ErrorCode::SSRF_BLOCKED) << location;
        EXPECT_FALSE(response.error().retryable);
        EXPECT_TRUE(response.error().outcome_unknown) << "the first hop was sent";
    }
}

TEST_F(RedirectsTest, share_one_deadline) {
    // Each hop takes at least 60 ms: ten of them do not fit into 200, but each alone does.
    const auto hops = std::make_shared<std::atomic<int>>(0);
    test::TcpServer slow([hops](test::TcpPeer& peer) {
        while (!peer.read_request().empty() && !peer.closed_within(milliseconds(60))) {
            if (!peer.write(redirect(302, fmt::format("/{}", ++*hops)))) {
                return;
            }
        }
    });
    HttpRequest request = follow(slow.url(), 10);
    request.timeout = milliseconds(200);
    const auto response = send(request);
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, ErrorCode::TIMEOUT) << response.error().describe();
    EXPECT_LE(*hops, 3);
}

TEST_F(RedirectsTest, a_failure_of_a_later_hop_says_that_earlier_ones_were_sent) {
    server_.at("/", redirect(303, fmt::format("http://127.0.0.1:{}/", 1)));  // nobody listens
    HttpRequest request = follow(server_.url());
    request.method = "POST";
    const auto response = send(request);
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, ErrorCode::CONNECTION_FAILED);
    EXPECT_TRUE(response.error().retryable);
    EXPECT_TRUE(response.error().outcome_unknown);
}

}  // namespace
}  // namespace jobforge::connect
