// What a relative URL means: the examples of RFC 3986, 5.4.
#include "connect/http/url_reference.h"

#include <gtest/gtest.h>

#include "connect/guard/url_check.h"

namespace jobforge::connect {
namespace {

TEST(UrlReference, the_rfcs_examples) {
    const std::pair<const char*, const char*> rows[] = {
        // 5.4.1, normal
        {"g:h", "g:h"},
        {"g", "http://a/b/c/g"},
        {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},
        {"/g", "http://a/g"},
        {"//g", "http://g"},
        {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},
        {"#s", "http://a/b/c/d;p?q"},
        {"g#s", "http://a/b/c/g"},
        {"g?y#s", "http://a/b/c/g?y"},
        {";x", "http://a/b/c/;x"},
        {"g;x", "http://a/b/c/g;x"},
        {"g;x?y#s", "http://a/b/c/g;x?y"},
        {"", "http://a/b/c/d;p?q"},
        {".", "http://a/b/c/"},
        {"./", "http://a/b/c/"},
        {"..", "http://a/b/"},
        {"../", "http://a/b/"},
        {"../g", "http://a/b/g"},
        {"../..", "http://a/"},
        {"../../", "http://a/"},
        {"../../g", "http://a/g"},
        // 5.4.2, abnormal
        {"../../../g", "http://a/g"},
        {"../../../../g", "http://a/g"},
        {"/./g", "http://a/g"},
        {"/../g", "http://a/g"},
        {"g.", "http://a/b/c/g."},
        {".g", "http://a/b/c/.g"},
        {"g..", "http://a/b/c/g.."},
        {"..g", "http://a/b/c/..g"},
        {"./../g", "http://a/b/g"},
        {"./g/.", "http://a/b/c/g/"},
        {"g/./h", "http://a/b/c/g/h"},
        {"g/../h", "http://a/b/c/h"},
        {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
        {"g;x=1/../y", "http://a/b/c/y"},
        {"g?y/./x", "http://a/b/c/g?y/./x"},
        {"g?y/../x", "http://a/b/c/g?y/../x"},
        {"http:g", "http:g"},
        // ours
        {"https://other:8443/x?y#z", "https://other:8443/x?y"},
        {"/g?url=http://h/../x", "http://a/g?url=http://h/../x"},
        {"g:80", "g:80"},
        {"./g:80", "http://a/b/c/g:80"},
        {"1:2", "http://a/b/c/1:2"},
        {"//", "http://"},
    };
    for (const auto& [reference, expected] : rows) {
        EXPECT_EQ(resolve_reference("http://a/b/c/d;p?q", reference), expected) << reference;
    }
}

TEST(UrlReference, a_base_of_nothing_but_a_host) {
    EXPECT_EQ(resolve_reference("http://a:80/", "g"), "http://a:80/g");
    EXPECT_EQ(resolve_reference("http://a:80/", ".."), "http://a:80/");
    EXPECT_EQ(resolve_reference("https://[2001:db8::1]:443/?q", "x/y"),
              "https://[2001:db8::1]:443/x/y");
}

TEST(UrlReference, what_comes_out_is_judged_by_the_url_check) {
    const char* hostile[] = {
        "//user@127.0.0.1/", "\\\\127.0.0.1\\", "javascript:alert(1)", "file:///etc/passwd",
        "http:127.0.0.1",    "//127.1/",        "http://0x7f000001/",  "//",
        "gopher://a/"};
    for (const char* reference : hostile) {
        EXPECT_FALSE(check_url(resolve_reference("http://a:80/b", reference)).ok()) << reference;
    }
}

}  // namespace
}  // namespace jobforge::connect
