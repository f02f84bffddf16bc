// Accepts connections and makes sessions of them. Only files that include Asio include this one.
//
// A connection beyond a limit (connection_limits.h) is not closed at once: it gets one of a few
// reserve places, for one request and a short time. There a request of vital routes (health) is
// answered, and every other one with 503. When the reserve is full too, its oldest connection ends
// for the new one: a client that asks at once is answered even during a flood. When all places are
// taken, connections that have waited longest for a request end, those of the address with the most
// connections first. The log has one line a while, with counts.
//
// Threads: listen() before the I/O threads run; begin(), stop() and use_tls() from any thread.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <jobforge/error.h>

#include "http/server/connection_limits.h"
#include "http/server/server_state.h"

namespace jobforge::http {

class Listener final : public std::enable_shared_from_this<Listener> {
public:
    using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

    // `limits`: what the process has file descriptors for, see ServerOptions.
    Listener(std::shared_ptr<ServerState> state, std::shared_ptr<boost::asio::io_context> context,
             ConnectionLimits::Options limits);

    // The port, or why it cannot listen.
    [[nodiscard]] Result<int> listen();
    void begin();
    void stop();
    // For connections accepted from now on; null: plain.
    void use_tls(TlsContext tls);

private:
    using Clock = std::chrono::steady_clock;
    // What the log has not been told yet.
    struct Untold {
        std::uint64_t over_address = 0;
        std::uint64_t over_all = 0;
        std::uint64_t idle_closed = 0;
        std::string address;  // the last one
    };

    void accept();
    void welcome(boost::asio::ip::tcp::socket socket);
    void pause(const boost::system::error_code& fault);
    void keep_in_reserve(const std::shared_ptr<Session>& session);
    void make_room();
    void tell(const ConnectionLimits::Seat& seat, const std::string& address);
    void write_untold();

    const std::shared_ptr<ServerState> state_;
    const std::shared_ptr<boost::asio::io_context> context_;
    ConnectionLimits limits_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer pause_;
    bool paused_ = false;  // the trouble has been told
    // In the acceptor's strand.
    std::deque<std::weak_ptr<Session>> reserve_;  // the oldest first
    Clock::time_point looked_for_room_;
    boost::asio::steady_timer quiet_;  // while it runs, the log is told nothing
    bool is_quiet_ = false;
    Untold untold_;

    std::mutex mutex_;  // guards tls_
    TlsContext tls_;
};

}  // namespace jobforge::http
