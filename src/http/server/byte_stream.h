// One accepted connection, plain or TLS, as a session sees it: bytes, a deadline and an end.
//
// It keeps Asio (and its compile time) out of the session, and the session free of the difference
// between plain and TLS. Callbacks run one at a time, as the connection's turns (turns.h), never
// inside the call that ordered them; they keep alive what they capture. At most one read and one
// write may be under way.
//
// Threads: all members in a turn (from callbacks), but post() and dispatch(), which is how others
// get there, and remote_address().
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace jobforge::http {

class ByteStream {
public:
    using Clock = std::chrono::steady_clock;
    // Whether it went well, and how many bytes moved. Failed means: over, whatever the reason.
    using Done = std::function<void(bool, std::size_t)>;

    ByteStream() = default;
    ByteStream(const ByteStream&) = delete;
    ByteStream& operator=(const ByteStream&) = delete;
    virtual ~ByteStream() = default;

    virtual void handshake(Done done) = 0;  // plain: succeeds
    // The end of the client's bytes is a failure.
    virtual void read_some(char* to, std::size_t size, Done done) = 0;
    // The same, not before that time. The wait ends without a call if the stream is closed.
    virtual void read_some_at(Clock::time_point at, char* to, std::size_t size, Done done) = 0;
    // Writes from `first`, then from `second`; both must stay until it is done.
    virtual void write_some(std::string_view first, std::string_view second, Done done) = 0;
    // When this descriptor, of another library, is readable; one at a time. Not good: it cannot be
    // waited for, or the stream was closed. The descriptor must stay open until then.
    virtual void when_readable(int descriptor, Done done) = 0;
    // Before that descriptor is closed, if its wait has not ended. It may be called twice.
    virtual void stop_watching() noexcept = 0;
    // Tells the client that nothing more will come (TLS: close_notify).
    virtual void shutdown_send(Done done) = 0;
    // Ends everything: what is under way fails.
    virtual void close() = 0;
    // A turn after this call: on an I/O thread, or on the one that is at work on the connection.
    virtual void post(std::function<void()> turn) = 0;
    // A turn at once, on this thread, if no other thread is at work on the connection; else as soon
    // as possible. For threads that hold no lock: the turn, and what follows from it, may call back
    // into anything. What it throws is thrown here.
    virtual void dispatch(std::function<void()> turn) = 0;

    // `missed` is called once when the deadline passes, without a deadline then. Moving it is
    // cheap: the timer below is touched only if the deadline comes nearer.
    virtual void on_deadline(std::function<void()> missed) = 0;
    virtual void set_deadline(Clock::time_point at) = 0;
    virtual void clear_deadline() = 0;

    [[nodiscard]] virtual const std::string& remote_address() const noexcept = 0;
};

}  // namespace jobforge::http
