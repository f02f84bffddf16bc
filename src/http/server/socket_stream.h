// ByteStreams over TCP. Only files that include Asio include this one.
#pragma once

#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include "http/server/byte_stream.h"

namespace jobforge::http {

// `socket` must run in `context` and not block. `tls` may be null: a plain connection. The stream
// keeps the I/O context alive: a stream may still be held when the server is gone.
[[nodiscard]] std::shared_ptr<ByteStream> make_socket_stream(
    boost::asio::ip::tcp::socket socket, std::shared_ptr<boost::asio::ssl::context> tls,
    std::string remote_address, std::shared_ptr<boost::asio::io_context> context);

}  // namespace jobforge::http
