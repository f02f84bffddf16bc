#include "http/server/asio_warnings.h"
// asio_warnings.h comes first.
#include "http/server/socket_stream.h"

#include <array>
#include <optional>
#include <utility>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>

#include "http/server/turns.h"

namespace jobforge::http {

namespace {

namespace net = boost::asio;
namespace ssl = net::ssl;
using net::ip::tcp;
using Fault = boost::system::error_code;

// What Asio calls a handler, or the next step of a TLS operation, by: a turn of that stream.
struct TurnExecutor {
    std::shared_ptr<ByteStream> stream;

    template <typename Function>
    void execute(Function&& function) const {
        using Held = std::decay_t<Function>;  // may be one that can only be moved
        stream->dispatch(
            [held = std::make_shared<Held>(std::forward<Function>(function))] { (*held)(); });
    }
    bool operator==(const TurnExecutor& other) const noexcept = default;
};

// What plain and TLS share: the socket, the turns and the deadline.
class SocketStream : public ByteStream, public std::enable_shared_from_this<SocketStream> {
public:
    SocketStream(tcp::socket socket, std::string remote_address,
                 std::shared_ptr<net::io_context> context)
        : context_(std::move(context)),
          socket_(std::move(socket)),
          timer_(socket_.get_executor()),
          pause_(socket_.get_executor()),
          remote_address_(std::move(remote_address)) {}

    void close() override {
        Fault ignored;
        ignored = socket_.close(ignored);
        deadline_.reset();
        missed_ = nullptr;
        timer_.cancel();
        pause_.cancel();
        if (watched_) {
            ignored = watched_->cancel(ignored);
        }
    }

    void when_readable(int descriptor, Done done) override {
        Fault fault;
        watched_.emplace(socket_.get_executor());
        if (watched_->assign(descriptor, fault)) {
            watched_.reset();
            return finished(std::move(done), false, 0);
        }
        try {
            watched_->async_wait(net::posix::stream_descriptor::wait_read,
                                 net::bind_executor(TurnExecutor{shared_from_this()},
                                                    [self = shared_from_this(),
                                                     done = std::move(done)](Fault failed) {
                                                        self->stop_watching();
                                                        done(!failed, 0);
                                                    }));
        } catch (...) {
            stop_watching();
            throw;
        }
    }

    void stop_watching() noexcept override {
        if (watched_) {
            (void)watched_->release();
            watched_.reset();
        }
    }

    void read_some_at(Clock::time_point at, char* to, std::size_t size, Done done) override {
        if (at <= Clock::now()) {
            return read_some(to, size, std::move(done));
        }
        pause_.expires_at(at);
        pause_.async_wait(net::bind_executor(
            TurnExecutor{shared_from_this()},
            [self = shared_from_this(), to, size, done = std::move(done)](Fault fault) mutable {
                if (!fault) {
                    self->read_some(to, size, std::move(done));
                }
            }));
    }

    void post(std::function<void()> turn) override {
        if (turns_.add(std::move(turn))) {
            take_turns_later();
        }
    }

    void dispatch(std::function<void()> turn) override {
        if (turns_.add(std::move(turn))) {
            take_turns();
        }
    }

    void on_deadline(std::function<void()> missed) override { missed_ = std::move(missed); }

    void set_deadline(Clock::time_point at) override {
        if (!socket_.is_open()) {
            return;
        }
        deadline_ = at;
        if (!armed_ || at < *armed_) {
            arm(at);
        }
    }

    void clear_deadline() override { deadline_.reset(); }

    [[nodiscard]] const std::string& remote_address() const noexcept override {
        return remote_address_;
    }

protected:
    // The handler of an operation: keeps the stream until it is done.
    [[nodiscard]] auto finish(Done done) {
        return net::bind_executor(
            TurnExecutor{shared_from_this()},
            [done = std::move(done)](Fault fault, std::size_t count = 0) { done(!fault, count); });
    }
    // For what is done already: a turn after this one.
    void finished(Done done, bool good, std::size_t count) {
        post([done = std::move(done), good, count] { done(good, count); });
    }
    [[nodiscard]] tcp::socket& socket() noexcept { return socket_; }

private:
    void take_turns() {
        const auto self = shared_from_this();  // a turn may release the last reference to it
        const Turns::Done done = turns_.run();
        if (done.more) {
            take_turns_later();
        }
        if (done.fault) {
            post([self] { self->close(); });  // it is unknown what was left undone
            std::rethrow_exception(done.fault);
        }
    }

