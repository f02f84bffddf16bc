#include "http/server/asio_warnings.h"
// asio_warnings.h comes first.
#include "http/server/http_listener.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/asio/post.hpp>

#include "http/server/http_session.h"
#include "http/server/listen_error.h"
#include "http/server/socket_stream.h"

namespace jobforge::http {

namespace {

namespace net = boost::asio;
using net::ip::tcp;
using Fault = boost::system::error_code;

// Out of file descriptors: wait for some to come back instead of spinning.
constexpr std::chrono::milliseconds kAcceptPause{100};
// A look at all connections takes about a millisecond; a flood must not make it the main work.
constexpr std::chrono::milliseconds kLookForRoomEvery{100};
constexpr std::size_t kRoomToMake = 16;  // the sixteenth part of all places

}  // namespace

Listener::Listener(std::shared_ptr<ServerState> state, std::shared_ptr<net::io_context> context,
                   ConnectionLimits::Options limits)
    : state_(std::move(state)),
      context_(std::move(context)),
      limits_(limits),
      acceptor_(net::make_strand(*context_)),
      pause_(acceptor_.get_executor()),
      quiet_(acceptor_.get_executor()) {}

Result<int> Listener::listen() {
    const ServerOptions& options = state_->options;
    Fault fault;
    const auto address = net::ip::make_address(options.address, fault);
    if (fault) {
        return not_an_address("BPC_HTTP_HOST", options.address);
    }
    const tcp::endpoint endpoint(address, static_cast<std::uint16_t>(options.port));
    if (!acceptor_.open(endpoint.protocol(), fault) &&
        !acceptor_.set_option(net::socket_base::reuse_address(true), fault) &&
        !acceptor_.bind(endpoint, fault)) {
        fault = acceptor_.listen(net::socket_base::max_listen_connections, fault);
    }
    if (fault) {
        return cannot_listen(options.address, options.port, fault);
    }
    return static_cast<int>(acceptor_.local_endpoint().port());
}

void Listener::begin() {
    net::post(acceptor_.get_executor(), [self = shared_from_this()] { self->accept(); });
}

void Listener::stop() {
    net::post(acceptor_.get_executor(), [self = shared_from_this()] {
        Fault ignored;
        ignored = self->acceptor_.close(ignored);
        self->pause_.cancel();
        self->quiet_.cancel();
    });
}

void Listener::use_tls(TlsContext tls) {
    const std::lock_guard guard(mutex_);
    tls_ = std::move(tls);
}

void Listener::accept() {
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

void Listener::welcome(tcp::socket socket) {
    Fault fault;
    const auto remote = socket.remote_endpoint(fault);
    if (fault) {
        return;  // gone already
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
    const std::string address = remote.address().to_string();
    ConnectionLimits::Seat seat = limits_.take(address_group(address));
    const ConnectionLimits::Place place = seat.place();
    if (!seat.regular()) {
        tell(seat, address);
    }
    auto session = std::make_shared<Session>(
        state_, make_socket_stream(std::move(socket), std::move(tls), address, context_),
        std::move(seat));
    state_->sessions.add(session);
    session->begin();
    if (place != ConnectionLimits::Place::regular) {
        keep_in_reserve(session);
    }
    if (place == ConnectionLimits::Place::over_all) {
        make_room();
    }
}

void Listener::keep_in_reserve(const std::shared_ptr<Session>& session) {
    std::erase_if(reserve_, [](const auto& weak) { return weak.expired(); });
    while (reserve_.size() >= state_->options.reserve_connections && !reserve_.empty()) {
        if (const auto oldest = reserve_.front().lock()) {
            oldest->abort();
        }
        reserve_.pop_front();
    }
    reserve_.push_back(session);
}

// The next one that connects finds a place.
void Listener::make_room() {
    const auto now = Clock::now();
    if (now - looked_for_room_ < kLookForRoomEvery) {
        return;
    }
    looked_for_room_ = now;
    struct Idle {
        std::size_t crowd;  // connections of its address
        Clock::duration waited;
        std::shared_ptr<Session> session;
    };
    std::vector<Idle> idle;
    state_->sessions.for_each([&](Session& session) {
        const auto waited = session.waited(now);
        if (session.seat().regular() && waited >= state_->options.idle_gives_way_after) {
            idle.push_back(
                {limits_.of(session.seat().group()), waited, session.shared_from_this()});
        }
    });
    std::sort(idle.begin(), idle.end(), [](const Idle& a, const Idle& b) {
        return a.crowd != b.crowd ? a.crowd > b.crowd : a.waited > b.waited;
    });
    idle.resize(std::min(idle.size(), limits_.options().all / kRoomToMake + 1));
    for (const Idle& one : idle) {
        one.session->give_way();
    }
    untold_.idle_closed += idle.size();
}

void Listener::tell(const ConnectionLimits::Seat& seat, const std::string& address) {
    ++(seat.place() == ConnectionLimits::Place::over_all ? untold_.over_all : untold_.over_address);
    untold_.address = address;
    if (!is_quiet_) {
        write_untold();
    }
}

void Listener::write_untold() {
    if (untold_.over_address + untold_.over_all == 0) {
        is_quiet_ = false;
        return;
    }
    const ConnectionLimits::Options& limits = limits_.options();
    state_->options.log.warn("too many connections",
                             {{"over_address_limit", untold_.over_address},
                              {"over_limit", untold_.over_all},
                              {"idle_closed", untold_.idle_closed},
                              {"address", std::exchange(untold_.address, {})},
                              {"address_limit", std::uint64_t{limits.per_address}},
                              {"limit", std::uint64_t{limits.all}}});
    untold_ = {};
    is_quiet_ = true;
    quiet_.expires_after(state_->options.flood_log_every);
    quiet_.async_wait([self = shared_from_this()](Fault fault) {
        if (!fault) {
            self->write_untold();
        }
    });
}

void Listener::pause(const Fault& fault) {
    if (!std::exchange(paused_, true)) {
        state_->options.log.warn("cannot accept connections", {{"reason", fault.message()}});
    }
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([self = shared_from_this()](Fault) { self->accept(); });
}

}  // namespace jobforge::http
