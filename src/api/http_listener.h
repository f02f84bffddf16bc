// Accepts connections and makes sessions of them. Only files that include Asio include this one.
//
// Threads: listen() before the I/O threads run; begin(), stop() and use_tls() from any thread.
#pragma once

#include <memory>
#include <mutex>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <jobforge/error.h>

#include "api/server_state.h"

namespace jobforge::api {

class HttpListener final : public std::enable_shared_from_this<HttpListener> {
public:
    using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

    // `max_connections`: what the process has file descriptors for, see HttpServerOptions.
    HttpListener(std::shared_ptr<ServerState> state,
                 std::shared_ptr<boost::asio::io_context> context, std::size_t max_connections);

    // The port, or why it cannot listen.
    [[nodiscard]] Result<int> listen();
    void begin();
    void stop();
    // For connections accepted from now on; null: plain.
    void use_tls(TlsContext tls);

private:
    void accept();
    void welcome(boost::asio::ip::tcp::socket socket);
    void pause(const boost::system::error_code& fault);

    const std::shared_ptr<ServerState> state_;
    const std::shared_ptr<boost::asio::io_context> context_;
    const std::size_t max_connections_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer pause_;
    bool paused_ = false;  // the trouble has been told
    std::mutex mutex_;     // guards tls_
    TlsContext tls_;
};

}  // namespace jobforge::api
