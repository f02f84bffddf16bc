// A real RabbitMQ broker of the test's own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "temp_dir.h"

namespace jobforge::test {

// rabbitmq-server on free ports of 127.0.0.1, with its own data, node name, cookie and epmd in a
// temporary directory: it meets neither the machine's broker nor another test's. As root it runs as
// the user rabbitmq. All its processes end with the object, and by the kernel if the test dies.
// Aborts with the broker's output if it does not come up: nothing is skipped.
class RabbitServer final {
public:
    RabbitServer();
    RabbitServer(const RabbitServer&) = delete;
    RabbitServer& operator=(const RabbitServer&) = delete;
    ~RabbitServer();

    // Returns once it takes AMQP connections. The same ports and data each time.
    void start();
    // Ends it cleanly (connections are closed with a reason).
    void stop();
    // SIGSTOP and SIGCONT: connections stand, and nobody answers. stop() resumes first.
    void pause();
    void resume();
    // Runs `rabbitmqctl arguments...` on it; aborts unless it succeeds.
    void control(std::vector<std::string> arguments);

    [[nodiscard]] int port() const noexcept { return port_; }
    // amqp://guest:guest@127.0.0.1:port/
    [[nodiscard]] std::string url() const;

private:
    [[nodiscard]] pid_t spawn(std::vector<std::string> arguments, const std::string& output) const;
    [[nodiscard]] std::vector<std::string> environment() const;
    [[nodiscard]] bool answers() const;
    void signal_machine(int signal) const;

    TempDir directory_;
    int port_;
    int distribution_port_;
    int epmd_port_;
    pid_t epmd_ = -1;
    pid_t server_ = -1;
};

}  // namespace jobforge::test
