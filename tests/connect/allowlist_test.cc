// Hosts that somebody named, and no others, not even by a redirect.
#include "connect/http/allowlist.h"

#include <gtest/gtest.h>

#include "connect/http/redirects.h"
#include "route_server.h"

namespace jobforge::connect {
namespace {

using namespace test_support;

TEST(Allowlist, a_pattern_covers_what_it_says_and_nothing_else) {
    struct Row {
        const char *pattern, *host;
        bool covered;
    };
    const Row rows[] = {
        {"api.example.com", "api.example.com", true},
        {"API.Example.com", "api.example.com", true},
        {"api.example.com", "example.com", false},
        {"api.example.com", "x.api.example.com", false},
        {"api.example.com", "api.example.com.evil.example", false},
        {"*.example.com", "api.example.com", true},
        {"*.EXAMPLE.com", "a.b.example.com", true},
        {"*.example.com", "example.com", false},
        {"*.example.com", "badexample.com", false},
        {"*.example.com", ".example.com", false},
        {"*.example.com", "api.example.com.evil.example", false},
        {"192.0.2.1", "192.0.2.1", true},
        {"192.0.2.1", "192.0.2.10", false},
        {"2001:db8::1", "2001:db8:0:0::1", true},
        {"2001:db8::1", "api.example.com", false},
        {"", "api.example.com", false},
        {"*", "api.example.com", false},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(covers(row.pattern, row.host), row.covered) << row.pattern << " " << row.host;
    }
}

class AllowlistedTest : public testing::Test {
protected:
    AllowlistedTest() {
        server_.at("/", answer(200, "ok"));
        HttpOptions options = allowing();
        options.resolver = fixed_resolver({{"*", {IpAddress::parse("127.0.0.1").value()}}});
        client_ = std::make_unique<HttpClient>(std::move(options));
    }
    [[nodiscard]] std::string at(std::string_view host, std::string_view path = "/") const {
        return fmt::format("http://{}:{}{}", host, server_.port(), path);
    }

    RouteServer server_;
    std::unique_ptr<HttpClient> client_;
};

TEST_F(AllowlistedTest, a_host_must_be_on_every_list) {
    Allowlisted none(*client_, {});
    EXPECT_TRUE(none.send(get(at("anything.example"))).ok());
    Allowlisted empty(*client_, {{}, {}});
    EXPECT_TRUE(empty.send(get(at("anything.example"))).ok());

    Allowlisted both(*client_, {{"*.example.com", "127.0.0.1"}, {"API.example.com"}});
    EXPECT_TRUE(both.send(get(at("api.example.COM"))).ok());
    const int before = server_.connections();
    for (const char* host : {"www.example.com", "127.0.0.1", "other.example"}) {
        const auto response = both.send(get(at(host)));
        ASSERT_FALSE(response.ok()) << host;
        EXPECT_EQ(response.error().code, ErrorCode::SSRF_BLOCKED);
        EXPECT_FALSE(response.error().retryable);
        EXPECT_NE(response.error().message.find(host), std::string::npos);
    }
    EXPECT_EQ(server_.connections(), before);
}

TEST_F(AllowlistedTest, hole_13_an_international_name_is_judged_by_its_ascii_form) {
    Allowlisted listed(*client_, {{"xn--bcher-kva.example", "*.xn--bcher-kva.example"}});
    for (const char* host : {"bücher.example", "BÜCHER.example", "xn--bcher-kva.example",
                             "a.bücher.example", "ü.xn--bcher-kva.example"}) {
        EXPECT_TRUE(listed.send(get(at(host))).ok()) << host;
    }
    const int before = server_.connections();
    for (const char* host : {"bucher.example", "bücher.example.com", "xbücher.example"}) {
        const auto response = listed.send(get(at(host)));
        ASSERT_FALSE(response.ok()) << host;
        EXPECT_EQ(response.error().code, ErrorCode::SSRF_BLOCKED);
    }
    EXPECT_EQ(server_.connections(), before);
}

TEST_F(AllowlistedTest, an_odd_url_is_refused_as_anywhere) {
    Allowlisted listed(*client_, {{"example.com"}});
    const auto response = listed.send(get("http://example.com@127.0.0.1/"));
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, ErrorCode::SSRF_BLOCKED);
}

TEST_F(AllowlistedTest, a_redirect_does_not_leave_the_list) {
    server_.at("/away", redirect(302, at("other.example")));
    server_.at("/along", redirect(302, at("b.example.com")));
    Allowlisted listed(*client_, {{"*.example.com"}});
    Redirects redirects(listed);
    HttpRequest request = get(at("a.example.com", "/along"));
    request.follow_redirects = 3;
    ASSERT_TRUE(redirects.send(request).ok());
    request.url = at("a.example.com", "/away");
    const auto response = redirects.send(request);
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, ErrorCode::SSRF_BLOCKED);
    EXPECT_EQ(server_.requests().size(), 3U);
}

}  // namespace
}  // namespace jobforge::connect
