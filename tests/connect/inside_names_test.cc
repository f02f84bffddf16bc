// Names that mean the inside are refused whatever they resolve to.
#include "connect/guard/inside_names.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "connect/guard/judged_addresses.h"
#include "route_server.h"

namespace jobforge::connect {
namespace {

using namespace test_support;

IpAddress ip(std::string_view text) {
    return IpAddress::parse(text).value();
}

constexpr std::string_view kPublic = "93.184.216.34";

// Each in another spelling somewhere: capitals, a dot at the end, something before it.
const std::string_view kInside[] = {
    "localhost",
    "LOCALHOST.",
    "a.localhost",
    "localhost.localdomain",
    "ip6-localhost",
    "ip6-loopback",
    "metadata",
    "metadata.google.internal",
    "Metadata.Google.Internal.",
    "internal",
    "ip-10-0-0-1.eu-west-1.compute.internal",
    "host.docker.internal",
    "gateway.docker.internal",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    "prometheus.monitoring.svc",
    "printer.local",
    "router.lan",
    "wiki.intranet",
    "vault.corp",
    "nas.home",
    "nas.home.arpa",
    "HOME.ARPA.",
    "db.private",
    "db.service.consul",
    "db",
    "my_service",
    "xn--mller-kva",
};

const std::string_view kOutside[] = {
    "example.com",          "internal.example.com", "localhost.example.com",
    "notlocalhost.example", "my-internal.com",      "home.example",
    "corp.example.com",     "svc.example",          "a.homes",
    "arpa.example",         "local.example",        "kubernetes.default.example",
    "mylocal.net",
};

HttpOptions answering(std::string_view address, std::string_view networks = "") {
    HttpOptions options;
    options.allowed_networks = parse_networks(networks).value();
    options.resolver = fixed_resolver({{"*", {ip(address)}}});
    return options;
}

Result<std::vector<IpAddress>> judge(std::string_view host, const HttpOptions& options) {
    const auto url = check_url(fmt::format("https://{}/", host));
    EXPECT_TRUE(url.ok()) << host;
    return judged_addresses(*url, AddressGuard(options.allowed_networks), options.resolver);
}

TEST(Hole13InsideNames, are_refused_although_they_resolve_to_a_public_address) {
    for (const std::string_view host : kInside) {
        const auto judged = judge(host, answering(kPublic));
        ASSERT_FALSE(judged.ok()) << host;
        EXPECT_EQ(judged.error().code, ErrorCode::SSRF_BLOCKED) << host;
        EXPECT_FALSE(judged.error().retryable) << host;
        EXPECT_NE(judged.error().hint.find("JOBFORGE_ALLOW_NETWORKS"), std::string::npos) << host;
        EXPECT_NE(judged.error().details.find("\"reason\""), std::string::npos) << host;
    }
}

TEST(Hole13InsideNames, are_not_even_looked_up) {
    int asked = 0;
    HttpOptions options;
    options.resolver = [&](const NameQuery&) {
        ++asked;
        return Result<std::vector<IpAddress>>(Error::of(ErrorCode::TIMEOUT, "asked"));
    };
    HttpClient client(options);
    for (const std::string_view host : kInside) {
        const auto response = client.send(get(fmt::format("http://{}/", host)));
        ASSERT_FALSE(response.ok()) << host;
        EXPECT_EQ(response.error().code, ErrorCode::SSRF_BLOCKED) << response.error().describe();
    }
    EXPECT_EQ(asked, 0);
}

TEST(Hole13InsideNames, other_names_are_judged_by_their_addresses_alone) {
    for (const std::string_view host : kOutside) {
        EXPECT_TRUE(judge(host, answering(kPublic)).ok()) << host;
        EXPECT_FALSE(judge(host, answering("10.0.0.1")).ok()) << host;
    }
}

TEST(Hole13InsideNames, work_in_development_if_all_their_addresses_are_in_an_allowed_network) {
    RouteServer server;
    server.at("/", answer(200, "here"));
    for (const char* host : {"localhost", "a.localhost", "db", "host.docker.internal"}) {
        HttpClient client(answering("127.0.0.1", "127.0.0.0/8"));
        const auto response = client.send(get(fmt::format("http://{}:{}/", host, server.port())));
        ASSERT_TRUE(response.ok()) << host << response.error().describe();
        EXPECT_EQ(response->body, "here");
    }
    for (const char* host : {"db", "metadata.google.internal"}) {
        EXPECT_FALSE(judge(host, answering(kPublic, "127.0.0.0/8")).ok())
            << "an allowed network does not excuse a public address";
        EXPECT_FALSE(judge(host, answering("10.0.0.1", "127.0.0.0/8")).ok())
            << "nor another private one";
        HttpOptions both = answering("127.0.0.1", "127.0.0.0/8");
        both.resolver = fixed_resolver({{"*", {ip("127.0.0.1"), ip(kPublic)}}});
        EXPECT_FALSE(judge(host, both).ok()) << "all of them must be allowed";
    }
    EXPECT_FALSE(judge("localhost", answering("127.0.0.1", "10.0.0.0/8")).ok());
}

}  // namespace
}  // namespace jobforge::connect
