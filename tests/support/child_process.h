// A program under test: started, watched, signalled, never left behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "wait_until.h"

namespace jobforge::test {

// Runs with this process's environment plus `environment` (an empty value removes a variable).
// Output is collected by two threads, so the program never blocks on a full pipe. SIGKILLed on
// destruction if it still runs, and by the kernel if the test program dies.
class ChildProcess final {
public:
    explicit ChildProcess(std::vector<std::string> arguments,
                          std::map<std::string, std::string> environment = {});
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    ~ChildProcess();

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    [[nodiscard]] bool running();
    // SIGTERM, SIGKILL, SIGSTOP, SIGCONT ... Nothing happens once it ended.
    void send_signal(int signal);

    // The exit code (128 + signal if killed), or nullopt if it still runs after `limit`.
    [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds limit = kPatience);

    // What was written so far; complete after wait() returned a code.
    [[nodiscard]] std::string output() const;
    [[nodiscard]] std::string error_output() const;
    // True once stdout or stderr contains `text`; false after `limit` or when the program ended
    // without it.
    [[nodiscard]] bool wait_for_output(std::string_view text,
                                       std::chrono::milliseconds limit = kPatience);

private:
    struct Stream;
    pid_t pid_ = -1;
    std::optional<int> exit_code_;
    std::unique_ptr<Stream> output_;
    std::unique_ptr<Stream> error_;
};

// Nothing but a hanging program should meet this: tests under a sanitizer or for coverage run on
// busy machines.
inline constexpr std::chrono::seconds kProgramPatience{120};

// Runs a program to its end. exit_code is -1 if it did not end within `limit`.
struct Finished {
    int exit_code = -1;
    std::string output;
    std::string error_output;
};
[[nodiscard]] Finished run(std::vector<std::string> arguments,
                           std::map<std::string, std::string> environment = {},
                           std::chrono::milliseconds limit = kProgramPatience);

// A TCP port on 127.0.0.1 that was free a moment ago.
[[nodiscard]] int free_port();

}  // namespace jobforge::test
