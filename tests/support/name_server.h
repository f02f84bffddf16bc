// A name server on a real socket of this machine, and look-ups that ask it: names that hang.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace jobforge::test {

// Any thread.
class NameServer final {
public:
    // Every name has the address 127.0.0.1, but those below `silent`: no query for such a name gets
    // an answer before the server is destroyed. Aborts if it has no socket.
    explicit NameServer(std::string silent);
    NameServer(const NameServer&) = delete;
    NameServer& operator=(const NameServer&) = delete;
    // Answers what hangs with a failure.
    ~NameServer();

    // Queries that hang, and those that were answered.
    [[nodiscard]] int hanging() const noexcept { return hanging_.load(); }
    [[nodiscard]] int answered() const noexcept { return answered_.load(); }

    // Asks this server over UDP, once, and waits for two minutes.
    // The addresses as text; none: it failed. It may be called when the server is gone.
    using LookUp = std::function<std::vector<std::string>(const std::string& host)>;
    [[nodiscard]] LookUp look_up() const;

private:
    void serve();

    const std::string silent_;
    int socket_ = -1;
    int port_ = 0;
    std::atomic<int> hanging_{0};
    std::atomic<int> answered_{0};
    // Only the thread: sender's address and the query.
    std::vector<std::pair<std::string, std::string>> waiting_;
    std::thread thread_;
};

}  // namespace jobforge::test
