// A real HTTP server for tests: an answer a path, the requests kept.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "connect/http/http_request.h"
#include "tcp_server.h"

namespace jobforge::connect::test_support {

// "HTTP/1.1 302 ..." with a Location and no body.
inline std::string redirect(int status, std::string_view location) {
    return fmt::format("HTTP/1.1 {} Go\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n", status,
                       location);
}

inline std::string answer(int status, std::string_view body, std::string_view headers = "") {
    return fmt::format("HTTP/1.1 {} Reason\r\n{}Content-Length: {}\r\n\r\n{}", status, headers,
                       body.size(), body);
}

inline HttpRequest get(std::string url) {
    HttpRequest request;
    request.url = std::move(url);
    request.timeout = std::chrono::seconds(20);
    return request;
}

// A client that may dial these loopback addresses.
inline HttpOptions allowing(std::string_view networks = "127.0.0.0/8") {
    HttpOptions options;
    options.allowed_networks = parse_networks(networks).value();
    return options;
}

// Any thread.
class RouteServer final {
public:
    // Unknown paths are 404. The path is what stands in the request, query included.
    explicit RouteServer(const char* address = "127.0.0.1")
        : server_([this](test::TcpPeer& peer) { serve(peer); }, address) {}

    void at(std::string path, std::string bytes) {
        const std::lock_guard lock(mutex_);
        answers_[std::move(path)] = std::move(bytes);
    }
    [[nodiscard]] std::string url(std::string_view path = "/") const { return server_.url(path); }
    [[nodiscard]] int port() const noexcept { return server_.port(); }
    [[nodiscard]] int connections() const noexcept { return server_.connections(); }
    [[nodiscard]] std::vector<std::string> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }

private:
    void serve(test::TcpPeer& peer) {
        for (std::string request = peer.read_request(); !request.empty();
             request = peer.read_request()) {
            if (!peer.write(answer_to(std::move(request)))) {
                return;
            }
        }
    }
    std::string answer_to(std::string request) {
        const std::size_t start = request.find(' ') + 1;
        const std::string path = request.substr(start, request.find(' ', start) - start);
        const std::lock_guard lock(mutex_);
        requests_.push_back(std::move(request));
        const auto found = answers_.find(path);
        return found == answers_.end() ? answer(404, "") : found->second;
    }

    mutable std::mutex mutex_;
    std::map<std::string, std::string> answers_;  // under mutex_
    std::vector<std::string> requests_;           // under mutex_
    test::TcpServer server_;                      // last: its threads use the rest
};

// Whether a request as the server saw it has this header.
inline bool has_header(const std::string& request, std::string_view name) {
    return request.find(fmt::format("\r\n{}:", name)) != std::string::npos;
}

}  // namespace jobforge::connect::test_support
