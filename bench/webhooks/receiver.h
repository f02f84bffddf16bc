// A receiver of webhooks that costs as little as it can: one thread, epoll, kept connections, a
// fixed answer. What is measured is the sender.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <unordered_map>

namespace jobforge::bench {

class Receiver final {
public:
    Receiver();  // on a free port of 127.0.0.1; ends the program if it cannot
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;
    ~Receiver();

    [[nodiscard]] std::string url() const;
    [[nodiscard]] std::int64_t requests() const noexcept { return requests_.load(); }
    [[nodiscard]] std::int64_t connections() const noexcept { return connections_.load(); }
    [[nodiscard]] double cpu_seconds() const;

private:
    void serve();
    void take_connections();
    void take_bytes(int fd);

    int listener_ = -1;
    int epoll_ = -1;
    int stop_ = -1;  // an eventfd
    std::atomic<std::int64_t> requests_{0};
    std::atomic<std::int64_t> connections_{0};
    std::unordered_map<int, std::string> open_;  // what was read of the next request
    std::thread thread_;
};

}  // namespace jobforge::bench
