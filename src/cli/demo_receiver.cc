#include "cli/demo_receiver.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "core/hash.h"
#include "core/hmac.h"

namespace jobforge::cli {

namespace {

constexpr std::size_t kMostBytes = 1 << 20;
constexpr int kLookMs = 100;

// A header's value; the names that we send are known, so their spelling is too.
std::string_view header(std::string_view request, std::string_view name) {
    const std::size_t at = request.find(fmt::format("\r\n{}: ", name));
    if (at == std::string_view::npos) {
        return {};
    }
    const std::string_view rest = request.substr(at + name.size() + 4);
    return rest.substr(0, rest.find("\r\n"));
}

std::size_t wanted_size(std::string_view head) {
    const std::string_view text = header(head, "Content-Length");
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

void answer(int socket, bool good) {
    const std::string_view text =
        good ? "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
             : "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    (void)::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
}

}  // namespace

Result<std::unique_ptr<DemoReceiver>> DemoReceiver::start() {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (listener < 0 || ::bind(listener, plain, size) != 0 || ::listen(listener, 16) != 0 ||
        ::getsockname(listener, plain, &size) != 0) {
        const std::string reason = std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
        if (listener >= 0) {
            ::close(listener);
        }
        return Error::of(ErrorCode::INTERNAL_ERROR, "cannot listen on loopback: " + reason);
    }
    return std::unique_ptr<DemoReceiver>(new DemoReceiver(listener, ntohs(address.sin_port)));
}

DemoReceiver::DemoReceiver(int listener, int port)
    : listener_(listener),
      port_(port),
      thread_([this](const std::stop_token& stop) { serve(stop); }) {}

DemoReceiver::~DemoReceiver() {
    thread_.request_stop();
    thread_.join();
    ::close(listener_);
}

std::string DemoReceiver::url() const {
    return fmt::format("http://127.0.0.1:{}/webhooks", port_);
}

void DemoReceiver::expect_secret(std::string secret) {
    const std::lock_guard lock(mutex_);
    secret_ = std::move(secret);
}

std::vector<std::string> DemoReceiver::verified() const {
    const std::lock_guard lock(mutex_);
    return verified_;
}

bool DemoReceiver::accept_one(const std::string& request) {
    const std::size_t end = request.find("\r\n\r\n");
    if (end == std::string::npos) {
        return false;
    }
    const std::string_view body = std::string_view(request).substr(end + 4);
    const std::lock_guard lock(mutex_);
    const std::string expected = "sha256=" + hex_encode(hmac_sha256(secret_, body));
    if (secret_.empty() || header(request, "X-BPC-Signature") != expected) {
        ++refused_;
        return false;
    }
    verified_.emplace_back(header(request, "X-BPC-Event-Type"));
    return true;
}

void DemoReceiver::serve(const std::stop_token& stop) {
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
        answer(socket, accept_one(read_request(socket)));
        ::close(socket);
    }
}

}  // namespace jobforge::cli
