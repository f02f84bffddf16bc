// Which heads are HTTP, byte by byte.
#include "http/parse/request_head_check.h"

#include <gtest/gtest.h>

#include <string>

namespace jobforge::test {
namespace {

using http::BodyFraming;
using http::CheckedHead;
using http::HeadLimits;
using http::HeadRefusal;
using http::HeadScan;

// What the server does with a head that arrives in one piece.
int status_of(const std::string& text, HeadLimits limits = {}) {
    HeadScan scan(limits);
    const std::size_t size = scan.find_end(text);
    if (scan.refusal().status != 0) {
        return scan.refusal().status;
    }
    if (size == 0) {
        return 0;  // waits for more
    }
    HeadRefusal refusal;
    return check_request_head(text.substr(0, size), limits, refusal) ? 200 : refusal.status;
}

CheckedHead accepted(const std::string& text) {
    HeadRefusal refusal;
    auto head = check_request_head(text, HeadLimits{}, refusal);
    EXPECT_TRUE(head.has_value()) << text << refusal.message;
    return head ? std::move(*head) : CheckedHead{};
}

std::string with(const std::string& headers) {
    return "POST /v1/jobs HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n";
}

TEST(RequestHeadCheck, reads_an_ordinary_head) {
    const CheckedHead checked = accepted(
        "POST /v1/jobs/a%20b?limit=5&cursor=a%2Bb+c&flag HTTP/1.1\r\nHost: api.example:8080\r\n"
        "Content-Length: 12\r\nX-Mixed-CASE: \t some value \t\r\nEmpty:\r\n\r\n");
    EXPECT_EQ(checked.head.method, "POST");
    EXPECT_EQ(checked.head.target, "/v1/jobs/a%20b?limit=5&cursor=a%2Bb+c&flag");
    EXPECT_EQ(checked.head.path, "/v1/jobs/a b");
    EXPECT_EQ(checked.head.query_value("limit"), "5");
    EXPECT_EQ(checked.head.query_value("cursor"), "a+b c");
    EXPECT_EQ(checked.head.query_value("flag"), "");
    EXPECT_EQ(checked.head.query_value("none"), std::nullopt);
    ASSERT_NE(checked.head.header("x-mixed-case"), nullptr);
    EXPECT_EQ(*checked.head.header("x-mixed-case"), "some value");
    EXPECT_EQ(*checked.head.header("empty"), "");
    EXPECT_EQ(checked.framing, BodyFraming::length);
    EXPECT_EQ(checked.content_length, 12u);
    EXPECT_TRUE(checked.keep_alive);
}

TEST(RequestHeadCheck, refuses_every_doubt_about_where_the_body_ends) {
    for (const char* headers : {
             "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
             "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
             "Content-Length: 5\r\nContent-Length: 5\r\n",
             "Content-Length: 5\r\nContent-Length: 6\r\n",
             "Content-Length: 5, 5\r\n",
             "Content-Length: -1\r\n",
             "Content-Length: +5\r\n",
             "Content-Length: 0x5\r\n",
             "Content-Length: 5 5\r\n",
             "Content-Length:\r\n",
             "Content-Length: 5a\r\n",
             "Content-Length: 18446744073709551616\r\n",
             "Content-Length: 99999999999999999999999\r\n",
             "Transfer-Encoding: gzip\r\n",
             "Transfer-Encoding: gzip, chunked\r\n",
             "Transfer-Encoding: chunked, identity\r\n",
             "Transfer-Encoding: xchunked\r\n",
             "Transfer-Encoding: \"chunked\"\r\n",
             "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
             "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
             "Transfer-Encoding:\r\n",
         }) {
        EXPECT_EQ(status_of(with(headers)), 400) << headers;
    }
    EXPECT_EQ(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
    EXPECT_EQ(accepted(with("Transfer-Encoding: Chunked\r\n")).framing, BodyFraming::chunked);
    EXPECT_EQ(accepted(with("Content-Length: 18446744073709551615\r\n")).content_length,
              18446744073709551615u);
    EXPECT_EQ(accepted(with("Content-Length: 007\r\n")).content_length, 7u);
}

TEST(RequestHeadCheck, refuses_lines_that_others_read_otherwise) {
    for (const std::string& text : {
             std::string("GET / HTTP/1.1\nHost: x\n\n"),
             std::string("GET / HTTP/1.1\r\nHost: x\n\r\n"),
             std::string("GET / HTTP/1.1\r\nHost: x\r\n\n"),
             std::string("GET / HTTP/1.1\r\nHost: x\rX: y\r\n\r\n"),
             std::string("GET / HTTP/1.1\r\nHost: x\r\r\n\r\n"),
             std::string("GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n", 35),
             with("X: a\r\n b\r\n"),
             with("X: a\r\n\tb\r\n"),
             with("X : a\r\n"),
             with("X\t: a\r\n"),
             with(" X: a\r\n"),
             with(": a\r\n"),
             with("no colon\r\n"),
             with("X[]: a\r\n"),
             with("X: a\x01\r\n"),
             with("X: a\x7f\r\n"),
             with("X\x80: a\r\n"),
         }) {
        EXPECT_EQ(status_of(text), 400) << text;
    }
    EXPECT_EQ(status_of(with("X: caf\xc3\xa9\r\n")), 200) << "opaque bytes of a value";
}

TEST(RequestHeadCheck, sees_bare_line_breaks_and_nul_before_the_head_is_complete) {
    EXPECT_EQ(status_of("GET / HTTP/1.1\n"), 400);
    EXPECT_EQ(status_of("GET /\rX"), 400);
    EXPECT_EQ(status_of("\n"), 400);
    EXPECT_EQ(status_of(std::string("\x16\x03\x01\x00", 4)), 400) << "TLS at a plain port";
    EXPECT_EQ(status_of("GET / HTTP/1.1\r"), 0) << "the LF may still come";
}

TEST(RequestHeadCheck, finds_the_same_end_however_the_bytes_arrive) {
    const std::string text = with("X: y\r\n");
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
        HeadScan scan{HeadLimits{}};
        std::size_t found = 0;
        for (std::size_t size = piece; found == 0; size += piece) {
            ASSERT_LT(size, text.size() + piece) << "the end was missed";
            found = scan.find_end((text + "GET /next").substr(0, std::min(size, text.size() + 9)));
            ASSERT_EQ(scan.refusal().status, 0);
        }
        EXPECT_EQ(found, text.size()) << piece;
    }
}

TEST(RequestHeadCheck, wants_exactly_one_host) {
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"), 400);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n"), 400);
    for (const char* host : {"", "a b", "a/b", "u@a", "a,b", "a?b"}) {
        EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n"), 400)
            << host;
    }
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"), 200);
    EXPECT_EQ(status_of("GET / HTTP/1.0\r\n\r\n"), 200);
}

