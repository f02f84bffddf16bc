// Nothing that a tenant writes makes the program dial a private address: a canary listens on
// loopback, and must never hear anything.
#include <cstdlib>
#include <set>

#include <curl/curl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "connect/guard/judged_addresses.h"
#include "connect/guard/socket_guard.h"
#include "connect/http/http_request.h"
#include "guard_urls.h"
#include "tcp_server.h"
#include "wait_until.h"

namespace jobforge::connect {
namespace {

using test::TcpServer;

constexpr char kOk[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

IpAddress ip(std::string_view text) {
    return IpAddress::parse(text).value();
}

std::vector<IpAddress> ips(const std::vector<std::string_view>& texts) {
    std::vector<IpAddress> result;
    for (const std::string_view text : texts) {
        result.push_back(ip(text));
    }
    return result;
}

// "{}" replaced by the port, also several times; not fmt's own, which would read {mple}.
std::string with_port(std::string_view pattern, int port) {
    std::string url(pattern);
    for (std::size_t at = url.find("{}"); at != std::string::npos; at = url.find("{}")) {
        url.replace(at, 2, std::to_string(port));
    }
    return url;
}

HttpRequest get(std::string url) {
    HttpRequest request;
    request.url = std::move(url);
    request.timeout = std::chrono::seconds(10);
    return request;
}

class Guard : public testing::Test {
protected:
    // Once the canary has heard from its own test, nobody else may have been there before.
    void expect_silence() {
        HttpOptions options;
        options.allowed_networks = parse_networks("127.0.0.1/32").value();
        HttpClient friendly(options);
        ASSERT_TRUE(friendly.send(get(canary_->url())).ok());
        EXPECT_EQ(canary_->connections(), 1) << "somebody got through";
    }

    std::unique_ptr<TcpServer> canary_ = TcpServer::answering(kOk);
};

TEST_F(Guard, hostile_urls_reach_nobody) {
    HttpOptions options;
    options.resolver = fixed_resolver({{"*", {ip("127.0.0.1")}}});
    HttpClient client(options);
    std::set<std::string_view> different;
    for (const std::string_view pattern : kHostileUrls) {
        different.insert(pattern);
        const auto response = client.send(get(with_port(pattern, canary_->port())));
        ASSERT_FALSE(response.ok()) << pattern;
        EXPECT_EQ(response.error().code, ErrorCode::SSRF_BLOCKED)
            << pattern << ": " << response.error().describe();
        EXPECT_FALSE(response.error().retryable) << pattern;
        EXPECT_FALSE(response.error().hint.empty()) << pattern;
    }
    EXPECT_GE(different.size(), 150U);
    expect_silence();
}

TEST_F(Guard, a_zero_byte_ends_nothing_early) {
    HttpClient client;
    for (const auto& url : {std::string("http://127.0.0.1\0.example.com/", 30),
                            std::string("http://93.184.216.34/\0", 22)}) {
        const auto response = client.send(get(url));
        ASSERT_FALSE(response.ok());
        EXPECT_EQ(response.error().code, ErrorCode::SSRF_BLOCKED);
    }
}

struct Answers {
    const char* name;
    std::vector<std::string_view> addresses;
};

// A name with these addresses. 93.184.216.34 and 2a00:1450::1 are public, and would be dialled if
// the private one beside them did not condemn the name.
const Answers kNames[] = {
    {"loopback", {"127.0.0.1"}},
    {"another_loopback", {"127.8.8.8"}},
    {"loopback_6", {"::1"}},
    {"unspecified", {"0.0.0.0"}},
    {"unspecified_6", {"::"}},
    {"ten", {"10.1.2.3"}},
    {"one_seven_two", {"172.20.0.1"}},
    {"one_nine_two", {"192.168.1.1"}},
    {"carrier", {"100.64.1.1"}},
    {"metadata", {"169.254.169.254"}},
    {"metadata_alibaba", {"100.100.100.200"}},
    {"metadata_oracle", {"192.0.0.192"}},
    {"metadata_azure", {"168.63.129.16"}},
    {"metadata_aws_6", {"fd00:ec2::254"}},
    {"link_local_6", {"fe80::1"}},
    {"mapped", {"::ffff:127.0.0.1"}},
    {"compatible", {"::127.0.0.1"}},
    {"translated", {"::ffff:0:127.0.0.1"}},
    {"nat64", {"64:ff9b::7f00:1"}},
    {"six_to_four", {"2002:7f00:1::1"}},
    {"teredo", {"2001:0:7f00:1::1"}},
    {"multicast", {"224.0.0.251"}},
    {"broadcast", {"255.255.255.255"}},
    {"public_then_loopback", {"93.184.216.34", "127.0.0.1"}},
    {"loopback_then_public", {"127.0.0.1", "93.184.216.34"}},
    {"the_last_of_many", {"93.184.216.34", "93.184.216.35", "93.184.216.36", "10.0.0.1"}},
    {"public_4_and_loopback_6", {"93.184.216.34", "::1"}},
    {"public_6_and_loopback_4", {"2a00:1450::1", "127.0.0.1"}},
    {"loopback_6_and_public_6", {"::1", "2a00:1450::1"}},
    {"public_and_mapped", {"93.184.216.34", "::ffff:127.0.0.1"}},
    {"allowed_and_loopback", {"127.0.0.9", "127.0.0.1"}},
    {"mapped_form_of_the_allowed", {"::ffff:127.0.0.9"}},
    {"neighbour_of_the_allowed", {"127.0.0.8"}},
};

TEST_F(Guard, one_bad_address_condemns_a_name) {
    HttpOptions options;
    options.allowed_networks = parse_networks("127.0.0.9/32").value();
    std::map<std::string, std::vector<IpAddress>> answers;
    for (const Answers& row : kNames) {
        answers[fmt::format("{}.example", row.name)] = ips(row.addresses);
    }
    options.resolver = fixed_resolver(answers);
    HttpClient client(options);
    for (const Answers& row : kNames) {
        // Before any socket: the public ones beside it must not be dialled either.
        const auto url = check_url(fmt::format("http://{}.example/", row.name));
        const auto judged =
            judged_addresses(*url, AddressGuard(options.allowed_networks), options.resolver);
        ASSERT_FALSE(judged.ok()) << row.name;
        EXPECT_EQ(judged.error().code, ErrorCode::SSRF_BLOCKED) << row.name;
        const auto response =
            client.send(get(fmt::format("http://{}.example:{}/", row.name, canary_->port())));
        ASSERT_FALSE(response.ok()) << row.name;
        EXPECT_EQ(response.error().code, ErrorCode::SSRF_BLOCKED)
            << row.name << response.error().describe();
        EXPECT_NE(response.error().details.find("\"address\""), std::string::npos) << row.name;
    }
    expect_silence();
}

TEST_F(Guard, the_machines_own_names_for_itself_are_blocked_whatever_a_resolver_says) {
    HttpOptions lying;
    lying.resolver = fixed_resolver({{"*", {ip("93.184.216.34")}}});
    for (const HttpOptions& options : {HttpOptions(), lying}) {
        HttpClient client(options);
        for (const char* name : {"localhost", "LocalHost", "localhost.", "a.localhost"}) {
            const auto response =
                client.send(get(fmt::format("http://{}:{}/", name, canary_->port())));
            ASSERT_FALSE(response.ok()) << name;
            EXPECT_EQ(response.error().code, ErrorCode::SSRF_BLOCKED)
                << response.error().describe();
        }
    }
    expect_silence();
}

TEST_F(Guard, the_machines_own_resolver_is_judged_like_any_other) {
    const auto addresses = system_resolver()(
        {.host = "localhost",
         .deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20)});
    ASSERT_TRUE(addresses.ok()) << addresses.error().describe();
    for (const IpAddress& address : *addresses) {
        EXPECT_TRUE(AddressGuard().refusal(address).has_value()) << address.text();
    }
}

// A server that may be reached, beside the canary that may not.
class GuardBeside : public Guard {
protected:
    GuardBeside() { options_.allowed_networks = parse_networks("127.0.0.9/32").value(); }

