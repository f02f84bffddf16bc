// Whether, when and how answers are compressed.
#include "http/parse/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace jobforge::test {
namespace {

using http::accepts_gzip;
using http::is_compressible;

std::string unpacked(const std::string& packed) {
    z_stream stream{};
    EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
    std::string text(1 << 20, '\0');
    std::string input = packed;
    stream.next_in = reinterpret_cast<Bytef*>(input.data());
    stream.avail_in = static_cast<uInt>(input.size());
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = static_cast<uInt>(text.size());
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    text.resize(stream.total_out);
    inflateEnd(&stream);
    return text;
}

TEST(Gzip, who_accepts_it) {
    for (const char* value :
         {"gzip", "GZIP", "x-gzip", "br, gzip", "gzip;q=1", "gzip; q=0.001", "gzip ; Q=1.000",
          "deflate;q=0,gzip;q=0.5", "*", "*;q=0.1", "br;q=1.0, *;q=0.5", "gzip;q=0.5, *;q=0"}) {
        EXPECT_TRUE(accepts_gzip(value)) << value;
    }
    for (const char* value :
         {"", "identity", "br", "gzip;q=0", "gzip;q=0.0", "gzip;q=0.000", "*;q=0", "gzipped",
          "gzip;q=0, *", "gzip;q=", "gzip;q=2", "gzip;q=-1", "gzip;q=1.001", "gzip;q=0.5x",
          "gzip;q=0.0001", "gzip;level=9", "gzip;q"}) {
        EXPECT_FALSE(accepts_gzip(value)) << value;
    }
}

TEST(Gzip, what_shrinks) {
    for (const char* type : {"application/json", "application/json; charset=utf-8", "text/html",
                             "text/plain; version=0.0.4", "application/problem+json",
                             "image/svg+xml", "application/yaml"}) {
        EXPECT_TRUE(is_compressible(type)) << type;
    }
    for (const char* type : {"image/png", "application/zip", "application/octet-stream", ""}) {
        EXPECT_FALSE(is_compressible(type)) << type;
    }
}

TEST(Gzip, comes_back_the_same) {
    std::string text;
    for (int i = 0; i < 5000; ++i) {
        text += "{\"number\":" + std::to_string(i * 7919) + "},";
    }
    const std::string packed = http::gzip(text);
    EXPECT_LT(packed.size(), text.size() / 2);
    EXPECT_EQ(unpacked(packed), text);
    EXPECT_EQ(unpacked(http::gzip("")), "");
}

TEST(Gzip, leaves_alone_what_is_encoded_already_and_adds_to_vary) {
    http::RequestHead head;
    head.headers = {{"accept-encoding", "gzip"}};
    http::Response encoded;
    encoded.body.assign(5000, 'x');
    encoded.headers = {{"Content-Encoding", "br"}};
    http::compress_answer(encoded, head);
    EXPECT_EQ(encoded.body.size(), 5000u);
    EXPECT_EQ(find_header(encoded, "Vary"), nullptr);

    http::Response varies;
    varies.body.assign(5000, 'x');
    varies.headers = {{"vary", "Origin"}};
    http::compress_answer(varies, head);
    EXPECT_EQ(*find_header(varies, "Vary"), "Origin, Accept-Encoding");
    EXPECT_EQ(unpacked(varies.body), std::string(5000, 'x'));
}

}  // namespace
}  // namespace jobforge::test
