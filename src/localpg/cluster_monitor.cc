#include "localpg/cluster_monitor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>

#include "pg/connection.h"

namespace jobforge::pg {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{5000};
constexpr milliseconds kStable{30'000};  // a life this long resets the pause
constexpr milliseconds kReadyPoll{20};
constexpr milliseconds kQuitLimit{5000};  // for SIGQUIT, before SIGKILL
constexpr milliseconds kNoPidfdPoll{100};
constexpr off_t kLogRotateBytes = 10L * 1024 * 1024;

int open_log(const ClusterHome& home) {
    const std::string path = home.log_file();
    struct stat info{};
    if (::stat(path.c_str(), &info) == 0 && info.st_size > kLogRotateBytes) {
        (void)std::rename(path.c_str(), (path + ".1").c_str());
    }
    const int fd =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 && home.server_user) {
        (void)!::fchown(fd, home.server_user->uid, home.server_user->gid);
    }
    return fd;
}

bool accepts_connections(const std::string& url) {
    ConnectOptions options;
    options.url = url;
    options.connect_timeout = milliseconds(2000);
    return Connection::connect(options).ok();
}

std::string describe_end(int status) {
    if (WIFSIGNALED(status)) {
        return fmt::format("was killed by signal {}", WTERMSIG(status));
    }
    return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace

PrivateCluster::Monitor::Monitor(ClusterPlan plan, SupervisorLock lock)
    : plan_(std::move(plan)),
      lock_(std::move(lock)),
      stop_event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

PrivateCluster::Monitor::~Monitor() {
    stop();
    ::close(stop_event_);
}

Status PrivateCluster::Monitor::start() {
    thread_ = std::thread([this] { run(); });
    const std::string url = plan_.address.url("postgres", "postgres");
    const auto deadline = Clock::now() + plan_.options.start_timeout;
    while (!accepts_connections(url)) {
        const bool ended = deaths_.load() > 0;
        if (ended || Clock::now() > deadline) {
            stop();
            Error error = Error::of(
                ErrorCode::DB_UNAVAILABLE,
                fmt::format("Postgres {}; the end of {}:\n{}",
                            ended ? "ended while it was starting" : "did not start in time",
                            plan_.home.log_file(), log_tail(plan_.home)));
            error.retryable = false;
            return error;
        }
        std::this_thread::sleep_for(kReadyPoll);
    }
    return ok_status();
}

void PrivateCluster::Monitor::stop() {
    const std::lock_guard guard(stop_mutex_);
    if (!thread_.joinable()) {
        return;
    }
    stopping_ = true;
    const std::uint64_t one = 1;
    (void)!::write(stop_event_, &one, sizeof one);
    thread_.join();
    plan_.home.remove_address();
    if (!plan_.address.socket_dir.starts_with(plan_.home.home)) {
        ::rmdir(plan_.address.socket_dir.c_str());  // the short one below /tmp
    }
    lock_.reset();
}

void PrivateCluster::Monitor::signal_postmaster(int signal) {
    const std::lock_guard guard(mutex_);
    if (pid_ > 0) {
        ::kill(pid_, signal);
    }
}

ClusterStatus PrivateCluster::Monitor::status() const {
    ClusterStatus status;
    {
        const std::lock_guard guard(mutex_);
        status.postmaster_pid = pid_;
    }
    status.restarts = std::max(0, lives_.load() - 1);
    status.version = plan_.binaries.version;
    status.socket_dir = plan_.address.socket_dir;
    status.port = plan_.address.port;
    status.accepting =
        status.postmaster_pid > 0 && accepts_connections(plan_.address.url("postgres", "postgres"));
    return status;
}

void PrivateCluster::Monitor::run() {
    milliseconds next_pause = kFirstPause;
    while (!stopping_) {
        const auto born = Clock::now();
        run_once();
        if (stopping_) {
            return;
        }
        next_pause = Clock::now() - born > kStable ? kFirstPause : next_pause;
        pause(next_pause);
        next_pause = std::min(next_pause * 2, kLongestPause);
    }
}

void PrivateCluster::Monitor::run_once() {
    const auto pid = launch();
    if (!pid.ok()) {
        ++deaths_;
        report(ClusterEvent::Kind::restart_failed, pid.error().describe());
        return;
    }
    if (++lives_ > 1) {
        report(ClusterEvent::Kind::restarted,
               fmt::format("the private Postgres was started again (pid {})", *pid));
    }
    wait_for_end(*pid);
}

// The thread must be the one that lives as long as the server: the kernel sends the parent-death
// signal when the thread that forked ends, not when the process does.
Result<pid_t> PrivateCluster::Monitor::launch() {
    SpawnOptions command = postmaster_command(plan_.binaries, plan_.home);
    command.output_fd = open_log(plan_.home);
    command.new_session = true;
    command.parent_death_signal = SIGINT;
    auto pid = spawn(command);
    if (command.output_fd >= 0) {
        ::close(command.output_fd);
    }
    if (!pid.ok()) {
        return pid;
    }
    {
        const std::lock_guard guard(mutex_);
        pid_ = *pid;
    }
    ClusterAddress address = plan_.address;
    address.postmaster_pid = *pid;
    if (auto written = plan_.home.write_address(address); !written.ok()) {
        report(ClusterEvent::Kind::restart_failed, written.error().describe());
    }
    return pid;
}

void PrivateCluster::Monitor::wait_for_end(pid_t pid) {
    const int pidfd = open_pidfd(pid);
    std::optional<int> ended;
    while (!ended && !stopping_) {
        pollfd entries[2] = {{pidfd, POLLIN, 0}, {stop_event_, POLLIN, 0}};
        ::poll(entries, 2, pidfd >= 0 ? -1 : static_cast<int>(kNoPidfdPoll.count()));
        const std::lock_guard guard(mutex_);
        ended = wait_for_exit(pid, milliseconds(0));
        if (ended) {
            pid_ = 0;
        }
    }
    if (pidfd >= 0) {
        ::close(pidfd);
    }
    if (!ended) {
        shut_down(pid);
        return;
    }
    ++deaths_;
    report(ClusterEvent::Kind::crashed,
           fmt::format("the private Postgres (pid {}) {}", pid, describe_end(*ended)));
}

void PrivateCluster::Monitor::shut_down(pid_t pid) {
    {
        const std::lock_guard guard(mutex_);
        pid_ = 0;
    }
    const std::pair<int, milliseconds> steps[] = {
        {SIGINT, plan_.options.stop_timeout}, {SIGQUIT, kQuitLimit}, {SIGKILL, kQuitLimit}};
    for (const auto& [signal, limit] : steps) {
        ::kill(pid, signal);
        if (wait_for_exit(pid, limit)) {
            return;
        }
    }
}

void PrivateCluster::Monitor::pause(milliseconds time) {
    pollfd entry{stop_event_, POLLIN, 0};
    ::poll(&entry, 1, static_cast<int>(time.count()));
}

void PrivateCluster::Monitor::report(ClusterEvent::Kind kind, std::string message) const {
    if (plan_.options.on_event && !stopping_) {
        plan_.options.on_event(ClusterEvent{kind, std::move(message)});
    }
}

}  // namespace jobforge::pg
