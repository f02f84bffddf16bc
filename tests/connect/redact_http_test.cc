// What may be written down of a request.
#include "connect/http/redact_http.h"

#include <gtest/gtest.h>

namespace jobforge::connect {
namespace {

TEST(RedactHttp, headers_with_credentials_lose_their_values_and_keep_their_place) {
    const HttpHeaders headers = {{"Accept", "text/plain"},
                                 {"AUTHORIZATION", "Bearer s3cret"},
                                 {"Proxy-Authorization", "Basic s3cret"},
                                 {"cookie", "id=s3cret"},
                                 {"Set-Cookie", "id=s3cret"},
                                 {"Set-Cookie", "other=s3cret"},
                                 {"X-Api-Key", "s3cret"},
                                 {"X-Auth-Token", "s3cret"},
                                 {"X-Mine", "s3cret"},
                                 {"X-Empty", ""}};
    const std::string also[] = {"x-mine"};
    const HttpHeaders expected = {{"Accept", "text/plain"},
                                  {"AUTHORIZATION", "[redacted]"},
                                  {"Proxy-Authorization", "[redacted]"},
                                  {"cookie", "[redacted]"},
                                  {"Set-Cookie", "[redacted]"},
                                  {"Set-Cookie", "[redacted]"},
                                  {"X-Api-Key", "[redacted]"},
                                  {"X-Auth-Token", "[redacted]"},
                                  {"X-Mine", "[redacted]"},
                                  {"X-Empty", ""}};
    EXPECT_EQ(redacted_headers(headers, also), expected);
    EXPECT_EQ(redacted_headers(headers).at(8).second, "s3cret") << "only when named";
    EXPECT_FALSE(is_secret_header("authorization2"));
}

TEST(RedactHttp, urls_lose_users_and_the_values_of_queries) {
    const std::pair<const char*, const char*> rows[] = {
        {"https://api.example/v1/items", "https://api.example/v1/items"},
        {"https://api.example/x?key=s3cret", "https://api.example/x?key=[redacted]"},
        {"https://api.example/x?a=1&b=&c&d=2;e=3",
         "https://api.example/x?a=[redacted]&b=&[redacted]&d=[redacted];e=[redacted]"},
        {"https://api.example?s3cret", "https://api.example?[redacted]"},
        {"https://api.example/?a=b=c?d", "https://api.example/?a=[redacted]"},
        {"https://user:s3cret@api.example/x", "https://[redacted]@api.example/x"},
        {"https://s3cret@api.example/x", "https://[redacted]@api.example/x"},
        {"https://a@b@api.example/x", "https://[redacted]@api.example/x"},
        {"https://api.example/x#s3cret", "https://api.example/x"},
        {"https://api.example/x?#s3cret", "https://api.example/x?"},
        {"https://api.example/@name/x", "https://api.example/@name/x"},
        {"/relative?token=s3cret", "/relative?token=[redacted]"},
        {"", ""},
        {"no url at all", "no url at all"},
    };
    for (const auto& [url, expected] : rows) {
        EXPECT_EQ(redacted_url(url), expected) << url;
    }
}

TEST(RedactHttp, no_spelling_of_a_password_gets_through) {
    for (const char* url :
         {"http://u:s3cret@h/", "http://u:s3/cret@h/", "http://u:s3?cret@h/", "http://:s3cret@h",
          "HTTP://u:s3cret@h:80/?a=s3cret", "ftp://u:s3cret@h/"}) {
        const std::string out = redacted_url(url);
        EXPECT_EQ(out.find("s3"), std::string::npos) << url << " became " << out;
        EXPECT_EQ(out.find("cret"), std::string::npos) << url << " became " << out;
    }
}

}  // namespace
}  // namespace jobforge::connect
