// Compressed answers: decoded within bounds, whatever they claim to be.
#include "connect/http/decompress.h"

#include <gtest/gtest.h>

#include "gzip_bytes.h"
#include "route_server.h"

namespace jobforge::connect {
namespace {

using namespace test_support;

TEST(Gunzip, gives_back_what_was_compressed) {
    for (const std::size_t size : {0U, 1U, 100U, 16'383U, 16'384U, 16'385U, 1'000'000U}) {
        std::string text;
        for (std::size_t i = 0; i < size; ++i) {
            text += static_cast<char>('a' + i * i % 23);
        }
        const auto plain = gunzip(gzip(text), size);
        ASSERT_TRUE(plain.ok()) << size << plain.error().describe();
        EXPECT_EQ(plain->bytes, text);
        EXPECT_FALSE(plain->truncated) << "exactly the limit is not more than the limit";
    }
}

TEST(Gunzip, stops_at_its_limit) {
    const std::string bytes = gzip(std::string(100'000, 'x'));
    for (const std::size_t limit : {0U, 1U, 16'384U, 99'999U}) {
        const auto plain = gunzip(bytes, limit);
        ASSERT_TRUE(plain.ok());
        EXPECT_EQ(plain->bytes, std::string(limit, 'x'));
        EXPECT_TRUE(plain->truncated);
    }
}

TEST(Gunzip, reads_several_members_as_one) {
    const auto plain = gunzip(gzip("one,") + gzip("") + gzip("two"), 100);
    ASSERT_TRUE(plain.ok()) << plain.error().describe();
    EXPECT_EQ(plain->bytes, "one,two");
}

TEST(Gunzip, refuses_what_is_no_gzip) {
    const std::string good = gzip("some text that is long enough to be worth it");
    EXPECT_FALSE(gunzip("", 100).ok());
    EXPECT_FALSE(gunzip("plain text", 100).ok());
    EXPECT_FALSE(gunzip(good + "rubbish", 100).ok());
    for (std::size_t size = 0; size < good.size(); ++size) {
        EXPECT_FALSE(gunzip(good.substr(0, size), 100).ok()) << size;
    }
    std::string wrong_sum = good;
    wrong_sum[good.size() - 5] ^= 1;
    EXPECT_FALSE(gunzip(wrong_sum, 100).ok()) << "the checksum is checked";
}

TEST(Gunzip, takes_a_part_for_a_part) {
    const std::string good = gzip("some text that is long enough to be worth it");
    const auto whole = gunzip(good, 100, true);
    ASSERT_TRUE(whole.ok());
    EXPECT_FALSE(whole->truncated);
    for (std::size_t size = 0; size < good.size(); ++size) {
        const auto part = gunzip(good.substr(0, size), 100, true);
        ASSERT_TRUE(part.ok()) << size;
        EXPECT_TRUE(part->truncated) << size;
        EXPECT_TRUE(whole->bytes.starts_with(part->bytes)) << size;
    }
    EXPECT_FALSE(gunzip("plain text", 100, true).ok());
}

class DecompressTest : public testing::Test {
protected:
    Result<HttpResponse> fetch(bool wanted = true) {
        HttpRequest request = get(server_.url());
        request.decompress = wanted;
        request.headers = {{"accept-ENCODING", "br"}};
        return decompress_.send(request);
    }

    RouteServer server_;
    HttpClient client_{allowing()};
    Decompress decompress_{client_};
};

TEST_F(DecompressTest, asks_for_gzip_and_hands_out_the_text) {
    for (const char* name : {"gzip", "GZip", "x-gzip"}) {
        server_.at("/", answer(200, gzip("hello"),
                               fmt::format("Content-Encoding: {}\r\nX-Own: 1\r\n", name)));
        const auto response = fetch();
        ASSERT_TRUE(response.ok()) << response.error().describe();
        EXPECT_EQ(response->body, "hello");
        EXPECT_EQ(response->header("content-encoding"), std::nullopt);
        EXPECT_EQ(response->header("content-length"), std::nullopt);
        EXPECT_EQ(response->header("x-own"), "1");
        const std::string seen = server_.requests().back();
        EXPECT_NE(seen.find("\r\nAccept-Encoding: gzip\r\n"), std::string::npos) << seen;
        EXPECT_EQ(seen.find("br"), std::string::npos) << seen;
    }
}

TEST_F(DecompressTest, does_nothing_unless_wanted) {
    server_.at("/", answer(200, gzip("hello"), "Content-Encoding: gzip\r\n"));
    const auto response = fetch(false);
    ASSERT_TRUE(response.ok());
    EXPECT_EQ(response->body, gzip("hello"));
    EXPECT_EQ(response->header("content-encoding"), "gzip");
}

TEST_F(DecompressTest, leaves_plain_and_empty_bodies_alone) {
    for (const char* headers : {"", "Content-Encoding: identity\r\n", "Content-Encoding:\r\n"}) {
        server_.at("/", answer(200, "plain", headers));
        const auto response = fetch();
        ASSERT_TRUE(response.ok()) << headers;
        EXPECT_EQ(response->body, "plain");
    }
    server_.at("/", answer(200, "", "Content-Encoding: gzip\r\n"));
    EXPECT_TRUE(fetch().ok());
}

TEST_F(DecompressTest, another_encoding_or_a_second_layer_is_permanent) {
    for (const char* value : {"gzip, gzip", "br", "deflate", "gzip,identity", "zstd", "gzip;q=1"}) {
        server_.at("/",
                   answer(200, gzip(gzip("x")), fmt::format("Content-Encoding: {}\r\n", value)));
        const auto response = fetch();
        ASSERT_FALSE(response.ok()) << value;
        EXPECT_EQ(response.error().code, ErrorCode::CONNECTION_FAILED);
        EXPECT_FALSE(response.error().retryable) << value;
    }
    server_.at(
        "/", answer(200, gzip(gzip("x")), "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n"));
    EXPECT_FALSE(fetch().ok());
}

TEST_F(DecompressTest, broken_gzip_may_be_repeated) {
    for (std::string body : {std::string("not gzip"), gzip("hello").substr(0, 15)}) {
        server_.at("/", answer(200, body, "Content-Encoding: gzip\r\n"));
        const auto response = fetch();
        ASSERT_FALSE(response.ok());
        EXPECT_EQ(response.error().code, ErrorCode::CONNECTION_FAILED);
        EXPECT_TRUE(response.error().retryable);
        EXPECT_TRUE(response.error().outcome_unknown);
    }
}

TEST_F(DecompressTest, the_status_of_a_refusal_survives_a_body_that_cannot_be_read) {
    for (const char* encoding : {"gzip", "br"}) {
        server_.at("/", answer(503, "not that",
                               fmt::format("Content-Encoding: {}\r\n"
                                           "Retry-After: 7\r\n",
                                           encoding)));
        const auto response = fetch();
        ASSERT_TRUE(response.ok()) << encoding;
        EXPECT_EQ(response->status, 503);
        EXPECT_EQ(response->header("retry-after"), "7");
        EXPECT_EQ(response->body, "");
        EXPECT_TRUE(response->truncated);
    }
}

TEST_F(DecompressTest, both_bounds_hold) {
    const std::string text(200'000, 'x');
    server_.at("/", answer(200, gzip(text), "Content-Encoding: gzip\r\n"));
    HttpRequest request = get(server_.url());
    request.decompress = true;
    request.max_decoded_bytes = 1000;
    auto response = decompress_.send(request);
    ASSERT_TRUE(response.ok());
    EXPECT_EQ(response->body, std::string(1000, 'x'));
    EXPECT_TRUE(response->truncated);

    request.max_decoded_bytes = 1'000'000;
    request.max_response_bytes = 100;  // of about 230 compressed ones
    response = decompress_.send(request);
    ASSERT_TRUE(response.ok());
    EXPECT_LT(response->body.size(), text.size());
    EXPECT_EQ(response->body.find_first_not_of('x'), std::string::npos);
    EXPECT_TRUE(response->truncated);
}

}  // namespace
}  // namespace jobforge::connect
