#include "api/asio_warnings.h"
// asio_warnings.h comes first.
#include "api/http_listener.h"

#include <utility>

#include <fmt/format.h>
#include <boost/asio/post.hpp>

#include "api/http_session.h"
#include "api/socket_stream.h"

namespace jobforge::api {

namespace {

namespace net = boost::asio;
using net::ip::tcp;
using Fault = boost::system::error_code;

// Out of file descriptors: wait for some to come back instead of spinning.
constexpr std::chrono::milliseconds kAcceptPause{100};

}  // namespace

HttpListener::HttpListener(std::shared_ptr<ServerState> state,
                           std::shared_ptr<net::io_context> context, std::size_t max_connections)
    : state_(std::move(state)),
      context_(std::move(context)),
      max_connections_(max_connections),
      acceptor_(net::make_strand(*context_)),
      pause_(acceptor_.get_executor()) {}

Result<int> HttpListener::listen() {
    const HttpServerOptions& options = state_->options;
    Fault fault;
    const auto address = net::ip::make_address(options.address, fault);
    if (fault) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         fmt::format("HTTP port: {} is no IP address", options.address));
    }
    const tcp::endpoint endpoint(address, static_cast<std::uint16_t>(options.port));
    if (!acceptor_.open(endpoint.protocol(), fault) &&
        !acceptor_.set_option(net::socket_base::reuse_address(true), fault) &&
        !acceptor_.bind(endpoint, fault)) {
        fault = acceptor_.listen(net::socket_base::max_listen_connections, fault);
    }
    if (fault) {
        return Error::of(ErrorCode::INTERNAL_ERROR,
                         fmt::format("cannot listen on {} port {}: {}", options.address,
                                     options.port, fault.message()));
    }
    return static_cast<int>(acceptor_.local_endpoint().port());
}

void HttpListener::begin() {
    net::post(acceptor_.get_executor(), [self = shared_from_this()] { self->accept(); });
}

void HttpListener::stop() {
    net::post(acceptor_.get_executor(), [self = shared_from_this()] {
        Fault ignored;
        ignored = self->acceptor_.close(ignored);
        self->pause_.cancel();
    });
}

void HttpListener::use_tls(TlsContext tls) {
    const std::lock_guard guard(mutex_);
    tls_ = std::move(tls);
}

void HttpListener::accept() {
    if (!acceptor_.is_open()) {
        return;
    }
    acceptor_.async_accept(*context_, [self = shared_from_this()](Fault fault, tcp::socket socket) {
        if (fault == net::error::operation_aborted) {
            return;
        }
        if (fault) {
            return self->pause(fault);
        }
        self->paused_ = false;
        self->accept();  // first: whatever fails with this one, the next may come
        self->welcome(std::move(socket));
    });
}

void HttpListener::welcome(tcp::socket socket) {
    Fault fault;
    const auto remote = socket.remote_endpoint(fault);
    if (fault || state_->sessions.size() >= max_connections_) {
        return;  // gone already, or no room: closed with the socket
    }
    if (socket.non_blocking(true, fault)) {
        return;  // its client could hold a handler thread
    }
    // Answers are written in one piece; waiting for more to send would only delay them.
    fault = socket.set_option(tcp::no_delay(true), fault);
    TlsContext tls;
    {
        const std::lock_guard guard(mutex_);
        tls = tls_;
    }
    auto session = std::make_shared<HttpSession>(
        state_, make_socket_stream(std::move(socket), std::move(tls), remote.address().to_string(),
                                   context_));
    state_->sessions.add(session);
    session->begin();
}

void HttpListener::pause(const Fault& fault) {
    if (!std::exchange(paused_, true)) {
        state_->options.log.warn("cannot accept connections", {{"reason", fault.message()}});
    }
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([self = shared_from_this()](Fault) { self->accept(); });
}

}  // namespace jobforge::api
