#include "child_process.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>

#include "localpg/process.h"

extern char** environ;

namespace jobforge::test {

// A pipe's reading end and the thread that empties it.
struct ChildProcess::Stream {
    Stream() {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) {
            std::abort();
        }
        read_end = ends[0];
        write_end = ends[1];
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() {
        join();
        ::close(read_end);
    }

    // Only after the child has its copy: the end of the file needs all writers closed.
    void start_reading() {
        ::close(write_end);
        reader = std::thread([this] {
            char buffer[4096];
            ssize_t count = 0;
            while ((count = ::read(read_end, buffer, sizeof buffer)) > 0) {
                const std::lock_guard guard(mutex);
                text.append(buffer, static_cast<std::size_t>(count));
            }
        });
    }
    void join() {
        if (reader.joinable()) {
            reader.join();
        }
    }
    [[nodiscard]] std::string copy() {
        const std::lock_guard guard(mutex);
        return text;
    }

    int read_end = -1;
    int write_end = -1;
    std::mutex mutex;
    std::string text;
    std::thread reader;
};

namespace {

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& changes) {
    std::map<std::string, std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const std::size_t sign = text.find('=');
        if (sign != std::string::npos) {
            all[text.substr(0, sign)] = text.substr(sign + 1);
        }
    }
    for (const auto& [name, value] : changes) {
        all[name] = value;
    }
    std::vector<std::string> result;
    for (const auto& [name, value] : all) {
        if (!value.empty()) {
            result.push_back(name + "=" + value);
        }
    }
    return result;
}

int exit_code_of(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> arguments,
                           std::map<std::string, std::string> environment)
    : output_(std::make_unique<Stream>()), error_(std::make_unique<Stream>()) {
    pg::SpawnOptions options;
    options.arguments = std::move(arguments);
    options.environment = merged_environment(environment);
    options.output_fd = output_->write_end;
    options.error_fd = error_->write_end;
    options.parent_death_signal = SIGKILL;
    const auto pid = pg::spawn(options);
    if (!pid.ok()) {
        std::fprintf(stderr, "test support: %s\n", pid.error().describe().c_str());
        std::abort();
    }
    pid_ = *pid;
    output_->start_reading();
    error_->start_reading();
}

ChildProcess::~ChildProcess() {
    if (running()) {
        ::kill(pid_, SIGKILL);
        ::kill(pid_, SIGCONT);
        (void)wait();
    }
}

bool ChildProcess::running() {
    return !wait(std::chrono::milliseconds(0)).has_value();
}

void ChildProcess::send_signal(int signal) {
    if (!exit_code_) {
        ::kill(pid_, signal);
    }
}

std::optional<int> ChildProcess::wait(std::chrono::milliseconds limit) {
    if (!exit_code_) {
        if (const auto status = pg::wait_for_exit(pid_, limit)) {
            exit_code_ = exit_code_of(*status);
            output_->join();
            error_->join();
        }
    }
    return exit_code_;
}

std::string ChildProcess::output() const {
    return output_->copy();
}

std::string ChildProcess::error_output() const {
    return error_->copy();
}

bool ChildProcess::wait_for_output(std::string_view text, std::chrono::milliseconds limit) {
    const auto seen = [&] {
        return output().find(text) != std::string::npos ||
               error_output().find(text) != std::string::npos;
    };
    return wait_until([&] { return seen() || !running(); }, limit) && seen();
}

Finished run(std::vector<std::string> arguments, std::map<std::string, std::string> environment,
             std::chrono::milliseconds limit) {
    ChildProcess child(std::move(arguments), std::move(environment));
    const auto code = child.wait(limit);
    return Finished{code.value_or(-1), child.output(), child.error_output()};
}

namespace {

bool is_free(int port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool bound =
        fd >= 0 && ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    return bound;
}

}  // namespace

int free_port() {
    // Below the ports that the system gives to outgoing connections: one of those may be taken by
    // any program between this look and the server's start (a broker did not boot for that).
    constexpr int kLowest = 15000;
    constexpr int kHighest = 32000;
    static std::mt19937 draw{std::random_device()()};
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    std::uniform_int_distribution<int> ports(kLowest, kHighest);
    for (int tries = 0; tries < 1000; ++tries) {
        if (const int port = ports(draw); is_free(port)) {
            return port;
        }
    }
    std::fprintf(stderr, "no free port\n");
    std::abort();
}

}  // namespace jobforge::test