    void take_turns_later() {
        try {
            net::post(*context_, [self = shared_from_this()] { self->take_turns(); });
        } catch (...) {
            turns_.give_back();
            throw;
        }
    }

    void arm(Clock::time_point at) {
        armed_ = at;
        timer_.expires_at(at);  // what waited before is called with an error
        timer_.async_wait([weak = weak_from_this()](Fault fault) {
            if (const auto self = weak.lock(); self && !fault) {
                self->dispatch([self] { self->look_at_clock(); });
            }
        });
    }

    // May come late, after the timer was moved: then it is too early for the new deadline.
    void look_at_clock() {
        armed_.reset();
        if (!deadline_) {
            return;
        }
        if (Clock::now() < *deadline_) {
            return arm(*deadline_);
        }
        deadline_.reset();
        if (const auto missed = missed_) {
            missed();
        }
    }

    std::shared_ptr<net::io_context> context_;  // first: destroyed after what lives in it
    Turns turns_;
    tcp::socket socket_;
    net::steady_timer timer_;
    net::steady_timer pause_;                               // before the next read
    std::optional<net::posix::stream_descriptor> watched_;  // not ours: released, never closed
    std::string remote_address_;
    std::function<void()> missed_;
    std::optional<Clock::time_point> deadline_;
    std::optional<Clock::time_point> armed_;  // when the timer looks next, never after deadline_
};

class PlainStream final : public SocketStream {
public:
    using SocketStream::SocketStream;

    void handshake(Done done) override { finished(std::move(done), true, 0); }
    void read_some(char* to, std::size_t size, Done done) override {
        socket().async_read_some(net::buffer(to, size), finish(std::move(done)));
    }
    void write_some(std::string_view first, std::string_view second, Done done) override {
        const std::array<net::const_buffer, 2> both = {net::buffer(first), net::buffer(second)};
        Fault fault;
        const std::size_t count = socket().write_some(both, fault);
        if (fault == net::error::would_block) {
            return socket().async_write_some(both, finish(std::move(done)));
        }
        finished(std::move(done), !fault, count);
    }
    void shutdown_send(Done done) override {
        Fault fault;
        fault = socket().shutdown(tcp::socket::shutdown_send, fault);
        finished(std::move(done), !fault, 0);
    }
};

class TlsStream final : public SocketStream {
public:
    TlsStream(tcp::socket socket, std::shared_ptr<ssl::context> tls, std::string remote_address,
              std::shared_ptr<net::io_context> context)
        : SocketStream(std::move(socket), std::move(remote_address), std::move(context)),
          tls_(std::move(tls)),
          stream_(this->socket(), *tls_) {}

    void handshake(Done done) override {
        stream_.async_handshake(ssl::stream_base::server, finish(std::move(done)));
    }
    void read_some(char* to, std::size_t size, Done done) override {
        stream_.async_read_some(net::buffer(to, size), finish(std::move(done)));
    }
    // One record for both: a record each would cost more than the copy of a small head.
    void write_some(std::string_view first, std::string_view second, Done done) override {
        joined_.assign(first.substr(0, kRecord));
        joined_.append(second.substr(0, kRecord - joined_.size()));
        stream_.async_write_some(net::buffer(joined_), finish(std::move(done)));
    }
    void shutdown_send(Done done) override { stream_.async_shutdown(finish(std::move(done))); }

private:
    static constexpr std::size_t kRecord = 16384;  // TLS's own limit

    std::shared_ptr<ssl::context> tls_;  // a reload must not take it away
    ssl::stream<tcp::socket&> stream_;
    std::string joined_;
};

}  // namespace

std::shared_ptr<ByteStream> make_socket_stream(tcp::socket socket,
                                               std::shared_ptr<ssl::context> tls,
                                               std::string remote_address,
                                               std::shared_ptr<net::io_context> context) {
    if (tls) {
        return std::make_shared<TlsStream>(std::move(socket), std::move(tls),
                                           std::move(remote_address), std::move(context));
    }
    return std::make_shared<PlainStream>(std::move(socket), std::move(remote_address),
                                         std::move(context));
}

}  // namespace jobforge::http
