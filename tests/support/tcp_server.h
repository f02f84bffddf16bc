// A server that answers any bytes, right or wrong, on a real socket of this machine.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace jobforge::test {

// One connection, seen from the server. Every call returns once the client or the test is gone.
class TcpPeer final {
public:
    explicit TcpPeer(int fd) : fd_(fd) {}

    // The next HTTP request, headers and body (by Content-Length); empty once the client closed.
    [[nodiscard]] std::string read_request();
    // False once the client closed.
    bool write(std::string_view text);
    // True if the client closed within `limit`: a server's pause without a sleep.
    [[nodiscard]] bool closed_within(std::chrono::milliseconds limit);

private:
    int fd_;
    std::string buffer_;  // read, not yet handed out
};

// Runs `behaviour` once a connection, each on a thread of its own.
class TcpServer final {
public:
    using Behaviour = std::function<void(TcpPeer&)>;
    // Listens on a free port of `address` (IPv4). Aborts if it cannot.
    explicit TcpServer(Behaviour behaviour, const char* address = "127.0.0.1");
    TcpServer(const TcpServer&) = delete;
    TcpServer& operator=(const TcpServer&) = delete;
    // Cuts every connection and waits for its thread.
    ~TcpServer();

    // Answers every request on a connection with these bytes; the requests are kept.
    [[nodiscard]] static std::unique_ptr<TcpServer> answering(std::string answer,
                                                              const char* address = "127.0.0.1");

    [[nodiscard]] int port() const noexcept { return port_; }
    // "http://127.0.0.1:PORT" + path
    [[nodiscard]] std::string url(std::string_view path = "/") const;
    [[nodiscard]] int connections() const noexcept { return connections_.load(); }
    // What answering() read so far.
    [[nodiscard]] std::vector<std::string> requests() const;

private:
    void accept_all();
    void serve(int fd);

    Behaviour behaviour_;
    std::string address_;
    int listener_ = -1;
    int port_ = 0;
    std::atomic<int> connections_{0};
    mutable std::mutex mutex_;
    std::vector<int> open_;              // under mutex_
    std::vector<std::thread> threads_;   // under mutex_
    std::vector<std::string> requests_;  // under mutex_
    std::thread acceptor_;
};

}  // namespace jobforge::test
