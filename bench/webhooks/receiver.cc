#include "receiver.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "bench_world.h"

namespace jobforge::bench {

namespace {

constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

void watch(int epoll, int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        die("epoll_ctl");
    }
}

// Bytes of the first request in `text`; 0 while it is not complete.
std::size_t request_size(const std::string& text) {
    const auto head = text.find("\r\n\r\n");
    if (head == std::string::npos) {
        return 0;
    }
    constexpr std::string_view kLength = "Content-Length: ";
    const auto length = text.find(kLength);
    const std::size_t body =
        length < head ? std::strtoul(text.c_str() + length + kLength.size(), nullptr, 10) : 0;
    const std::size_t whole = head + 4 + body;
    return text.size() >= whole ? whole : 0;
}

}  // namespace

Receiver::Receiver()
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (listener_ < 0 || epoll_ < 0 || stop_ < 0 ||
        ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 512) != 0) {
        die("the receiver cannot listen");
    }
    watch(epoll_, listener_);
    watch(epoll_, stop_);
    thread_ = std::thread([this] { serve(); });
}

Receiver::~Receiver() {
    ::eventfd_write(stop_, 1);
    thread_.join();
    for (const auto& [fd, text] : open_) {
        ::close(fd);
    }
    for (const int fd : {listener_, epoll_, stop_}) {
        ::close(fd);
    }
}

std::string Receiver::url() const {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    return fmt::format("http://127.0.0.1:{}/hook", ntohs(address.sin_port));
}

double Receiver::cpu_seconds() const {
    clockid_t clock{};
    timespec time{};
    ::pthread_getcpuclockid(const_cast<std::thread&>(thread_).native_handle(), &clock);
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

void Receiver::serve() {
    std::array<epoll_event, 64> events{};
    for (;;) {
        const int ready = ::epoll_wait(epoll_, events.data(), events.size(), -1);
        for (int i = 0; i < ready; ++i) {
            const int fd = events[static_cast<std::size_t>(i)].data.fd;
            if (fd == stop_) {
                return;
            }
            fd == listener_ ? take_connections() : take_bytes(fd);
        }
    }
}

void Receiver::take_connections() {
    for (;;) {
        const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            return;
        }
        const int on = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        open_.emplace(fd, "");
        connections_.fetch_add(1);
        watch(epoll_, fd);
    }
}

void Receiver::take_bytes(int fd) {
    std::array<char, 16384> buffer{};
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got <= 0) {
        ::close(fd);
        open_.erase(fd);
        return;
    }
    std::string& text = open_[fd];
    text.append(buffer.data(), static_cast<std::size_t>(got));
    while (const std::size_t size = request_size(text)) {
        text.erase(0, size);
        requests_.fetch_add(1);
        if (::send(fd, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL) < 0) {
            return;  // closed: the next read sees it
        }
    }
}

}  // namespace jobforge::bench