TEST(RequestHeadCheck, refuses_what_is_no_request_line) {
    const auto line = [](const std::string& text) {
        return status_of(text + "\r\nHost: x\r\n\r\n");
    };
    for (const char* text :
         {"GET", "GET /", "GET  / HTTP/1.1", "GET / HTTP/1.1 ", " GET / HTTP/1.1", "GET / http/1.1",
          "GET / HTTP/1.1.1", "GET / HTTP/11", "G(T / HTTP/1.1", "GET /a b HTTP/1.1",
          "GET /\x80 HTTP/1.1", "GET /a#b HTTP/1.1", "GET a HTTP/1.1", "GET * HTTP/1.1",
          "CONNECT x:443 HTTP/1.1", "GET ftp://x/ HTTP/1.1", "GET http://y/ HTTP/1.1",
          "GET http:/x/ HTTP/1.1", "GET http://u@x/ HTTP/1.1"}) {
        EXPECT_EQ(line(text), 400) << text;
    }
    EXPECT_EQ(line(std::string(33, 'M') + " / HTTP/1.1"), 400);
    for (const char* version : {"HTTP/0.9", "HTTP/2.0", "HTTP/1.2", "HTTP/3.0"}) {
        EXPECT_EQ(line("GET / " + std::string(version)), 505) << version;
    }
    EXPECT_EQ(line("OPTIONS * HTTP/1.1"), 200);
    EXPECT_EQ(accepted("GET http://X/a?b=c HTTP/1.1\r\nHost: x\r\n\r\n").head.path, "/a");
    EXPECT_EQ(accepted("GET https://x HTTP/1.1\r\nHost: x\r\n\r\n").head.path, "/");
}

