// Which addresses are public: the first and last address of every block, and their neighbours.
#include "connect/guard/address_guard.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace jobforge::connect {
namespace {

IpAddress ip(std::string_view text) {
    return IpAddress::parse(text).value();
}

struct Block {
    const char* before;  // public, or empty where a block touches another
    const char* first;
    const char* last;
    const char* after;
    const char* reason;
};

const Block kBlocks[] = {
    {"", "0.0.0.0", "0.255.255.255", "1.0.0.0", "this network"},
    {"9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0", "private"},
    {"100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0", "carriers"},
    {"126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0", "loopback"},
    {"168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17", "Azure"},
    {"169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0", "link-local"},
    {"172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0", "private"},
    {"191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0", "protocol"},
    {"192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0", "documentation"},
    {"192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0", "6to4"},
    {"192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0", "private"},
    {"198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0", "benchmarking"},
    {"198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0", "documentation"},
    {"203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0", "documentation"},
    {"223.255.255.255", "224.0.0.0", "239.255.255.255", "", "multicast"},
    {"", "240.0.0.0", "255.255.255.255", "", "reserved"},
    {"", "::", "::", "", "unspecified"},
    {"", "::1", "::1", "", "loopback"},
    {"", "::2", "::ffff:ffff", "", "IPv4-compatible"},
    {"", "::ffff:0.0.0.0", "::ffff:255.255.255.255", "", "IPv4-mapped"},
    {"", "::ffff:0:0:0", "::ffff:0:ffff:ffff", "", "IPv4-translated"},
    {"", "64:ff9b::", "64:ff9b::ffff:ffff", "", "(NAT64)"},
    {"", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "", "local NAT64"},
    {"", "100::", "100::ffff:ffff:ffff:ffff", "", "discard"},
    {"", "1fff:ffff::", "1fff:ffff::", "2000::", "2000::/3"},
    {"2000:ffff::", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "", "Teredo"},
    {"", "2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::", "protocol"},
    {"2001:db7:ffff::", "2001:db8::", "2001:db8:ffff::", "2001:db9::", "documentation"},
    {"2001:ffff::", "2002::", "2002:ffff::", "2003::", "6to4"},
    {"3ffe:ffff::", "3fff::", "3fff:fff:ffff::", "3fff:1000::", "documentation"},
    {"3fff:ffff::", "4000::", "fbff:ffff::", "", "2000::/3"},
    {"", "fc00::", "fdff:ffff::", "", "unique local"},
    {"", "fe00::", "fe7f:ffff::", "", "2000::/3"},
    {"", "fe80::", "febf:ffff::", "", "link-local"},
    {"", "fec0::", "feff:ffff::", "", "site-local"},
    {"", "ff00::", "ffff:ffff::", "", "multicast"},
};

TEST(AddressGuard, every_special_block_is_special_from_its_first_to_its_last_address) {
    for (const Block& block : kBlocks) {
        for (const char* inside : {block.first, block.last}) {
            const auto why = why_not_public(ip(inside));
            ASSERT_TRUE(why.has_value()) << inside;
            EXPECT_NE(why->find(block.reason), std::string_view::npos) << inside << ": " << *why;
        }
        for (const char* outside : {block.before, block.after}) {
            if (*outside != '\0') {
                EXPECT_EQ(why_not_public(ip(outside)), std::nullopt) << outside;
            }
        }
    }
}

TEST(AddressGuard, ordinary_servers_are_public) {
    for (const char* text : {"1.1.1.1", "8.8.8.8", "93.184.216.34", "151.101.1.140",
                             "2606:4700:4700::1111", "2a00:1450:4001:830::200e", "2620:fe::fe"}) {
        EXPECT_EQ(why_not_public(ip(text)), std::nullopt) << text;
    }
}

TEST(AddressGuard, an_isatap_address_hides_an_ipv4_address_behind_any_prefix) {
    EXPECT_TRUE(why_not_public(ip("2a00:1450::5efe:8.8.8.8")).has_value());
    EXPECT_TRUE(why_not_public(ip("2a00:1450::200:5efe:8.8.8.8")).has_value());
    EXPECT_FALSE(why_not_public(ip("2a00:1450::100:5efe:8.8.8.8")).has_value());
}

RC_GTEST_PROP(AddressGuard, an_ipv4_address_inside_an_ipv6_address_is_never_public,
              (std::uint32_t bits)) {
    const std::string v4 = IpAddress::v4(bits).text();
    for (const char* prefix : {"::", "::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::"}) {
        RC_ASSERT(why_not_public(ip(prefix + v4)).has_value());
    }
}

RC_GTEST_PROP(AddressGuard, an_address_is_what_its_text_says, (std::uint32_t bits)) {
    const IpAddress address = IpAddress::v4(bits);
    RC_ASSERT(IpAddress::parse(address.text()) == address);
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(bits);
    RC_ASSERT(IpAddress::of(reinterpret_cast<const sockaddr&>(in)) == address);
}

TEST(AddressGuard, another_family_is_no_address) {
    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    EXPECT_EQ(IpAddress::of(reinterpret_cast<const sockaddr&>(local)), std::nullopt);
}

TEST(AddressGuard, odd_spellings_are_no_addresses) {
    for (const char* text : {"", "127.1", "127.0.0.01", "0x7f.0.0.1", "2130706433", "127.0.0.1 ",
                             " 127.0.0.1", "127.0.0.1.", "[::1]", "::1%lo", "fe80::1%1",
                             ":::", "1:2:3:4:5:6:7:8:9", "::ffff:127.1", "12345::", "localhost"}) {
        EXPECT_EQ(IpAddress::parse(text), std::nullopt) << text;
    }
    EXPECT_EQ(IpAddress::parse(std::string_view("127.0.0.1\0", 10)), std::nullopt);
}

TEST(AddressGuard, allowed_networks_pass_and_nothing_beside_them) {
    const AddressGuard guard(parse_networks("127.0.0.0/30, ::1/128,10.20.0.0/16").value());
    for (const char* text : {"127.0.0.0", "127.0.0.3", "::1", "10.20.255.255", "8.8.8.8"}) {
        EXPECT_EQ(guard.refusal(ip(text)), std::nullopt) << text;
    }
    // a14::1 starts with the bytes of 10.20.
    for (const char* text : {"127.0.0.4", "::2", "::", "10.21.0.0", "::ffff:127.0.0.1",
                             "::ffff:10.20.0.1", "64:ff9b::10.20.0.1", "a14::1"}) {
        EXPECT_TRUE(guard.refusal(ip(text)).has_value()) << text;
    }
}

TEST(AddressGuard, networks_are_read_or_refused_with_the_part_that_is_wrong) {
    EXPECT_TRUE(parse_networks("").value().empty());
    EXPECT_TRUE(parse_networks("  ").value().empty());
    const auto networks = parse_networks(" 127.0.0.0/8 ,fd00::/8");
    ASSERT_TRUE(networks.ok());
    ASSERT_EQ(networks->size(), 2U);
    EXPECT_EQ((*networks)[0].text(), "127.0.0.0/8");
    EXPECT_EQ((*networks)[1].text(), "fd00::/8");
    const std::pair<const char*, const char*> wrong[] = {{"127.0.0.1", "127.0.0.1/32"},
                                                         {"10.0.0.0/8,", "\"\""},
                                                         {",10.0.0.0/8", "\"\""},
                                                         {"10.0.0.1/8", "behind the length"},
                                                         {"10.0.0.0/33", "0 to 32"},
                                                         {"::1/129", "0 to 128"},
                                                         {"10.0.0.0/-1", "0 to 32"},
                                                         {"10.0.0.0/", "0 to 32"},
                                                         {"10.0.0.0/8x", "0 to 32"},
                                                         {"10/8", "not an IP address"},
                                                         {"localhost/8", "not an IP address"},
                                                         {"0.0.0.0/0", "every address"},
                                                         {"::/0", "every address"},
                                                         {"10.0.0.0/8;::1/128", "0 to 32"},
                                                         {"10.0.0.0/8 11.0.0.0/8", "0 to 32"}};
    for (const auto& [list, part] : wrong) {
        const auto refused = parse_networks(list);
        ASSERT_FALSE(refused.ok()) << list;
        EXPECT_EQ(refused.error().code, ErrorCode::VALIDATION_ERROR);
        EXPECT_NE(refused.error().message.find(part), std::string::npos)
            << list << ": " << refused.error().message;
        EXPECT_FALSE(refused.error().hint.empty());
    }
}

TEST(AddressGuard, a_refusal_names_host_address_and_reason) {
    const Error error = blocked_address("hooks.example", ip("10.0.0.1"), "private network");
    EXPECT_EQ(error.code, ErrorCode::SSRF_BLOCKED);
    EXPECT_FALSE(error.retryable);
    EXPECT_EQ(error.details,
              R"({"address":"10.0.0.1","host":"hooks.example","reason":"private network"})");
    for (const char* part : {"hooks.example", "10.0.0.1", "private network"}) {
        EXPECT_NE(error.message.find(part), std::string::npos);
    }
}

}  // namespace
}  // namespace jobforge::connect
