#include "rabbit_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "child_process.h"
#include "localpg/process.h"
#include "wait_until.h"

namespace jobforge::test {

namespace {

// Erlang takes 6 s to boot on an idle machine, and more when all the other tests run too.
constexpr std::chrono::seconds kBoot{90};
constexpr std::chrono::seconds kShutdown{30};
constexpr char kBin[] = "/usr/lib/rabbitmq/bin/";

[[noreturn]] void give_up(const std::string& what, const std::string& output_file = "") {
    std::stringstream output;
    output << std::ifstream(output_file).rdbuf();
    std::fprintf(stderr, "test support: %s\n%s\n", what.c_str(), output.str().c_str());
    std::abort();
}

std::optional<pg::SystemUser> broker_user() {
    if (::geteuid() != 0) {
        return std::nullopt;
    }
    passwd entry{};
    passwd* found = nullptr;
    char buffer[4096];
    if (::getpwnam_r("rabbitmq", &entry, buffer, sizeof buffer, &found) != 0 || found == nullptr) {
        give_up("there is no user rabbitmq");
    }
    return pg::SystemUser{"rabbitmq", entry.pw_uid, entry.pw_gid};
}

void write_file(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
}

void end_process(pid_t& pid, int signal) {
    if (pid < 0) {
        return;
    }
    ::kill(pid, signal);
    if (!pg::wait_for_exit(pid, kShutdown)) {
        ::kill(-pid, SIGKILL);  // its own session: the shell and the Erlang machine below it
        (void)pg::wait_for_exit(pid, kShutdown);
    }
    pid = -1;
}

}  // namespace

RabbitServer::RabbitServer()
    : port_(free_port()), distribution_port_(free_port()), epmd_port_(free_port()) {
    const std::string& home = directory_.path();
    write_file(home + "/rabbitmq.conf", fmt::format("listeners.tcp.1 = 127.0.0.1:{}\n", port_));
    write_file(home + "/env.conf", "");
    write_file(home + "/plugins", "[].\n");
    const auto user = broker_user();
    if (user && ::chown(home.c_str(), user->uid, user->gid) != 0) {
        give_up("cannot hand the directory to the user rabbitmq");
    }
    epmd_ = spawn({"epmd", "-port", std::to_string(epmd_port_), "-address", "127.0.0.1"},
                  home + "/epmd.out");
    start();
}

RabbitServer::~RabbitServer() {
    stop();
    end_process(epmd_, SIGTERM);
}

void RabbitServer::start() {
    const std::string output = directory_.path() + "/server.out";
    server_ = spawn({std::string(kBin) + "rabbitmq-server"}, output);
    const auto ended = [this] {
        return pg::wait_for_exit(server_, std::chrono::milliseconds(0)).has_value();
    };
    bool dead = false;
    const bool done = wait_until([&] { return answers() || (dead = ended()); }, kBoot);
    if (dead || !done) {
        give_up("the broker does not come up", output);
    }
}

void RabbitServer::pause() {
    signal_machine(SIGSTOP);
}

void RabbitServer::resume() {
    signal_machine(SIGCONT);
}

// server_ is the shell that waits for the Erlang machine; the pid file names the machine itself.
void RabbitServer::signal_machine(int signal) const {
    pid_t machine = -1;
    std::ifstream(directory_.path() + "/pid") >> machine;
    if (machine <= 0 || ::kill(machine, signal) != 0) {
        give_up("cannot signal the broker");
    }
}

void RabbitServer::stop() {
    if (server_ > 0) {
        resume();
    }
    end_process(server_, SIGTERM);
}

void RabbitServer::control(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), std::string(kBin) + "rabbitmqctl");
    pg::SpawnOptions options;
    options.arguments = std::move(arguments);
    options.environment = environment();
    options.user = broker_user();
    options.directory = directory_.path();
    const auto result = pg::run_program(options, kBoot);
    if (!result.ok() || result->exit_code != 0) {
        give_up("rabbitmqctl failed: " + (result.ok() ? result->text : result.error().describe()));
    }
}

std::string RabbitServer::url() const {
    return fmt::format("amqp://guest:guest@127.0.0.1:{}/", port_);
}

std::vector<std::string> RabbitServer::environment() const {
    const std::string& home = directory_.path();
    return {
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "LANG=C.UTF-8",
        "HOME=" + home,
        fmt::format("ERL_EPMD_PORT={}", epmd_port_),
        "ERL_EPMD_ADDRESS=127.0.0.1",
        fmt::format("RABBITMQ_NODENAME=jobforge-{}@localhost", port_),
        fmt::format("RABBITMQ_NODE_PORT={}", port_),
        fmt::format("RABBITMQ_DIST_PORT={}", distribution_port_),
        "RABBITMQ_CONFIG_FILE=" + home + "/rabbitmq",
        "RABBITMQ_CONF_ENV_FILE=" + home + "/env.conf",
        "RABBITMQ_ENABLED_PLUGINS_FILE=" + home + "/plugins",
        "RABBITMQ_PID_FILE=" + home + "/pid",
        "RABBITMQ_MNESIA_BASE=" + home + "/mnesia",
        "RABBITMQ_LOG_BASE=" + home + "/log",
    };
}

pid_t RabbitServer::spawn(std::vector<std::string> arguments, const std::string& output) const {
    const int fd = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    pg::SpawnOptions options;
    options.arguments = std::move(arguments);
    options.environment = environment();
    options.user = broker_user();
    options.directory = directory_.path();
    options.output_fd = fd;
    options.new_session = true;
    options.parent_death_signal = SIGTERM;
    const auto pid = pg::spawn(options);
    ::close(fd);
    if (!pid.ok()) {
        give_up(pid.error().describe());
    }
    return *pid;
}

// Sends the protocol's greeting. Any byte of an answer will do: the listener opens last of all.
bool RabbitServer::answers() const {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{5, 0};
    (void)::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    const char greeting[8] = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};
    char answer = 0;
    const bool answered =
        ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        ::send(fd, greeting, sizeof greeting, MSG_NOSIGNAL) == sizeof greeting &&
        ::recv(fd, &answer, 1, 0) == 1;
    ::close(fd);
    return answered;
}

}  // namespace jobforge::test
