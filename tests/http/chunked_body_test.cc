// Bodies in chunks and by length, as they arrive.
#include <gtest/gtest.h>

#include <string>

#include "http/parse/body_reader.h"
#include "http/parse/chunked_body.h"

namespace jobforge::test {
namespace {

using http::BodyFraming;
using http::BodyReader;
using http::ChunkedBody;
using State = ChunkedBody::State;

struct Read {
    State state;
    std::string body;
    std::size_t taken;
};

// In pieces of `piece` bytes.
Read read(const std::string& text, std::size_t piece = 1, std::uint64_t limit = 1000) {
    ChunkedBody chunks(limit);
    Read result{State::more, "", 0};
    while (result.taken < text.size() && chunks.state() == State::more) {
        result.taken += chunks.feed(text.substr(result.taken, piece), result.body);
    }
    result.state = chunks.state();
    return result;
}

TEST(ChunkedBody, joins_chunks_however_they_arrive) {
    const std::string text =
        "5\r\nhello\r\n00A;name=\"v\"\r\n, chunked!\r\n0;last\r\nTrailer: x\r\nOther: y\r\n\r\n";
    for (std::size_t piece = 1; piece <= text.size() + 4; ++piece) {
        const Read result = read(text + "GET ", piece);
        EXPECT_EQ(result.state, State::complete) << piece;
        EXPECT_EQ(result.body, "hello, chunked!") << piece;
        EXPECT_EQ(result.taken, text.size()) << "the next request is left alone, piece " << piece;
    }
    EXPECT_EQ(read("0\r\n\r\n").state, State::complete);
}

TEST(ChunkedBody, data_may_hold_anything) {
    const std::string data("\r\n0\r\n\r\n\0", 8);
    const Read result = read("8\r\n" + data + "\r\n0\r\n\r\n", 3);
    EXPECT_EQ(result.state, State::complete);
    EXPECT_EQ(result.body, data);
}

TEST(ChunkedBody, refuses_sizes_that_are_none) {
    for (const char* text :
         {"-1\r\n", "+5\r\n", "0x5\r\n", " 5\r\n", "5 \r\n", "\r\n", ";a\r\n", "g\r\n", "5\n",
          "5\rX", "00000000000000005\r\n", "FFFFFFFFFFFFFFFFF\r\n", "5;a\n", "5;a\x01\r\n"}) {
        EXPECT_EQ(read(text).state, State::malformed) << text;
    }
    for (const char* text : {"5\r\nhelloX", "5\r\nhello\n", "5\r\nhello\rX", "1\r\nab\r\n"}) {
        EXPECT_EQ(read(text).state, State::malformed) << text;
    }
    for (const char* text :
         {"0\r\nX: y\n", "0\r\n\n", "0\r\nX: y\r\rZ", "0\r\n\rX", "0\r\nX: \x01\r\n\r\n"}) {
        EXPECT_EQ(read(text).state, State::malformed) << text;
    }
}

TEST(ChunkedBody, limits_data_before_it_is_stored) {
    EXPECT_EQ(read("5\r\nhello\r\n0\r\n\r\n", 1, 5).state, State::complete);
    const Read large = read("5\r\nhello\r\n1\r\nX", 100, 5);
    EXPECT_EQ(large.state, State::too_large);
    EXPECT_EQ(large.body, "hello");
    const Read announced = read("FFFFFFFFFFFFFFFF\r\nabc", 100, 5);
    EXPECT_EQ(announced.state, State::too_large);
    EXPECT_EQ(announced.body, "");
}

TEST(ChunkedBody, limits_extensions_and_trailers) {
    EXPECT_EQ(read("1;" + std::string(5000, 'e') + "\r\n", 100).state, State::malformed);
    std::string many;
    for (int i = 0; i < 100; ++i) {
        many += "1;" + std::string(100, 'e') + "\r\nx\r\n";
    }
    EXPECT_EQ(read(many, 100).state, State::malformed) << "of the whole body, not of each chunk";
    EXPECT_EQ(read("0\r\nX: " + std::string(5000, 't'), 100).state, State::malformed);
}

TEST(BodyReader, reads_by_length_and_leaves_the_rest) {
    BodyReader reader(BodyFraming::length, 5, 5);
    std::string body;
    EXPECT_EQ(reader.feed("hel", body), 3u);
    EXPECT_EQ(reader.state(), State::more);
    EXPECT_EQ(reader.feed("loGET /", body), 2u);
    EXPECT_EQ(reader.state(), State::complete);
    EXPECT_EQ(body, "hello");
    EXPECT_EQ(reader.taken(), 5u);
}

TEST(BodyReader, refuses_an_announced_length_before_reading) {
    BodyReader reader(BodyFraming::length, 6, 5);
    std::string body;
    EXPECT_EQ(reader.state(), State::too_large);
    EXPECT_EQ(reader.feed("hello!", body), 0u);
    EXPECT_EQ(body, "");
}

}  // namespace
}  // namespace jobforge::test
