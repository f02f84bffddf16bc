// Server-sent events over a socket: in order, never waiting for a slow client.
#include <gtest/gtest.h>

#include <future>
#include <mutex>

#include "http/server/event_stream.h"
#include "http_server_world.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;
using http::EventStream;
using http::sse_event;
using StreamPtr = std::shared_ptr<EventStream>;

// A server whose every answer is a stream, and the streams it gave out.
class StreamWorld final {
public:
    explicit StreamWorld(const HttpServerWorld::Change& change = {})
        : http([this, &change](WorldOptions& options) {
              options.plan = [](const http::RequestHead&) { return http::Plan{}; };
              options.handle = [this](http::Request&) {
                  auto stream = std::make_shared<EventStream>(std::size_t{65536});
                  const std::lock_guard guard(mutex_);
                  streams_.push_back(stream);
                  return http::Response{.stream = stream};
              };
              if (change) {
                  change(options);
              }
          }) {}

    // The stream of the n-th request, once its handler has run.
    [[nodiscard]] StreamPtr stream(std::size_t n = 0) {
        StreamPtr found;
        EXPECT_TRUE(wait_until([&] {
            const std::lock_guard guard(mutex_);
            found = streams_.size() > n ? streams_[n] : nullptr;
            return found != nullptr;
        }));
        return found;
    }

private:
    std::mutex mutex_;
    std::vector<StreamPtr> streams_;

public:
    HttpServerWorld http;
};

TEST(HttpServerStream, sends_events_as_they_come_and_ends_in_good_order) {
    StreamWorld world;
    HttpConnection client(world.http.port());
    client.send(request_text("GET", "/stream"));
    const StreamPtr stream = world.stream();
    EXPECT_TRUE(stream->send(sse_event("job", "7", "{\"a\":1}")));
    ASSERT_TRUE(client.receive_until("data: {\"a\":1}\n\n"));
    EXPECT_NE(client.arrived().find("Content-Type: text/event-stream\r\n"), std::string::npos);
    EXPECT_NE(client.arrived().find("Transfer-Encoding: chunked\r\n"), std::string::npos);
    EXPECT_NE(client.arrived().find("\r\n20\r\nevent: job\nid: 7\ndata: {\"a\":1}\n\n\r\n"),
              std::string::npos)
        << client.arrived();
    EXPECT_TRUE(stream->send(sse_event("", "", "last")));
    stream->finish();
    EXPECT_FALSE(stream->send(sse_event("", "", "too late")));
    const HttpReply reply = client.receive();
    EXPECT_TRUE(client.closed());
    EXPECT_TRUE(reply.body.ends_with("data: last\n\n\r\n0\r\n\r\n")) << reply.body;
}

TEST(HttpServerStream, an_old_client_gets_events_without_chunks) {
    StreamWorld world;
    HttpConnection client(world.http.port());
    client.send("GET /stream HTTP/1.0\r\n\r\n");
    const StreamPtr stream = world.stream();
    EXPECT_TRUE(stream->send(sse_event("", "", "x")));
    stream->finish();
    EXPECT_EQ(client.receive().body, "data: x\n\n");
}

TEST(HttpServerStream, a_head_request_gets_no_stream) {
    StreamWorld world;
    HttpConnection client(world.http.port());
    client.send(request_text("HEAD", "/stream"));
    const StreamPtr stream = world.stream();
    EXPECT_EQ(client.receive().body, "");
    EXPECT_TRUE(wait_until([&] { return stream->ended(); }));
}