    static std::unique_ptr<TcpServer> beside(std::string answer) {
        return TcpServer::answering(std::move(answer), "127.0.0.9");
    }

    HttpOptions options_;
};

TEST_F(GuardBeside, redirects_lead_nowhere) {
    for (const int status : {300, 301, 302, 303, 305, 307, 308}) {
        const auto server =
            beside(fmt::format("HTTP/1.1 {} Go\r\nLocation: {}\r\nRefresh: 0; url={}\r\n"
                               "Alt-Svc: h2=\"127.0.0.1:{}\"\r\nContent-Length: 0\r\n\r\n",
                               status, canary_->url(), canary_->url(), canary_->port()));
        HttpClient client(options_);
        for (int i = 0; i < 2; ++i) {
            const auto response = client.send(get(server->url()));
            ASSERT_TRUE(response.ok()) << response.error().describe();
            EXPECT_EQ(response->status, status);
        }
    }
    expect_silence();
}

TEST_F(GuardBeside, proxies_of_the_environment_are_ignored) {
    const auto server = beside(kOk);
    const char* names[] = {"http_proxy",  "HTTP_PROXY", "https_proxy",
                           "HTTPS_PROXY", "all_proxy",  "ALL_PROXY"};
    for (const char* name : names) {
        ASSERT_EQ(::setenv(name, canary_->url().c_str(), 1), 0);  // NOLINT(concurrency-mt-unsafe)
    }
    HttpClient client(options_);
    const auto response = client.send(get(server->url()));
    for (const char* name : names) {
        ::unsetenv(name);  // NOLINT(concurrency-mt-unsafe)
    }
    ASSERT_TRUE(response.ok()) << response.error().describe();
    EXPECT_EQ(server->connections(), 1);
    expect_silence();
}

TEST_F(GuardBeside, a_name_is_looked_up_once_and_what_was_judged_is_dialled) {
    const auto server = beside(kOk);
    std::atomic<int> asked{0};
    // The first answer is harmless; every later one is the canary (rebinding). The canary's port
    // is not the server's, so the second part gives it one of its own.
    options_.resolver = [&](const NameQuery&) {
        return Result<std::vector<IpAddress>>(
            std::vector<IpAddress>{ip(asked++ == 0 ? "127.0.0.9" : "127.0.0.1")});
    };
    HttpClient client(options_);
    const std::string url = fmt::format("http://rebinding.example:{}/", server->port());
    const auto first = client.send(get(url));
    ASSERT_TRUE(first.ok()) << first.error().describe();
    EXPECT_EQ(asked.load(), 1);
    EXPECT_EQ(server->connections(), 1);
    // An open connection to the same name is waiting, and does not excuse the new address.
    const auto second = client.send(get(url));
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, ErrorCode::SSRF_BLOCKED);
    EXPECT_EQ(server->requests().size(), 1U);
    expect_silence();
}

TEST_F(GuardBeside, a_name_is_dialled_at_its_pinned_address_and_keeps_its_host_header) {
    const auto server = beside(kOk);
    options_.resolver = fixed_resolver({{"hooks.example", {ip("127.0.0.9")}}});
    HttpClient client(options_);
    ASSERT_TRUE(client.send(get(fmt::format("http://HOOKS.example:{}/", server->port()))).ok());
    EXPECT_NE(server->requests().at(0).find(fmt::format("Host: hooks.example:{}", server->port())),
              std::string::npos);
}

TEST_F(GuardBeside, hole_13_an_international_name_is_looked_up_and_sent_in_its_ascii_form) {
    const auto server = beside(kOk);
    std::string asked;
    options_.resolver = [&](const NameQuery& query) {
        asked = query.host;
        return Result<std::vector<IpAddress>>(ips({"127.0.0.9"}));
    };
    HttpClient client(options_);
    const auto response =
        client.send(get(fmt::format("http://MÜLLER.example:{}/", server->port())));
    ASSERT_TRUE(response.ok()) << response.error().describe();
    EXPECT_EQ(asked, "xn--mller-kva.example");
    EXPECT_NE(server->requests().at(0).find(
                  fmt::format("Host: xn--mller-kva.example:{}\r\n", server->port())),
              std::string::npos);
    options_.resolver = fixed_resolver({{"*", ips({"10.0.0.1"})}});
    const auto private_one = HttpClient(options_).send(get("http://müller.example/"));
    ASSERT_FALSE(private_one.ok());
    EXPECT_EQ(private_one.error().code, ErrorCode::SSRF_BLOCKED) << "the guard judges it too";
}

TEST_F(GuardBeside, what_is_allowed_is_no_more_than_what_was_said) {
    const auto server = beside(kOk);
    HttpClient client(options_);
    EXPECT_TRUE(client.send(get(server->url())).ok());
    for (const char* host :
         {"127.0.0.1", "127.0.0.8", "127.0.0.10", "[::ffff:127.0.0.9]", "[::1]"}) {
        const auto response = client.send(get(fmt::format("http://{}:{}/", host, canary_->port())));
        ASSERT_FALSE(response.ok()) << host;
        EXPECT_EQ(response.error().code, ErrorCode::SSRF_BLOCKED) << host;
    }
    expect_silence();
}

// The last line of defence by itself: libcurl with nothing but the socket guard.
class SocketGuardAlone : public Guard {
protected:
    SocketGuardAlone() : easy_(curl_easy_init()) {}
    ~SocketGuardAlone() override { curl_easy_cleanup(easy_); }

