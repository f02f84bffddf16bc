// A client that sends any bytes, right or wrong, over a real socket.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace jobforge::test {

struct HttpReply {
    int status = 0;  // 0: the connection was closed without an answer
    std::string header;
    std::string body;
};

class HttpConnection final {
public:
    explicit HttpConnection(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
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

    // Everything until the server closes. closed_ is false if it did not.
    [[nodiscard]] HttpReply receive() {
        std::string all;
        char buffer[4096];
        ssize_t count = 0;
        while ((count = ::recv(fd_, buffer, sizeof buffer, 0)) > 0) {
            all.append(buffer, static_cast<std::size_t>(count));
        }
        closed_ = count == 0 || errno == ECONNRESET;
        HttpReply reply;
        const std::size_t end = all.find("\r\n\r\n");
        if (all.starts_with("HTTP/1.1 ") && end != std::string::npos) {
            reply.status = std::atoi(all.c_str() + 9);
            reply.header = all.substr(0, end + 2);
            reply.body = all.substr(end + 4);
        }
        return reply;
    }
    // Whether receive() ended because the server closed, not because our patience did.
    [[nodiscard]] bool closed() const { return closed_; }

private:
    int fd_;
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
