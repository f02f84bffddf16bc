#include "connect/amqp/amqp_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include <fmt/format.h>

namespace jobforge::connect {

namespace {

using Clock = std::chrono::steady_clock;
using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

// Errno of the attempt, 0 if connected.
int wait_connected(int fd, Clock::time_point deadline, int stop_fd) noexcept {
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) {
            return ETIMEDOUT;
        }
        pollfd watched[2] = {{fd, POLLOUT, 0}, {stop_fd, POLLIN, 0}};
        const int ready = ::poll(watched, 2, static_cast<int>(left.count()));
        if (ready < 0 && errno != EINTR) {
            return errno;
        }
        if (ready > 0 && watched[1].revents != 0) {
            return ECANCELED;
        }
        if (ready > 0) {
            int fault = 0;
            socklen_t size = sizeof fault;
            return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &fault, &size) == 0 ? fault : errno;
        }
    }
}

// The socket, or the negated errno.
int try_address(const addrinfo& address, Clock::time_point deadline, int stop_fd) noexcept {
    const int fd = ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return -errno;
    }
    int fault = 0;
    if (::connect(fd, address.ai_addr, address.ai_addrlen) != 0) {
        fault = errno == EINPROGRESS ? wait_connected(fd, deadline, stop_fd) : errno;
    }
    if (fault != 0) {
        ::close(fd);
        return -fault;
    }
    const int on = 1;
    // Wake-ups are single small messages: waiting for more to fill a packet is all loss.
    (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    return fd;
}

}  // namespace

Result<int> connect_tcp(const std::string& host, int port, std::chrono::milliseconds limit,
                        int stop_fd) {
    const auto deadline = Clock::now() + limit;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int fault = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    const Addresses addresses(found, ::freeaddrinfo);
    if (fault != 0) {
        return Error::of(ErrorCode::QUEUE_UNAVAILABLE,
                         fmt::format("cannot find the host: {}", ::gai_strerror(fault)));
    }
    int last = EHOSTUNREACH;
    for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
        // Each address gets a fair part of what is left, so that a dead first one leaves time.
        const auto now = Clock::now();
        const auto turn = one->ai_next != nullptr ? now + (deadline - now) / 2 : deadline;
        const int fd = try_address(*one, turn, stop_fd);
        if (fd >= 0) {
            return fd;
        }
        last = -fd;
        if (last == ECANCELED) {
            break;
        }
    }
    return Error::of(ErrorCode::QUEUE_UNAVAILABLE,
                     fmt::format("cannot connect: {}", std::generic_category().message(last)));
}

}  // namespace jobforge::connect
