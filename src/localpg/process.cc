#include "localpg/process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <system_error>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <jobforge/try.h>

namespace jobforge::pg {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kExitPollStep{20};

std::vector<char*> pointers(const std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (const std::string& text : strings) {
        result.push_back(const_cast<char*>(text.c_str()));
    }
    result.push_back(nullptr);
    return result;
}

// Everything the child needs, made before fork: after it, memory may not be allocated.
struct ChildPlan {
    std::vector<char*> arguments;
    std::vector<char*> environment;
    const SpawnOptions* options;
    int null_fd;
    int report_fd;  // close-on-exec: errno goes here if something fails
    pid_t parent;
};

[[noreturn]] void give_up(int report_fd) noexcept {
    const int code = errno;
    (void)!::write(report_fd, &code, sizeof code);
    ::_exit(127);
}

void reset_signals() noexcept {
    for (int signal = 1; signal < NSIG; ++signal) {
        ::signal(signal, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

// Raw system calls: glibc's setuid would try to reach the other threads, which are not here.
bool become(const SystemUser& user) noexcept {
    const gid_t groups[1] = {user.gid};
    return ::syscall(SYS_setgroups, 1, groups) == 0 && ::syscall(SYS_setgid, user.gid) == 0 &&
           ::syscall(SYS_setuid, user.uid) == 0;
}

[[noreturn]] void run_child(const ChildPlan& plan) noexcept {
    const SpawnOptions& options = *plan.options;
    reset_signals();
    if (options.new_session) {
        ::setsid();
    }
    const int output = options.output_fd >= 0 ? options.output_fd : plan.null_fd;
    const int error = options.error_fd >= 0 ? options.error_fd : output;
    if (::dup2(plan.null_fd, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(error, 2) < 0) {
        give_up(plan.report_fd);
    }
    // Whatever a library opened without close-on-exec: a server that inherits a listening socket
    // keeps its port busy after we are gone. Kernels before 5.11 refuse, which is harmless.
    ::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
    if (options.user && !become(*options.user)) {
        give_up(plan.report_fd);
    }
    if (options.parent_death_signal != 0) {
        // After the change of user, which clears it; then look whether the parent died before.
        ::prctl(PR_SET_PDEATHSIG, options.parent_death_signal);
        if (::getppid() != plan.parent) {
            ::_exit(127);
        }
    }
    if (::chdir(options.directory.c_str()) != 0) {
        give_up(plan.report_fd);
    }
    ::execvpe(plan.arguments[0], plan.arguments.data(), plan.environment.data());
    give_up(plan.report_fd);
}

Error system_error(std::string_view what) {
    Error error = Error::of(ErrorCode::INTERNAL_ERROR,
                            fmt::format("{}: {}", what, std::generic_category().message(errno)));
    return error;
}

int exit_code_of(int status) noexcept {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct Pipe {
    int read_end = -1;
    int write_end = -1;
    Pipe() {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) == 0) {
            read_end = ends[0];
            write_end = ends[1];
        }
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        close_write();
        if (read_end >= 0) {
            ::close(read_end);
        }
    }
    void close_write() noexcept {
        if (write_end >= 0) {
            ::close(write_end);
        }
        write_end = -1;
    }
};

// Reads until end of file or the deadline; false: the deadline passed.
bool read_all(int fd, std::string& text, Clock::time_point deadline) {
    char buffer[4096];
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) {
            return false;
        }
        pollfd entry{fd, POLLIN, 0};
        if (::poll(&entry, 1, static_cast<int>(left.count())) <= 0) {
            continue;
        }
        const ssize_t count = ::read(fd, buffer, sizeof buffer);
        if (count <= 0) {
            return true;
        }
        text.append(buffer, static_cast<std::size_t>(count));
    }
}

}  // namespace

Result<pid_t> spawn(const SpawnOptions& options) {
    Pipe report;
    const int null_fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    const ChildPlan plan{pointers(options.arguments),
                         pointers(options.environment),
                         &options,
                         null_fd,
                         report.write_end,
                         ::getpid()};
    const pid_t pid = ::fork();
    if (pid == 0) {
        run_child(plan);
    }
    ::close(null_fd);
    if (pid < 0) {
        return system_error("cannot start a process");
    }
    report.close_write();
    int code = 0;
    if (::read(report.read_end, &code, sizeof code) == sizeof code) {
        ::waitpid(pid, nullptr, 0);
        Error error = Error::of(code == ENOENT ? ErrorCode::NOT_FOUND : ErrorCode::INTERNAL_ERROR,
                                fmt::format("cannot run {}: {}", options.arguments[0],
                                            std::generic_category().message(code)));
        error.retryable = false;
        return error;
    }
    return pid;
}

Result<ProgramOutput> run_program(SpawnOptions options, std::chrono::milliseconds limit) {
    Pipe output;
    options.output_fd = output.write_end;
    options.error_fd = output.write_end;
    JOBFORGE_TRY(const auto pid, spawn(options));
    output.close_write();
    ProgramOutput result;
    const auto deadline = Clock::now() + limit;
    if (!read_all(output.read_end, result.text, deadline)) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        return Error::of(ErrorCode::TIMEOUT, fmt::format("{} took longer than {} ms",
                                                         options.arguments[0], limit.count()));
    }
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    result.exit_code = exit_code_of(status);
    return result;
}

int open_pidfd(pid_t pid) noexcept {
    return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}

std::optional<int> wait_for_exit(pid_t pid, std::chrono::milliseconds limit) {
    const auto deadline = Clock::now() + limit;
    const int pidfd = open_pidfd(pid);
    std::optional<int> result;
    while (true) {
        int status = 0;
        const pid_t reaped = ::waitpid(pid, &status, WNOHANG);
        if (reaped == pid || (reaped < 0 && errno == ECHILD)) {
            result = reaped == pid ? status : 0;
            break;
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) {
            break;
        }
        pollfd entry{pidfd, POLLIN, 0};
        ::poll(&entry, 1,
               static_cast<int>(pidfd >= 0 ? left.count() : std::min(left, kExitPollStep).count()));
    }
    if (pidfd >= 0) {
        ::close(pidfd);
    }
    return result;
}

}  // namespace jobforge::pg
