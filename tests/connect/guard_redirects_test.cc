// The guard behind redirects, layers and open connections: a canary listens on a private address,
// and must never hear anything, however a server that may be called tries to lead there.
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "connect/http/allowlist.h"
#include "connect/http/decompress.h"
#include "connect/http/governed.h"
#include "connect/http/redirects.h"
#include "connect/http/tracing.h"
#include "guard_urls.h"
#include "route_server.h"

namespace jobforge::connect {
namespace {

using namespace test_support;

IpAddress ip(std::string_view text) {
    return IpAddress::parse(text).value();
}

std::string with_port(std::string_view pattern, int port) {
    std::string url(pattern);
    for (std::size_t at = url.find("{}"); at != std::string::npos; at = url.find("{}")) {
        url.replace(at, 2, std::to_string(port));
    }
    return url;
}

class OpenGovernor final : public Governor {
public:
    Result<Verdict> enter() override { return Verdict{}; }
    Status report(const Permit&, const Report&) override { return ok_status(); }
};

// Every layer there is, as a connector puts them together.
class Stack final {
public:
    explicit Stack(HttpOptions options) : client_(std::move(options)) {}
    Result<HttpResponse> follow(std::string url, int hops = 5) {
        HttpRequest request = get(std::move(url));
        request.follow_redirects = hops;
        request.decompress = true;
        return traced_.send(request);
    }

private:
    OpenGovernor governor_;
    HttpClient client_;
    Decompress decompress_{client_};
    Allowlisted allowlisted_{decompress_, {}};
    Redirects redirects_{allowlisted_};
    Governed governed_{redirects_, governor_};
    Traced traced_{governed_, "trace"};
};

// The server may be called (127.0.0.9), the canary may not (127.0.0.1).
class GuardRedirects : public testing::Test {
protected:
    static HttpOptions options() { return allowing("127.0.0.9/32"); }

    // Once the canary has heard from its own test, nobody else may have been there before.
    void expect_silence() {
        HttpClient friendly(allowing("127.0.0.1/32"));
        ASSERT_TRUE(friendly.send(get(canary_.url())).ok());
        EXPECT_EQ(canary_.connections(), 1) << "somebody got through";
        EXPECT_EQ(canary_.requests().size(), 1U);
    }
    static void expect_blocked(const Result<HttpResponse>& response, std::string_view what) {
        ASSERT_FALSE(response.ok()) << what;
        EXPECT_EQ(response.error().code, ErrorCode::SSRF_BLOCKED)
            << what << ": " << response.error().describe();
        EXPECT_FALSE(response.error().retryable) << what;
    }

