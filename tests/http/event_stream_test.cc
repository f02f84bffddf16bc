// Events on their way to one client, without the network.
#include "http/server/event_stream.h"

#include <gtest/gtest.h>

namespace jobforge::test {
namespace {

using http::EventStream;
using http::sse_event;

TEST(EventStream, writes_events_as_browsers_read_them) {
    EXPECT_EQ(sse_event("job", "7", "x"), "event: job\nid: 7\ndata: x\n\n");
    EXPECT_EQ(sse_event("", "", "a\nb\r\n"), "data: a\ndata: b\ndata: \n\n");
    EXPECT_EQ(sse_event("a\nb", "1\r\nid: 2", ""), "event: ab\nid: 1id: 2\ndata: \n\n")
        << "no field can become two";
}

TEST(EventStream, keeps_what_was_sent_before_the_server_came) {
    EventStream stream;
    EXPECT_TRUE(stream.send("a"));
    EXPECT_TRUE(stream.send("b"));
    int ready = 0;
    stream.attach([&] { ++ready; });
    EXPECT_EQ(ready, 1);
    EXPECT_EQ(stream.take().bytes, "ab");
    EXPECT_EQ(stream.take().bytes, "");
    EXPECT_TRUE(stream.send("c"));
    EXPECT_TRUE(stream.send("d"));
    EXPECT_EQ(ready, 2) << "one call for all that waits";
    stream.finish();
    const EventStream::Taken last = stream.take();
    EXPECT_EQ(last.bytes, "cd");
    EXPECT_TRUE(last.finished);
}

TEST(EventStream, overflows_once_and_tells_both_sides) {
    EventStream stream(10);
    int ready = 0;
    int ended = 0;
    stream.attach([&] { ++ready; });
    stream.on_ended([&] { ++ended; });
    EXPECT_TRUE(stream.send("0123456789"));
    EXPECT_FALSE(stream.too_slow());
    EXPECT_FALSE(stream.send("x"));
    EXPECT_TRUE(stream.too_slow());
    EXPECT_FALSE(stream.send("y"));
    EXPECT_EQ(ended, 1);
    EXPECT_EQ(ready, 3) << "attached, the first event, the overflow";
    EXPECT_FALSE(EventStream(10).send("01234567890")) << "larger than the whole buffer";
}

TEST(EventStream, an_end_is_told_to_who_asks_later_too) {
    EventStream stream;
    stream.abandon();
    bool told = false;
    stream.on_ended([&] { told = true; });
    EXPECT_TRUE(told);
    EXPECT_TRUE(stream.ended());
    stream.finish();
    EXPECT_FALSE(stream.take().finished) << "the first end counts";
}

}  // namespace
}  // namespace jobforge::test
