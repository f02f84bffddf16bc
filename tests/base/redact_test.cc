#include "base/text/redact.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <jobforge/json.h>

namespace jobforge {
namespace {

TEST(Redactor, blanks_every_occurrence_of_every_secret) {
    const Redactor redactor({"hunter2", "s3cret"});
    EXPECT_EQ(redactor.apply("hunter2 and s3cret, hunter2hunter2"),
              "[redacted] and [redacted], [redacted][redacted]");
    EXPECT_EQ(redactor.apply("hunter s3cre"), "hunter s3cre");
    EXPECT_EQ(redactor.apply(""), "");
}

TEST(Redactor, blanks_a_secret_as_it_looks_in_json_and_in_urls) {
    const Redactor redactor({"pa\"ss/w\u00f6rd"});
    EXPECT_EQ(redactor.apply(json_quote("x pa\"ss/w\u00f6rd y")), "\"x [redacted] y\"");
    EXPECT_EQ(redactor.apply("amqp://u:pa%22ss%2Fw%C3%B6rd@h"), "amqp://u:[redacted]@h");
}

TEST(Redactor, leaves_no_rest_of_secrets_that_overlap_or_contain_each_other) {
    const Redactor redactor({"abcd", "cdef", "bc", "abc"});
    EXPECT_EQ(redactor.apply("xabcdefx"), "x[redacted]x");
    EXPECT_EQ(redactor.apply("xabcx"), "x[redacted]x");
    EXPECT_EQ(Redactor({"aaa"}).apply("aaaaa"), "[redacted]");
}

TEST(Redactor, does_not_search_for_what_is_too_short_to_be_a_secret) {
    const Redactor redactor({"", "a", "ab"});
    EXPECT_TRUE(redactor.empty());
    EXPECT_EQ(redactor.apply("abab"), "abab");
}

RC_GTEST_PROP(RedactorProperty, no_secret_is_left_in_any_text, ()) {
    // Few letters, so that secrets and their overlaps do occur.
    const auto word = rc::gen::container<std::string>(rc::gen::element('x', 'y', 'z'));
    const auto secrets = *rc::gen::container<std::vector<std::string>>(word);
    const auto text = *rc::gen::resize(60, word);
    const std::string redacted = Redactor(secrets).apply(text);
    for (const std::string& secret : secrets) {
        RC_ASSERT(secret.size() < Redactor::kShortestSecret ||
                  redacted.find(secret) == std::string::npos);
    }
}

struct Hidden {
    const char* text;
    const char* redacted;
};

TEST(RedactUrl, hides_the_password_wherever_a_connection_string_has_one) {
    const Hidden cases[] = {
        {"postgres://bob:s3cret@db:5432/app", "postgres://bob:[redacted]@db:5432/app"},
        {"postgresql://bob:s3cret@h1:1,h2:2/app?sslmode=require",
         "postgresql://bob:[redacted]@h1:1,h2:2/app?sslmode=require"},
        {"amqp://guest:guest@localhost:5672/", "amqp://guest:[redacted]@localhost:5672/"},
        {"http://:s3cret@h/", "http://:[redacted]@h/"},
        {"postgres://bob:p@ss@db/app", "postgres://bob:[redacted]@db/app"},
        {"postgres://bob:p/s?s#w@db/app", "postgres://bob:[redacted]@db/app"},
        {"postgres://db/app?user=bob&password=s3cret&sslmode=disable",
         "postgres://db/app?user=bob&password=[redacted]&sslmode=disable"},
        {"postgres://db/app?password=s3cret", "postgres://db/app?password=[redacted]"},
        {"host=db password=s3cret user=bob", "host=db password=[redacted] user=bob"},
        {"host=db PASSWORD = 's3 c\\'ret' user=bob", "host=db PASSWORD = '[redacted]' user=bob"},
        {"password=s3\\ cret&x user=bob", "password=[redacted] user=bob"},
        {"sslpassword=s3cret password='open", "sslpassword=[redacted] password='[redacted]"},
        {"cannot reach postgres://a:b1@h/ and amqp://c:d2@i/ now",
         "cannot reach postgres://a:[redacted]@h/ and amqp://c:[redacted]@i/ now"},
    };
    for (const Hidden& hidden : cases) {
        EXPECT_EQ(redact_url(hidden.text), hidden.redacted);
    }
}

TEST(RedactUrl, leaves_what_has_no_password) {
    for (const char* text :
         {"", "postgres://bob@db/app", "postgres://bob:@db/app", "http://h:8080/x?mail=a@b",
          "http://[::1]:5432/x?mail=a@b", "host=db user=bob", "password",
          "password=", "password authentication failed for user \"bob\"", "a:b@c"}) {
        EXPECT_EQ(redact_url(text), text);
    }
}

TEST(RedactUrl, gives_the_passwords_as_written_and_decoded) {
    EXPECT_EQ(passwords_in_url("postgres://bob:s%20c%2g@db/app"),
              (std::vector<std::string>{"s%20c%2g", "s c%2g"}));
    EXPECT_EQ(passwords_in_url("password='s\\'c'"), (std::vector<std::string>{"s\\'c", "s'c"}));
    EXPECT_TRUE(passwords_in_url("postgres://bob@db/app").empty());
}

}  // namespace
}  // namespace jobforge
