// An answer that goes on: server-sent events to one client.
//
// A handler makes a stream, gives it to the producer of events and returns it in its Response; the
// server takes from it. The producer never waits: an event goes into a bounded buffer, and a client
// that does not read fast enough to keep it from filling is cut off, because one slow reader must
// cost neither memory nor anybody else's events. It will come back with Last-Event-ID.
//
//   auto stream = std::make_shared<EventStream>();
//   hub.add(stream);                       // on news: if (!stream->send(event)) hub.forget(stream)
//   return Response{.stream = stream};
//
// Comments that keep proxies from closing a quiet stream are the server's business.
//
// Threads: all members from any thread. Callbacks run on the thread that caused them, without
// locks.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace jobforge::http {

class EventStream final {
public:
    // `buffer_bytes`: how far a client may lag behind before it is cut off.
    explicit EventStream(std::size_t buffer_bytes = std::size_t{256} * 1024);
    EventStream(const EventStream&) = delete;
    EventStream& operator=(const EventStream&) = delete;
    ~EventStream() = default;

    // The producer's half.

    // Queues an event as sse_event() wrote it. False, and nothing is queued, once the stream has
    // ended: finished, the client is gone or was too slow, the server drains. Then forget it.
    [[nodiscard]] bool send(std::string_view event);
    // Ends it in good order after what was queued.
    void finish();
    [[nodiscard]] bool ended() const;
    // Called once when the stream ends for any reason (at once if it has ended). May run on an I/O
    // thread: must not block, must not throw. Set it before the stream is returned.
    void on_ended(std::function<void()> callback);

    // The server's half.

    // `ready` is called after a change that makes take() worth a look. Called from the producer's
    // thread: it should only post.
    void attach(const std::function<void()>& ready);
    struct Taken {
        std::string bytes;      // what was queued; may be empty
        bool finished = false;  // no more will come: end the answer in good order after `bytes`
    };
    [[nodiscard]] Taken take();
    // The buffer overflowed: cut the connection.
    [[nodiscard]] bool too_slow() const;
    // The client is gone: no more is taken, the producer is told.
    void abandon();

private:
    enum class State { open, finished, too_slow, abandoned };
    void end(State state);

    const std::size_t buffer_bytes_;
    mutable std::mutex mutex_;
    State state_ = State::open;
    std::string queued_;
    std::function<void()> ready_;
    std::function<void()> ended_;
};

// One event in the stream's text form. `id` and `event` may be empty (left out) and must hold no
// line breaks (they are dropped); each line of `data` becomes a data field.
[[nodiscard]] std::string sse_event(std::string_view event, std::string_view id,
                                    std::string_view data);

}  // namespace jobforge::http
