// Where the QR codes of `up` lead.
#include <gtest/gtest.h>

#include "cli/view/page_links.h"

namespace jobforge::cli {
namespace {

TEST(PageLinks, an_address_of_all_interfaces_becomes_one_that_others_reach) {
    EXPECT_EQ(reachable_url("http://127.0.0.1:8080", "127.0.0.1"), "http://127.0.0.1:8080");
    EXPECT_EQ(reachable_url("https://api.lan:8443", "api.lan"), "https://api.lan:8443");
    const auto own = network_address();
    EXPECT_EQ(reachable_url("https://0.0.0.0:8443", "0.0.0.0"),
              "https://" + own.value_or("0.0.0.0") + ":8443");
    EXPECT_EQ(reachable_url("http://[::]:80", "::"), "http://" + own.value_or("[::]") + ":80");
    EXPECT_FALSE(own && only_this_machine(*own)) << *own;
}

TEST(PageLinks, a_phone_does_not_reach_loopback) {
    for (const char* host : {"127.0.0.1", "127.1.2.3", "localhost", "::1"}) {
        EXPECT_TRUE(only_this_machine(host)) << host;
    }
    for (const char* host : {"0.0.0.0", "::", "192.0.2.7", "api.lan"}) {
        EXPECT_FALSE(only_this_machine(host)) << host;
    }
}

}  // namespace
}  // namespace jobforge::cli