TEST(HttpServerStream, a_slow_client_is_cut_and_others_get_every_event) {
    StreamWorld world;
    HttpConnection deaf(world.http.port(), 4096);
    deaf.send(request_text("GET", "/stream"));
    const StreamPtr slow = world.stream(0);
    std::promise<void> told;
    slow->on_ended([&] { told.set_value(); });
    HttpConnection reader(world.http.port());
    reader.send(request_text("GET", "/stream"));
    const StreamPtr quick = world.stream(1);

    const std::string event = sse_event("", "", std::string(8000, 'e'));
    // Little enough at a time that who reads would not be cut.
    ASSERT_TRUE(wait_until([&] {
        bool open = true;
        for (int i = 0; i < 6; ++i) {
            open = slow->send(event);
        }
        return !open;
    })) << "the buffer is bounded";
    EXPECT_EQ(told.get_future().wait_for(kPatience), std::future_status::ready);
    EXPECT_TRUE(wait_until([&] { return world.http.server->load().connections == 1; }));
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(quick->send(sse_event("", "", "event " + std::to_string(i) + ".")));
        ASSERT_TRUE(reader.receive_until("event " + std::to_string(i) + ".")) << i;
    }
}

TEST(HttpServerStream, a_client_that_takes_nothing_is_cut_even_if_its_buffer_never_fills) {
    StreamWorld world([](WorldOptions& options) {
        options.transfer_grace = 200ms;
        options.stream_keep_alive = 1ms;
        options.min_bytes_per_second = 1'000'000'000;
    });
    HttpConnection deaf(world.http.port(), 4096);
    deaf.send(request_text("GET", "/stream"));
    const StreamPtr stream = world.stream();
    // Fills what the system buffers, but never what we do.
    EXPECT_TRUE(wait_until([&] {
        return !stream->send(sse_event("", "", std::string(60'000, 'e'))) || stream->ended();
    }));
    EXPECT_TRUE(wait_until([&] { return world.http.server->load().connections == 0; }));
}

TEST(HttpServerStream, notices_that_a_client_has_left_without_any_event) {
    StreamWorld world;
    StreamPtr stream;
    {
        HttpConnection gone(world.http.port());
        gone.send(request_text("GET", "/stream"));
        stream = world.stream();
        ASSERT_TRUE(gone.receive_until("\r\n\r\n"));
    }
    EXPECT_TRUE(wait_until([&] { return stream->ended(); }));
    EXPECT_FALSE(stream->send("x"));
}

TEST(HttpServerStream, a_quiet_stream_gets_comments) {
    StreamWorld world([](WorldOptions& options) { options.stream_keep_alive = 20ms; });
    HttpConnection client(world.http.port());
    client.send(request_text("GET", "/stream"));
    ASSERT_TRUE(client.receive_until("3\r\n:\n\n\r\n3\r\n:\n\n\r\n"));
    EXPECT_TRUE(world.stream()->send(sse_event("", "", "x")));
    EXPECT_TRUE(client.receive_until("data: x\n\n"));
}

TEST(HttpServerStream, drain_ends_streams_in_good_order) {
    StreamWorld world;
    HttpConnection client(world.http.port());
    client.send(request_text("GET", "/stream"));
    EXPECT_TRUE(world.stream()->send(sse_event("", "", "x")));
    ASSERT_TRUE(client.receive_until("data: x\n\n"));
    auto drained = std::async(std::launch::async, [&] { return world.http.server->drain(20s); });
    EXPECT_TRUE(client.receive().body.ends_with("0\r\n\r\n"));
    EXPECT_TRUE(client.closed());
    EXPECT_TRUE(drained.get());
    EXPECT_FALSE(world.stream()->send("x"));
}

TEST(HttpServerStream, producers_may_outlive_the_server) {
    StreamPtr stream;
    std::promise<void> begun;
    std::future<void> producer;
    {
        StreamWorld world;
        HttpConnection client(world.http.port());
        client.send(request_text("GET", "/stream"));
        stream = world.stream();
        producer = std::async(std::launch::async, [&] {
            begun.set_value();
            while (stream->send(sse_event("", "", "x"))) {
                std::this_thread::yield();
            }
        });
        begun.get_future().wait();
        ASSERT_TRUE(client.receive_until("data: x\n\n"));
    }
    producer.get();
    EXPECT_TRUE(stream->ended());
}

}  // namespace
}  // namespace jobforge::test