    RouteServer canary_;
    RouteServer server_{"127.0.0.9"};
};

TEST_F(GuardRedirects, the_stack_works_at_all) {
    server_.at("/", redirect(302, "/end"));
    server_.at("/end", answer(200, "ok"));
    Stack stack(options());
    const auto response = stack.follow(server_.url());
    ASSERT_TRUE(response.ok()) << response.error().describe();
    EXPECT_EQ(response->body, "ok");
    EXPECT_TRUE(has_header(server_.requests().at(1), "traceparent"));
}

TEST_F(GuardRedirects, no_hostile_url_is_better_as_a_location) {
    HttpOptions lying = options();
    lying.resolver = fixed_resolver({{"*", {ip("127.0.0.1")}}});
    Stack stack(lying);
    std::size_t tried = 0;
    for (const std::string_view pattern : kHostileUrls) {
        const std::string location = with_port(pattern, canary_.port());
        // What a header cannot carry, and what is read as a path below the server that was asked.
        const bool carried = location.find_first_of("\r\n\t ") == std::string::npos &&
                             location.find("://") != std::string::npos;
        if (!carried) {
            continue;
        }
        ++tried;
        server_.at("/", redirect(302, location));
        const auto response = stack.follow(server_.url());
        if (response.ok()) {
            EXPECT_EQ(response->status, 404) << location << ": our own server was asked again";
        } else {
            EXPECT_NE(response.error().code, ErrorCode::TIMEOUT) << location;
            EXPECT_FALSE(response.error().retryable) << location;
        }
    }
    EXPECT_GE(tried, 100U);
    expect_silence();
}

TEST_F(GuardRedirects, metadata_services_are_out_of_reach) {
    Stack stack(options());
    const char* locations[] = {"http://169.254.169.254/latest/meta-data/",
                               "http://[fd00:ec2::254]/latest/meta-data/",
                               "http://168.63.129.16/machine?comp=goalstate",
                               "http://100.100.100.200/latest/meta-data/",
                               "http://192.0.0.192/opc/v2/instance/",
                               "http://[::ffff:169.254.169.254]/",
                               "//169.254.169.254/",
                               "http://localhost/",
                               "http://a.localhost:80/"};
    for (const int status : {301, 302, 303, 307, 308}) {
        for (const char* location : locations) {
            server_.at("/", redirect(status, location));
            expect_blocked(stack.follow(server_.url()), location);
        }
    }
}

TEST_F(GuardRedirects, a_chain_is_judged_at_its_last_hop_too) {
    server_.at("/0", redirect(302, "/1"));
    server_.at("/1", redirect(307, server_.url("/2")));
    server_.at("/2", redirect(308, canary_.url()));
    Stack stack(options());
    expect_blocked(stack.follow(server_.url("/0")), "three hops");
    EXPECT_EQ(server_.requests().size(), 3U);
    expect_silence();
}

TEST_F(GuardRedirects, a_name_is_looked_up_anew_for_every_hop) {
    // Harmless when it is asked first; the canary from then on. The connection of the first hop is
    // still open, and would carry the second one if nobody asked again.
    std::atomic<int> asked{0};
    HttpOptions rebinding = options();
    rebinding.resolver = [&](const NameQuery&) {
        return Result<std::vector<IpAddress>>(
            std::vector<IpAddress>{ip(asked++ == 0 ? "127.0.0.9" : "127.0.0.1")});
    };
    server_.at("/", redirect(302, "/again"));
    server_.at("/again", answer(200, "not to be seen"));
    Stack stack(rebinding);
    expect_blocked(stack.follow(fmt::format("http://rebinding.example:{}/", server_.port())),
                   "the same name");
    EXPECT_EQ(asked.load(), 2);
    EXPECT_EQ(server_.requests().size(), 1U);
    expect_silence();
}

TEST_F(GuardRedirects, one_private_address_among_many_condemns_a_hop) {
    const std::vector<std::vector<std::string_view>> answers = {
        {"127.0.0.9", "127.0.0.1"},
        {"127.0.0.1", "127.0.0.9"},
        {"127.0.0.9", "::1"},
        {"::1", "127.0.0.9"},
        {"127.0.0.9", "fe80::1"},
        {"127.0.0.9", "::ffff:127.0.0.1"},
        {"127.0.0.9", "93.184.216.34", "10.0.0.1"}};
    for (const auto& addresses : answers) {
        std::vector<IpAddress> found;
        for (const std::string_view text : addresses) {
            found.push_back(ip(text));
        }
        HttpOptions mixed = options();
        mixed.resolver = fixed_resolver({{"fine.example", {ip("127.0.0.9")}}, {"*", found}});
        server_.at("/", redirect(302, fmt::format("http://mixed.example:{}/", canary_.port())));
        Stack stack(mixed);
        expect_blocked(stack.follow(fmt::format("http://fine.example:{}/", server_.port())),
                       addresses.back());
    }
    expect_silence();
}

TEST_F(GuardRedirects, proxies_of_the_environment_are_ignored_on_every_hop) {
    const char* names[] = {"http_proxy",  "HTTP_PROXY", "https_proxy",
                           "HTTPS_PROXY", "all_proxy",  "ALL_PROXY"};
    server_.at("/", redirect(302, "/end"));
    server_.at("/end", answer(200, "ok"));
    for (const char* name : names) {
        ASSERT_EQ(::setenv(name, canary_.url().c_str(), 1), 0);  // NOLINT(concurrency-mt-unsafe)
    }
    Stack stack(options());
    const auto response = stack.follow(server_.url());
    for (const char* name : names) {
        ::unsetenv(name);  // NOLINT(concurrency-mt-unsafe)
    }
    ASSERT_TRUE(response.ok()) << response.error().describe();
    expect_silence();
}

TEST_F(GuardRedirects, an_open_connection_excuses_no_new_address) {
    // First all is well and a connection stays open; then the name moves to the canary's address,
    // and back, and each request is judged by what its name means at that moment.
    std::atomic<bool> hostile{false};
    HttpOptions moving = options();
    moving.resolver = [&](const NameQuery&) {
        return Result<std::vector<IpAddress>>(
            std::vector<IpAddress>{ip(hostile ? "127.0.0.1" : "127.0.0.9")});
    };
    server_.at("/", answer(200, "ok"));
    Stack stack(moving);
    const std::string url = fmt::format("http://moving.example:{}/", server_.port());
    for (int round = 0; round < 3; ++round) {
        hostile = false;
        ASSERT_TRUE(stack.follow(url).ok()) << round;
        hostile = true;
        expect_blocked(stack.follow(url), "moved");
    }
    EXPECT_EQ(server_.requests().size(), 3U);
    expect_silence();
}

}  // namespace
}  // namespace jobforge::connect