    CURLcode fetch(const std::string& url) {
        curl_easy_setopt(easy_, CURLOPT_URL, url.c_str());
        curl_easy_setopt(easy_, CURLOPT_PROXY, "");
        curl_easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy_, CURLOPT_TIMEOUT_MS, 10'000L);
        curl_easy_setopt(
            easy_, CURLOPT_WRITEFUNCTION,
            +[](char*, std::size_t size, std::size_t count, void*) { return size * count; });
        return curl_easy_perform(easy_);
    }

    const AddressGuard guard_;
    CURL* easy_;
};

TEST_F(SocketGuardAlone, sees_through_every_spelling_that_libcurl_understands) {
    // Each of these reaches the canary without the guard: FACTS, not fears.
    const char* patterns[] = {
        "http://127.0.0.1:{}/",   "http://127.1:{}/",      "http://0x7f.1:{}/",
        "http://2130706433:{}/",  "http://0177.0.0.1:{}/", "http://localhost:{}/",
        "http://%31%32%37.1:{}/", "http://0.0.0.0:{}/",    "http://user@127.0.0.1:{}/"};
    int reached = 0;
    for (const char* pattern : patterns) {
        const std::string url = with_port(pattern, canary_->port());
        curl_easy_setopt(easy_, CURLOPT_FRESH_CONNECT, 1L);
        ASSERT_EQ(fetch(url), CURLE_OK) << url;
        ASSERT_EQ(canary_->connections(), ++reached) << url;

        CURL* const unguarded = easy_;
        easy_ = curl_easy_init();
        SocketGuard socket_guard(guard_);
        socket_guard.watch(easy_);
        EXPECT_NE(fetch(url), CURLE_OK) << url;
        ASSERT_TRUE(socket_guard.refusal().has_value()) << url;
        EXPECT_EQ(canary_->connections(), reached) << url;
        curl_easy_cleanup(easy_);
        easy_ = unguarded;
    }
}

TEST_F(SocketGuardAlone, goes_on_to_no_second_address) {
    SocketGuard socket_guard(guard_);
    socket_guard.watch(easy_);
    const std::string entry =
        fmt::format("two.example:{}:127.0.0.1,127.0.0.9,10.0.0.1", canary_->port());
    curl_slist* pins = curl_slist_append(nullptr, entry.c_str());
    curl_easy_setopt(easy_, CURLOPT_RESOLVE, pins);
    EXPECT_NE(fetch(fmt::format("http://two.example:{}/", canary_->port())), CURLE_OK);
    curl_slist_free_all(pins);
    ASSERT_TRUE(socket_guard.refusal().has_value());
    EXPECT_EQ(socket_guard.refusal()->address, ip("127.0.0.1"));
    expect_silence();
}

TEST_F(SocketGuardAlone, judges_a_connection_that_is_used_again) {
    ASSERT_EQ(fetch(canary_->url()), CURLE_OK);  // opened when nobody watched
    SocketGuard socket_guard(guard_);
    socket_guard.watch(easy_);
    EXPECT_EQ(fetch(canary_->url()), CURLE_ABORTED_BY_CALLBACK);
    EXPECT_TRUE(socket_guard.refusal().has_value());
    EXPECT_EQ(canary_->connections(), 1) << "the same connection";
    EXPECT_EQ(canary_->requests().size(), 1U) << "and no second request on it";
}

}  // namespace
}  // namespace jobforge::connect
