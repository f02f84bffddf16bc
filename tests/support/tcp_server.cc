#include "tcp_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>

namespace jobforge::test {

namespace {

// Length of the body that a request's head announces.
std::size_t content_length(std::string_view head) {
    constexpr std::string_view kName = "Content-Length: ";
    const std::size_t found = head.find(kName);
    return found == std::string_view::npos
               ? 0
               : std::strtoul(std::string(head.substr(found + kName.size(), 20)).c_str(), nullptr,
                              10);
}

void must(bool condition, const char* what) {
    if (!condition) {
        fmt::print(stderr, "the test's server failed: {}\n", what);
        std::abort();
    }
}

}  // namespace

std::string TcpPeer::read_request() {
    while (true) {
        const std::size_t end = buffer_.find("\r\n\r\n");
        if (end != std::string::npos) {
            const std::size_t size = end + 4 + content_length(buffer_.substr(0, end));
            if (buffer_.size() >= size) {
                std::string request = buffer_.substr(0, size);
                buffer_.erase(0, size);
                return request;
            }
        }
        char piece[16384];
        const ssize_t count = ::recv(fd_, piece, sizeof piece, 0);
        if (count <= 0) {
            return {};
        }
        buffer_.append(piece, static_cast<std::size_t>(count));
    }
}

bool TcpPeer::write(std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
        if (count < 0) {
            return false;
        }
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

bool TcpPeer::closed_within(std::chrono::milliseconds limit) {
    pollfd wait{fd_, POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(limit.count())) == 0) {
        return false;
    }
    char byte = 0;
    return ::recv(fd_, &byte, 1, MSG_PEEK) <= 0;
}

TcpServer::TcpServer(Behaviour behaviour, const char* address)
    : behaviour_(std::move(behaviour)), address_(address) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    must(::inet_pton(AF_INET, address, &name.sin_addr) == 1, "address");
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t size = sizeof name;
    must(::bind(listener_, reinterpret_cast<sockaddr*>(&name), size) == 0, "bind");
    must(::listen(listener_, 128) == 0, "listen");
    must(::getsockname(listener_, reinterpret_cast<sockaddr*>(&name), &size) == 0, "getsockname");
    port_ = ntohs(name.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
}

TcpServer::~TcpServer() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    ::close(listener_);
    std::vector<std::thread> threads;
    {
        const std::lock_guard lock(mutex_);
        for (const int fd : open_) {
            ::shutdown(fd, SHUT_RDWR);
        }
        threads.swap(threads_);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

std::unique_ptr<TcpServer> TcpServer::answering(std::string answer, const char* address) {
    // The behaviour needs the server, which does not exist yet when it is written down.
    auto self = std::make_shared<std::atomic<TcpServer*>>(nullptr);
    auto server = std::make_unique<TcpServer>(
        [self, answer = std::move(answer)](TcpPeer& peer) {
            for (std::string request = peer.read_request(); !request.empty();
                 request = peer.read_request()) {
                if (TcpServer* owner = self->load()) {
                    const std::lock_guard lock(owner->mutex_);
                    owner->requests_.push_back(std::move(request));
                }
                if (!peer.write(answer)) {
                    return;
                }
            }
        },
        address);
    self->store(server.get());
    return server;
}

std::string TcpServer::url(std::string_view path) const {
    return fmt::format("http://{}:{}{}", address_, port_, path);
}

std::vector<std::string> TcpServer::requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
}

void TcpServer::accept_all() {
    while (true) {
        const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0 && errno == EMFILE) {
            std::this_thread::yield();  // a test has taken all descriptors, and gives them back
            continue;
        }
        if (fd < 0) {
            return;
        }
        connections_.fetch_add(1);
        const std::lock_guard lock(mutex_);
        open_.push_back(fd);
        threads_.emplace_back([this, fd] { serve(fd); });
    }
}

void TcpServer::serve(int fd) {
    TcpPeer peer(fd);
    behaviour_(peer);
    const std::lock_guard lock(mutex_);
    open_.erase(std::find(open_.begin(), open_.end(), fd));
    ::close(fd);
}

}  // namespace jobforge::test
