#include "cli/demo/demo_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

namespace jobforge::cli {

namespace {

constexpr std::size_t kMostBytes = 1 << 20;
constexpr int kLookMs = 100;
constexpr int kWaiting = 128;

std::size_t wanted_size(std::string_view head) {
    const std::string_view text = demo_header(head, "Content-Length");
    std::size_t size = 0;
    std::from_chars(text.data(), text.data() + text.size(), size);
    return head.size() + size;
}

// One request, or what came of it before its sender stopped.
std::string read_request(int socket) {
    std::string request;
    std::array<char, 4096> buffer{};
    while (request.size() < kMostBytes) {
        const std::size_t end = request.find("\r\n\r\n");
        if (end != std::string::npos &&
            request.size() >= wanted_size(std::string_view(request).substr(0, end + 4))) {
            break;
        }
        const ssize_t got = ::recv(socket, buffer.data(), buffer.size(), 0);
        if (got <= 0) {
            break;
        }
        request.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return request;
}

void write_all(int socket, std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent <= 0) {
            return;
        }
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
}

}  // namespace

std::string_view demo_header(std::string_view request, std::string_view name) {
    const std::size_t at = request.find(fmt::format("\r\n{}: ", name));
    if (at == std::string_view::npos) {
        return {};
    }
    const std::string_view rest = request.substr(at + name.size() + 4);
    return rest.substr(0, rest.find("\r\n"));
}

std::string demo_answer(std::string_view status, std::string_view headers, std::string_view body) {
    return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n{}", status,
                       body.size(), headers, body);
}

Result<std::unique_ptr<DemoServer>> DemoServer::start(Answer answer, int port) {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    const int again = 1;
    (void)::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
    if (listener < 0 || ::bind(listener, plain, size) != 0 || ::listen(listener, kWaiting) != 0 ||
        ::getsockname(listener, plain, &size) != 0) {
        const std::string reason = std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
        if (listener >= 0) {
            ::close(listener);
        }
        return Error::of(ErrorCode::INTERNAL_ERROR, "cannot listen on loopback: " + reason);
    }
    return std::unique_ptr<DemoServer>(
        new DemoServer(listener, ntohs(address.sin_port), std::move(answer)));
}

DemoServer::DemoServer(int listener, int port, Answer answer)
    : listener_(listener),
      port_(port),
      answer_(std::move(answer)),
      thread_([this](const std::stop_token& stop) { serve(stop); }) {}

DemoServer::~DemoServer() {
    thread_.request_stop();
    thread_.join();
    ::close(listener_);
}

std::string DemoServer::url(std::string_view path) const {
    return fmt::format("http://127.0.0.1:{}{}", port_, path);
}

void DemoServer::serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        pollfd waiting{listener_, POLLIN, 0};
        if (::poll(&waiting, 1, kLookMs) <= 0) {
            continue;
        }
        const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) {
            continue;
        }
        const timeval limit{5, 0};
        ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        write_all(socket, answer_(read_request(socket)));
        ::close(socket);
    }
}

}  // namespace jobforge::cli
