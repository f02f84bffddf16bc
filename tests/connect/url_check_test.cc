#include "connect/guard/url_check.h"

#include <gtest/gtest.h>

namespace jobforge::connect {
namespace {

struct Good {
    const char* url;
    const char* text;  // what is dialled
    const char* host;
};

TEST(UrlCheck, plain_urls_are_taken_apart_and_put_together_anew) {
    const Good rows[] = {
        {"http://example.com", "http://example.com:80/", "example.com"},
        {"https://example.com", "https://example.com:443/", "example.com"},
        {"HTTPS://Example.COM/Path", "https://example.com:443/Path", "example.com"},
        {"http://example.com:8080/a/b?c=d&e=%20f", "http://example.com:8080/a/b?c=d&e=%20f",
         "example.com"},
        {"http://example.com?q", "http://example.com:80/?q", "example.com"},
        {"http://example.com#part", "http://example.com:80/", "example.com"},
        {"http://example.com/a?b#c?d/e@f", "http://example.com:80/a?b", "example.com"},
        {"http://example.com/@user:pass", "http://example.com:80/@user:pass", "example.com"},
        {"http://example.com/a:b//c", "http://example.com:80/a:b//c", "example.com"},
        {"http://example.com.", "http://example.com:80/", "example.com"},
        {"http://xn--mller-kva.example/", "http://xn--mller-kva.example:80/",
         "xn--mller-kva.example"},
        {"http://my_service:65535/", "http://my_service:65535/", "my_service"},
        {"http://1a.2b/", "http://1a.2b:80/", "1a.2b"},
        {"http://0xg/", "http://0xg:80/", "0xg"},
        {"http://93.184.216.34/", "http://93.184.216.34:80/", "93.184.216.34"},
        {"http://[2A00:1450:0::1]:1/", "http://[2a00:1450::1]:1/", "2a00:1450::1"},
    };
    for (const Good& row : rows) {
        const auto url = check_url(row.url);
        ASSERT_TRUE(url.ok()) << row.url << url.error().describe();
        EXPECT_EQ(url->text(), row.text);
        EXPECT_EQ(url->host, row.host);
        EXPECT_EQ(url->address.has_value(), IpAddress::parse(row.host).has_value()) << row.url;
        const auto again = check_url(url->text());
        ASSERT_TRUE(again.ok());
        EXPECT_EQ(again->text(), url->text());
    }
}

struct Bad {
    std::string url;
    const char* reason;
};

TEST(UrlCheck, a_refusal_says_why) {
    const Bad rows[] = {
        {"", "http://"},
        {"ftp://example.com/", "http://"},
        {"http:/example.com/", "http://"},
        {"http:///example.com/", "host is empty"},
        {"http://:80/", "host is empty"},
        {"http://user@example.com/", "user name or password"},
        {"http://example.com\\@127.0.0.1/", "backslash"},
        {"http://example.com/\n", "control character"},
        {"http://example.com/ ", "blank"},
        {"http://a.example/m\xc3\xbcller", "outside ASCII"},
        {"http://a.example?m\xc3\xbcller", "outside ASCII"},
        {"http://a.example#m\xc3\xbcller", "outside ASCII"},
        {"ht\xc3\xbctp://a.example/", "http://"},
        {"http://%65xample.com/", "percent-encoded"},
        {"http://[fe80::1%25eth0]/", "zone"},
        {"http://[::g]/", "not an IPv6 address"},
        {"http://[1.2.3.4]/", "not an IPv6 address"},
        {"http://[::1/", "never closed"},
        {"http://[::1]8/", "between the host and the port"},
        {"http://127.1/", "odd form"},
        {"http://0x7f000001/", "odd form"},
        {"http://127.0.0.1./", "odd form"},
        {"http://example.com:0/", "port"},
        {"http://example.com:/", "port"},
        {"http://example.com:080000/", "port"},
        {"http://example.com:65536/", "port"},
        {"http://a..b/", "empty or longer than 63"},
        {"http://" + std::string(64, 'a') + "/", "longer than 63"},
        {"http://-a/", "hyphen"},
        {"http://a!b/", "character that names do not have"},
        {"http://example.com/" + std::string(8192, 'a'), "8192"},
    };
    for (const Bad& row : rows) {
        const auto url = check_url(row.url);
        ASSERT_FALSE(url.ok()) << row.url;
        EXPECT_EQ(url.error().code, ErrorCode::SSRF_BLOCKED);
        EXPECT_FALSE(url.error().retryable);
        EXPECT_NE(url.error().message.find(row.reason), std::string::npos)
            << row.url << ": " << url.error().message;
    }
}

TEST(Hole13InternationalNames, become_their_ascii_form) {
    const Good rows[] = {
        {"https://müller.example/a?b", "https://xn--mller-kva.example:443/a?b",
         "xn--mller-kva.example"},
        {"http://MÜLLER.Example:8080", "http://xn--mller-kva.example:8080/",
         "xn--mller-kva.example"},
        {"http://mu\u0308ller.example/", "http://xn--mller-kva.example:80/",
         "xn--mller-kva.example"},
        {"http://müller.example./", "http://xn--mller-kva.example:80/", "xn--mller-kva.example"},
        // Not transitional: "fass.de" is another name, with another owner.
        {"http://faß.de/", "http://xn--fa-hia.de:80/", "xn--fa-hia.de"},
        {"http://例え.テスト/", "http://xn--r8jz45g.xn--zckzah:80/", "xn--r8jz45g.xn--zckzah"},
        {"http://例え。jp/", "http://xn--r8jz45g.jp:80/", "xn--r8jz45g.jp"},
        {"http://пример.испытание/", "http://xn--e1afmkfd.xn--80akhbyknj4f:80/",
         "xn--e1afmkfd.xn--80akhbyknj4f"},
        {"http://api_1.müller.example/", "http://api_1.xn--mller-kva.example:80/",
         "api_1.xn--mller-kva.example"},
        {"http://xn--mller-kva.ü.example/", "http://xn--mller-kva.xn--tda.example:80/",
         "xn--mller-kva.xn--tda.example"},
    };
    for (const Good& row : rows) {
        const auto url = check_url(row.url);
        ASSERT_TRUE(url.ok()) << row.url << url.error().describe();
        EXPECT_EQ(url->text(), row.text);
        EXPECT_EQ(url->host, row.host);
        EXPECT_FALSE(url->address.has_value()) << row.url;
        EXPECT_EQ(check_url(url->text())->text(), url->text());
    }
}

TEST(Hole13InternationalNames, that_only_look_different_stay_refused) {
    const std::string long_label(64, 'a');
    const Bad rows[] = {
        {"http://１２７.0.0.1/", "look-alikes"},
        {"http://127。0.0.1/", "look-alikes"},
        {"http://127．0．0．1/", "look-alikes"},
        {"http://①②⑦.0.0.1/", "look-alikes"},
        {"http://\U0001D7CF27.0.0.1/", "look-alikes"},
        {"http://0x７f000001/", "look-alikes"},
        {"http://２１３０７０６４３３/", "look-alikes"},
        {"http://ü.１/", "look-alikes"},
        {"http://ü.0x7f/", "look-alikes"},
        {"http://ⓛocalhost/", "look-alikes"},
        {"http://local\u00ADhost/", "look-alikes"},
        {"http://loc\u200Balhost/", "look-alikes"},
        {"http://ｅxample.com/", "look-alikes"},
        {"http://metadata.google.ｉnternal/", "look-alikes"},
        {"http://a＠b.ü.example/", "character that names do not have"},
        {"http://a／b.ü.example/", "character that names do not have"},
        {"http://a：80.ü.example/", "character that names do not have"},
        {"http://a？b.ü.example/", "character that names do not have"},
        {"http://a＃b.ü.example/", "character that names do not have"},
        {"http://℀.ü.example/", "character that names do not have"},
        {"http://ü@b.example/", "user name or password"},
        {"http://ü＠b.example/", "not a valid international name"},
        {"http://ü%2f.example/", "percent-encoded"},
        {"http://a\u202Eb.example/", "not a valid international name"},
        {"http://a\u200Db.example/", "not a valid international name"},
        {"http://😀.example/", "not a valid international name"},
        {"http://-ü.example/", "not a valid international name"},
        {"http://ε.xn--a.example/", "not a valid international name"},
        {"http://\xff\xfe.example/", "not a valid international name"},
        {"http://m\xfcller.example/", "not a valid international name"},
        {"http://\u00AD/", "look-alikes"},
        {"http://ü..example/", "empty or longer than 63"},
        {"http://ü." + long_label + ".example/", "not a valid international name"},
        {"http://" + std::string(600, '\xc3') + "/", "not a valid international name"},
        {"http://[ü::1]/", "not an IPv6 address"},
        {"http://ü.example:８０/", "port"},
    };
    for (const Bad& row : rows) {
        const auto url = check_url(row.url);
        ASSERT_FALSE(url.ok()) << row.url << " " << url->text();
        EXPECT_EQ(url.error().code, ErrorCode::SSRF_BLOCKED);
        EXPECT_FALSE(url.error().retryable);
        EXPECT_NE(url.error().message.find(row.reason), std::string::npos)
            << row.url << ": " << url.error().message;
    }
}

TEST(UrlCheck, a_name_of_253_characters_is_the_longest) {
    std::string name;
    for (int i = 0; i < 4; ++i) {
        name += std::string(62, 'a') + ".";
    }
    name += "b";  // 4 * 63 + 1
    EXPECT_TRUE(check_url("http://" + name + "/").ok());
    EXPECT_FALSE(check_url("http://" + name + "b/").ok());
}

TEST(UrlCheck, a_refusal_does_not_repeat_a_password) {
    const auto url = check_url("https://user:hidden@example.com/");
    ASSERT_FALSE(url.ok());
    EXPECT_EQ(url.error().to_json().find("hidden"), std::string::npos);
}

}  // namespace
}  // namespace jobforge::connect