TEST(RequestHeadCheck, refuses_paths_that_mean_two_things) {
    const auto path = [](const std::string& text) {
        return status_of("GET " + text + " HTTP/1.1\r\nHost: x\r\n\r\n");
    };
    for (const char* text :
         {"/a/../b", "/a/./b",  "/..",      "/.",       "/a/%2e%2e/b", "/a/%2E/b", "/a%2fb",
          "/a%2Fb",  "/a%5cb",  "/a\\b",    "/a%00",    "/a%0d%0a",    "/a%7f",    "/a%",
          "/a%2",    "/a%zz",   "/%ff",     "/%c0%af",  "/a\"b",       "/a<b",     "/a{b}",
          "/a?x=%",  "/a?x=%0", "/a?x=%zz", "/a?x=%00", "/a?%ff=1"}) {
        EXPECT_EQ(path(text), 400) << text;
    }
    for (const char* text : {"/", "/a/...", "/a/..b", "/a//b", "/%25", "/%252e%252e/", "/caf%C3%A9",
                             "/v1/jobs:run", "/a?q=[1]|{2}", "/a?x=%0a", "/a?", "/a?&&"}) {
        EXPECT_EQ(path(text), 200) << text;
    }
    EXPECT_EQ(accepted("GET /%252e%252e/ HTTP/1.1\r\nHost: x\r\n\r\n").head.path, "/%2e%2e/")
        << "decoded once, not twice";
}

TEST(RequestHeadCheck, limits_number_and_size) {
    std::string hundred;
    for (int i = 0; i < 99; ++i) {
        hundred += "X: y\r\n";
    }
    EXPECT_EQ(status_of(with(hundred)), 200);
    EXPECT_EQ(status_of(with(hundred + "X: y\r\n")), 431);
    // Both who looks for the end and who reads the head count: the first must not wait for an end,
    // the second has no other to trust.
    HeadScan unfinished{HeadLimits{}};
    EXPECT_EQ(unfinished.find_end("GET / HTTP/1.1\r\nHost: x\r\n" + hundred + "X: y\r\n"), 0U);
    EXPECT_EQ(unfinished.refusal().status, 431);
    HeadRefusal refusal;
    EXPECT_FALSE(check_request_head(with(hundred + "X: y\r\n"), HeadLimits{}, refusal));
    EXPECT_EQ(refusal.status, 431);
    EXPECT_EQ(status_of(with("X: " + std::string(20'000, 'x') + "\r\n")), 431);
    EXPECT_EQ(status_of("GET /" + std::string(8191, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n"), 200);
    EXPECT_EQ(status_of("GET /" + std::string(8192, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n"), 414);
    EXPECT_EQ(status_of("GET /" + std::string(20'000, 'a')), 414) << "without its end";

    const std::string text = with("");
    HeadLimits exact;
    exact.bytes = text.size();
    EXPECT_EQ(status_of(text, exact), 200);
    exact.bytes = text.size() - 1;
    EXPECT_EQ(status_of(text, exact), 431);
}

TEST(RequestHeadCheck, knows_who_keeps_the_connection) {
    EXPECT_TRUE(accepted(with("")).keep_alive);
    EXPECT_FALSE(accepted(with("Connection: close\r\n")).keep_alive);
    EXPECT_FALSE(accepted(with("Connection: upgrade,  CLOSE\r\n")).keep_alive);
    EXPECT_FALSE(accepted(with("Connection: keep-alive\r\nConnection: close\r\n")).keep_alive);
    EXPECT_TRUE(accepted(with("Connection: closed\r\n")).keep_alive);
    EXPECT_EQ(status_of(with("Connection: clo se\r\n")), 400);
    EXPECT_EQ(status_of(with("Connection: close\x87\r\n")), 400) << "others refuse it too";
    EXPECT_FALSE(accepted("GET / HTTP/1.0\r\n\r\n").keep_alive);
    EXPECT_TRUE(accepted("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keep_alive);
}

TEST(RequestHeadCheck, meets_one_expectation_only) {
    EXPECT_TRUE(accepted(with("Expect: 100-Continue\r\n")).expects_continue);
    EXPECT_FALSE(accepted(with("")).expects_continue);
    EXPECT_EQ(status_of(with("Expect: tea\r\n")), 417);
    EXPECT_EQ(status_of(with("Expect: 100-continue\r\nExpect: 100-continue\r\n")), 417);
    EXPECT_FALSE(accepted("GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n").expects_continue);
}

}  // namespace
}  // namespace jobforge::test
