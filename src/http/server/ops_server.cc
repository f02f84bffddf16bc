// The only file that includes Boost.Beast: it costs most of this room's compile time.
#if defined(__SANITIZE_THREAD__)
// g++ warns that ThreadSanitizer does not see Asio's fences. Where they matter it would report too
// much, not too little.
#pragma GCC diagnostic ignored "-Wtsan"
#endif
#include "http/server/ops_server.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "http/server/listen_error.h"
#include "http/server/ops_answer.h"

namespace jobforge::http {

namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace wire = beast::http;
using net::ip::tcp;
using Fault = boost::system::error_code;

// After the answer, how long and how much we read on: closing with unread input resets the
// connection, and the client would lose the answer that tells it what was wrong.
constexpr std::chrono::milliseconds kLinger{1000};
constexpr std::size_t kLingerBytes = std::size_t{1} << 20;

// Out of file descriptors: wait for some to come back instead of spinning.
constexpr std::chrono::milliseconds kAcceptPause{100};

// One connection, from its request to its end. Lives as long as an operation is under way.
class OpsSession final : public std::enable_shared_from_this<OpsSession> {
public:
    OpsSession(tcp::socket socket, const OpsServerOptions& options, std::atomic<std::size_t>& open)
        : stream_(std::move(socket)), options_(options), open_(open) {
        ++open_;
        parser_.header_limit(options_.max_header_bytes);
        parser_.body_limit(options_.max_body_bytes);
    }
    OpsSession(const OpsSession&) = delete;
    OpsSession& operator=(const OpsSession&) = delete;
    ~OpsSession() { --open_; }

    void read() {
        // One deadline for the whole request: a client that sends a byte now and then gains
        // nothing.
        stream_.expires_after(options_.read_timeout);
        wire::async_read(
            stream_, buffer_, parser_,
            [self = shared_from_this()](Fault fault, std::size_t) { self->on_read(fault); });
    }

private:
    void on_read(Fault fault) {
        if (!fault) {
            const auto& request = parser_.get();
            write(answer_ops(options_, request.method_string(), request.target()));
        } else if (fault == wire::error::header_limit) {
            write(ops_error(431, ErrorCode::VALIDATION_ERROR, "the request's header is too large"));
        } else if (fault == wire::error::body_limit) {
            write(ops_error(413, ErrorCode::PAYLOAD_LIMIT, "the request's body is too large"));
        } else if (fault.category() == make_error_code(wire::error::bad_method).category() &&
                   fault != wire::error::end_of_stream && fault != wire::error::partial_message) {
            write(ops_error(400, ErrorCode::VALIDATION_ERROR, "this is not an HTTP request"));
        }
        // Else it went away or was too slow: no answer can be sent.
    }

    void write(OpsAnswer answer) {
        response_.version(11);
        response_.result(static_cast<unsigned>(answer.status));
        response_.set(wire::field::content_type, answer.content_type);
        response_.set(wire::field::cache_control, "no-store");
        response_.set("X-Content-Type-Options", "nosniff");
        if (!answer.allow.empty()) {
            response_.set(wire::field::allow, answer.allow);
        }
        if (!answer.correlation_id.empty()) {
            response_.set("X-Correlation-ID", answer.correlation_id);
        }
        response_.keep_alive(false);
        response_.body() = std::move(answer.body);
        response_.prepare_payload();
        serializer_.emplace(response_);
        // HEAD gets the header of GET, with its Content-Length.
        const bool head = parser_.is_header_done() && parser_.get().method() == wire::verb::head;
        serializer_->split(head);
        stream_.expires_after(options_.write_timeout);
        const auto done = [self = shared_from_this()](Fault fault, std::size_t) {
            self->on_written(fault);
        };
        if (head) {
            wire::async_write_header(stream_, *serializer_, done);
        } else {
            wire::async_write(stream_, *serializer_, done);
        }
    }

    void on_written(Fault fault) {
        if (fault) {
            return;
        }
        Fault ignored;
        ignored = stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
        stream_.expires_after(kLinger);
        discard(kLingerBytes);
    }

    void discard(std::size_t left) {
        buffer_.clear();
        stream_.async_read_some(buffer_.prepare(4096),
                                [self = shared_from_this(), left](Fault fault, std::size_t count) {
                                    if (!fault && count < left) {
                                        self->discard(left - count);
                                    }
                                });
    }

