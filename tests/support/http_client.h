// A client that sends any bytes, right or wrong, over a real socket.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace jobforge::test {

struct HttpReply {
    int status = 0;  // 0: the connection was closed without an answer
    std::string header;
    std::string body;
};

class HttpConnection final {
public:
    // `receive_buffer`: bytes the system takes before we read; 0: its own choice. `from`: the
    // address it comes from, one of 127.0.0.0/8; "": the system's choice, 127.0.0.1.
    explicit HttpConnection(int port, int receive_buffer = 0, const char* from = "")
        : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        if (receive_buffer > 0) {
            (void)::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
        }
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (*from != '\0') {
            sockaddr_in own{};
            own.sin_family = AF_INET;
            (void)::inet_pton(AF_INET, from, &own.sin_addr);
            (void)::bind(fd_, reinterpret_cast<sockaddr*>(&own), sizeof own);
        }
        const timeval limit{20, 0};  // a server that never closes fails the test
        (void)::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    }
    HttpConnection(const HttpConnection&) = delete;
    HttpConnection& operator=(const HttpConnection&) = delete;
    ~HttpConnection() { ::close(fd_); }

    [[nodiscard]] bool connected() const { return connected_; }

    // False once the server has closed.
    bool send(std::string_view text) {
        while (!text.empty()) {
            const ssize_t count = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
            if (count < 0) {
                return false;
            }
            text.remove_prefix(static_cast<std::size_t>(count));
        }
        return true;
    }

    // Tells the server that nothing more will come; its answer can still be read.
    void finish() { (void)::shutdown(fd_, SHUT_WR); }

    // Everything until the server closes. closed_ is false if it did not.
    [[nodiscard]] HttpReply receive() {
        while (receive_more()) {
        }
        return parsed(std::exchange(arrived_, {}));
    }

    // One answer with a Content-Length (`head`: to a HEAD request); what follows is kept.
    [[nodiscard]] HttpReply receive_one(bool head = false) {
        std::size_t end = 0;
        while ((end = arrived_.find("\r\n\r\n")) == std::string::npos) {
            if (!receive_more()) {
                return {};
            }
        }
        std::size_t size = end + 4;
        const std::size_t length = arrived_.substr(0, size).find("\r\nContent-Length: ");
        if (!head && length != std::string::npos) {
            size += std::strtoull(arrived_.c_str() + length + 18, nullptr, 10);
        }
        while (arrived_.size() < size) {
            if (!receive_more()) {
                return {};
            }
        }
        HttpReply reply = parsed(arrived_.substr(0, size));
        arrived_.erase(0, size);
        return reply;
    }

    // Until `text` has come, behind the first `from` bytes; false if the server closed before.
    // Everything that has arrived stays in arrived().
    [[nodiscard]] bool receive_until(std::string_view text, std::size_t from = 0) {
        while (arrived_.find(text, from) == std::string::npos) {
            if (!receive_more()) {
                return false;
            }
        }
        return true;
    }
    [[nodiscard]] const std::string& arrived() const { return arrived_; }

    // True if the server has said or done anything (an answer, the end); does not wait.
    [[nodiscard]] bool has_news() const {
        char byte = 0;
        return ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN;
    }

    // Whether receive() ended because the server closed, not because our patience did.
    [[nodiscard]] bool closed() const { return closed_; }

private:
    bool receive_more() {
        char buffer[65536];
        const ssize_t count = ::recv(fd_, buffer, sizeof buffer, 0);
        if (count > 0) {
            arrived_.append(buffer, static_cast<std::size_t>(count));
            return true;
        }
        closed_ = count == 0 || errno == ECONNRESET;
        return false;
    }

    [[nodiscard]] static HttpReply parsed(const std::string& all) {
        HttpReply reply;
        const std::size_t end = all.find("\r\n\r\n");
        if (all.starts_with("HTTP/1.1 ") && end != std::string::npos) {
            reply.status = std::atoi(all.c_str() + 9);
            reply.header = all.substr(0, end + 2);
            reply.body = all.substr(end + 4);
        }
        return reply;
    }

    int fd_;
    std::string arrived_;
    bool connected_ = false;
    bool closed_ = false;
};

inline HttpReply http(int port, std::string_view method, std::string_view target) {
    HttpConnection connection(port);
    connection.send(std::string(method) + " " + std::string(target) +
                    " HTTP/1.1\r\nHost: x\r\n\r\n");
    return connection.receive();
}

}  // namespace jobforge::test
