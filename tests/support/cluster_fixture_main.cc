// The ctest fixture: `start DIR` leaves a cluster running in the background, `stop DIR` ends it.
// `run DIR` supervises one in the foreground until SIGTERM and keeps the directory.
//
// The background process also ends when ctest does (it watches ctest's pid), so that an interrupted
// run leaves neither a server nor a directory. Exit code 0 of `start` means that the server accepts
// connections. `stop` returns when the server has ended; the background process removes the files
// after that, because removing half a million of them took over four minutes on a loaded machine
// and failed a run whose tests had all passed. While it runs, it drops the databases of tests that
// have ended.
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "localpg/cluster.h"
#include "localpg/cluster_home.h"
#include "localpg/process.h"
#include "test_cluster.h"
#include "wait_until.h"

namespace {

namespace fs = std::filesystem;
using jobforge::pg::PrivateCluster;
using jobforge::pg::SupervisorLock;

jobforge::pg::ClusterOptions in_directory(const std::string& dir) {
    jobforge::pg::ClusterOptions options;
    options.data_dir = dir;
    return options;
}

// The cluster of a whole run has a thousand databases, on a disk a hundred at once (drop_finished),
// and is then removed.
jobforge::pg::ClusterOptions of_a_run(const std::string& dir) {
    auto options = in_directory(dir);
    options.settings = {
        // The launcher starts a process for each database in this time, at work in it or not.
        {"autovacuum_naptime", "10min"},
        // Half a thousand files of each database would be written out for nobody.
        {"checkpoint_timeout", "1h"},
        {"max_wal_size", "4GB"},
    };
    // No last checkpoint for data that is about to be deleted.
    options.stop_timeout = std::chrono::milliseconds(0);
    return options;
}

// ctest waits for its pipes to close: lets go of them.
void detach() {
    ::setsid();
    const int null_fd = ::open("/dev/null", O_RDWR);
    ::dup2(null_fd, 0);
    ::dup2(null_fd, 1);
    ::dup2(null_fd, 2);
}

// Runs until SIGTERM or the end of `watched`. Reports "ok" or the error through `report_fd`.
int supervise(const jobforge::pg::ClusterOptions& options, pid_t watched, int report_fd) {
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &term, nullptr);
    auto cluster = PrivateCluster::start(options);
    const std::string report =
        cluster.ok() ? "ok" : cluster.error().describe() + " " + cluster.error().hint;
    (void)!::write(report_fd, report.data(), report.size());
    ::close(report_fd);
    if (!cluster.ok()) {
        return 1;
    }
    const timespec moment{2, 0};
    while (::sigtimedwait(&term, nullptr, &moment) != SIGTERM && ::kill(watched, 0) == 0) {
        (void)jobforge::test::drop_finished((*cluster)->admin_url());
    }
    (*cluster)->stop();
    return 0;
}

// Takes the directory out of the way in one step, then deletes it, however long that takes.
void remove_directory(const fs::path& dir) {
    std::error_code code;
    const fs::path doomed = dir.string() + fmt::format(".removed-{}", ::getpid());
    fs::rename(dir, doomed, code);
    fs::remove_all(doomed, code);
}

// Deletes, in a process of its own, what a run that was killed during its removal has left.
void sweep_removed(const fs::path& dir) {
    const std::string prefix = dir.filename().string() + ".removed-";
    std::error_code code;
    std::vector<fs::path> left;
    for (const auto& entry : fs::directory_iterator(dir.parent_path(), code)) {
        const std::string name = entry.path().filename().string();
        const pid_t remover =
            name.starts_with(prefix) ? std::atoi(name.c_str() + prefix.size()) : ::getpid();
        if (remover == 0 || ::kill(remover, 0) != 0) {
            left.push_back(entry.path());
        }
    }
    if (left.empty() || ::fork() != 0) {
        return;
    }
    detach();
    for (const fs::path& path : left) {
        fs::remove_all(path, code);
    }
    ::_exit(0);
}

int start(const std::string& dir) {
    // The cluster of a run that was interrupted a moment ago ends by itself.
    (void)jobforge::test::wait_until([&] { return !SupervisorLock::holder(dir); },
                                     std::chrono::seconds(60));
    if (const auto pid = SupervisorLock::holder(dir)) {
        std::fprintf(stderr, "%s is in use by pid %d\n", dir.c_str(), *pid);
        return 1;
    }
    std::error_code code;
    fs::rename(dir, fmt::format("{}.removed-0-{}", dir, ::time(nullptr)), code);  // if it is there
    sweep_removed(dir);
    const pid_t ctest = ::getppid();
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        return 1;
    }
    if (::fork() == 0) {
        detach();
        ::close(ends[0]);
        const int result = supervise(of_a_run(dir), ctest, ends[1]);
        remove_directory(dir);
        ::_exit(result);
    }
    ::close(ends[1]);
    std::string report;
    char buffer[4096];
    ssize_t count = 0;
    while ((count = ::read(ends[0], buffer, sizeof buffer)) > 0) {
        report.append(buffer, static_cast<std::size_t>(count));
    }
    std::printf("%s\n", report.c_str());
    return report == "ok" ? 0 : 1;
}

// Never fails the run: every test has ended by now. A server that does not end is reported.
int stop(const std::string& dir) {
    const auto pid = SupervisorLock::holder(dir);
    if (!pid) {
        return 0;
    }
    ::kill(*pid, SIGTERM);
    if (!jobforge::test::wait_until([&] { return !fs::exists(dir); }, std::chrono::minutes(2))) {
        std::printf("pid %d has not ended its server in %s yet\n", *pid, dir.c_str());
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string verb = argc == 3 ? argv[1] : "";
    if (verb == "start") {
        return start(argv[2]);
    }
    if (verb == "stop") {
        return stop(argv[2]);
    }
    if (verb == "run") {
        return supervise(in_directory(argv[2]), ::getppid(), ::dup(1));
    }
    std::fprintf(stderr, "usage: %s start|stop|run DIR\n", argv[0]);
    return 2;
}