    beast::tcp_stream stream_;
    const OpsServerOptions& options_;
    std::atomic<std::size_t>& open_;
    beast::flat_buffer buffer_;
    wire::request_parser<wire::string_body> parser_;
    wire::response<wire::string_body> response_;
    std::optional<wire::response_serializer<wire::string_body>> serializer_;
};

Status check(const OpsServerOptions& options) {
    const auto refused = [](std::string_view what) {
        return Error::of(ErrorCode::VALIDATION_ERROR, fmt::format("operations port: {}", what));
    };
    if (!options.metrics || !options.live || !options.ready) {
        return refused("metrics, live and ready must be given");
    }
    if (options.port < 0 || options.port > 65535) {
        return refused("the port is 0 to 65535");
    }
    if (options.threads < 1 || options.threads > 64 || options.max_connections == 0) {
        return refused("it needs 1 to 64 threads and room for a connection");
    }
    return ok_status();
}

}  // namespace

class OpsServer::Listener final {
public:
    explicit Listener(OpsServerOptions options)
        : options_(std::move(options)), acceptor_(net::make_strand(context_)), pause_(context_) {}
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    // Waits for running callbacks only; open connections are closed with the context.
    ~Listener() {
        context_.stop();
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }

    [[nodiscard]] Status listen() {
        Fault fault;
        const auto address = net::ip::make_address(options_.address, fault);
        if (fault) {
            return not_an_address("operations port", options_.address);
        }
        const tcp::endpoint endpoint(address, static_cast<std::uint16_t>(options_.port));
        if (!acceptor_.open(endpoint.protocol(), fault) &&
            !acceptor_.set_option(net::socket_base::reuse_address(true), fault) &&
            !acceptor_.bind(endpoint, fault)) {
            fault = acceptor_.listen(net::socket_base::max_listen_connections, fault);
        }
        if (fault) {
            return cannot_listen(options_.address, options_.port, fault);
        }
        port_ = acceptor_.local_endpoint().port();
        return ok_status();
    }

    void run() {
        accept();
        for (int i = 0; i < options_.threads; ++i) {
            threads_.emplace_back([this] { serve(); });
        }
    }

    [[nodiscard]] int port() const noexcept { return port_; }

private:
    // Out of memory in one request must not end the worker: the connection is lost, we go on.
    void serve() noexcept {
        for (;;) {
            try {
                context_.run();
                return;
            } catch (const std::exception& fault) {
                tell(LogLevel::error, fault.what());
            }
        }
    }

    void tell(LogLevel level, std::string_view what) {
        if (options_.log) {
            options_.log(level, fmt::format("operations port: {}", what));
        }
    }

    void accept() {
        acceptor_.async_accept(net::make_strand(context_), [this](Fault fault, tcp::socket socket) {
            if (fault == net::error::operation_aborted) {
                return;
            }
            if (fault) {
                return pause(fault);
            }
            paused_ = false;
            if (open_ < options_.max_connections) {
                std::make_shared<OpsSession>(std::move(socket), options_, open_)->read();
            }
            accept();
        });
    }

    void pause(Fault fault) {
        if (!std::exchange(paused_, true)) {
            tell(LogLevel::warn, "cannot accept connections: " + fault.message());
        }
        pause_.expires_after(kAcceptPause);
        pause_.async_wait([this](Fault) { accept(); });
    }

    OpsServerOptions options_;
    std::atomic<std::size_t> open_ = 0;
    net::io_context context_;  // after what its sessions refer to: it destroys them
    tcp::acceptor acceptor_;
    net::steady_timer pause_;
    bool paused_ = false;  // the trouble has been told
    int port_ = 0;
    std::vector<std::thread> threads_;
};

Result<std::unique_ptr<OpsServer>> OpsServer::start(OpsServerOptions options) {
    if (Status status = check(options); !status.ok()) {
        return std::move(status).error();
    }
    auto listener = std::make_unique<Listener>(std::move(options));
    if (Status status = listener->listen(); !status.ok()) {
        return std::move(status).error();
    }
    listener->run();
    return std::unique_ptr<OpsServer>(new OpsServer(std::move(listener)));
}

OpsServer::OpsServer(std::unique_ptr<Listener> listener)
    : port_(listener->port()), listener_(std::move(listener)) {}

OpsServer::~OpsServer() = default;

void OpsServer::stop() {
    const std::lock_guard guard(mutex_);
    listener_.reset();
}

}  // namespace jobforge::http
