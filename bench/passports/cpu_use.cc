#include "cpu_use.h"

#include <sys/resource.h>

#include <fstream>
#include <string>
#include <vector>

#include "bench_world.h"

namespace jobforge::bench {

namespace {

double program_now() {
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(use.ru_utime) + seconds(use.ru_stime);
}

struct ServerProcess {
    int pid = 0;
    std::string name;
    double seconds = 0;
};

// /proc/PID/schedstat begins with the nanoseconds on a processor. None: the server's processes are
// not here, or other ones have their numbers.
std::vector<ServerProcess> server_now(pg::Connection& watcher) {
    const auto rows = watcher.exec(
        {"server_processes",
         "select pid, coalesce(nullif(application_name, ''), backend_type) from pg_stat_activity"});
    if (!rows.ok()) {
        die(rows.error().describe());
    }
    std::vector<ServerProcess> processes;
    for (int row = 0; row < rows->size(); ++row) {
        const int pid = static_cast<int>(rows->integer(row, 0));
        const std::string home = "/proc/" + std::to_string(pid);
        std::string name;
        double nanoseconds = 0;
        if (std::ifstream(home + "/comm") >> name && name == "postgres" &&
            std::ifstream(home + "/schedstat") >> nanoseconds) {
            processes.push_back({pid, std::string(rows->text(row, 1)), nanoseconds / 1e9});
        }
    }
    return processes;
}

}  // namespace

CpuUse::CpuUse(pg::Connection& watcher) : watcher_(watcher), program_begun_(program_now()) {
    for (const ServerProcess& process : server_now(watcher)) {
        server_begun_[process.pid] = process.seconds;
    }
}

double CpuUse::program_seconds() const {
    return program_now() - program_begun_;
}

std::map<std::string, double> CpuUse::server_seconds() const {
    std::map<std::string, double> seconds;
    if (server_begun_.empty()) {
        return seconds;
    }
    for (const ServerProcess& process : server_now(watcher_)) {
        const auto begun = server_begun_.find(process.pid);
        seconds[process.name] +=
            process.seconds - (begun == server_begun_.end() ? 0 : begun->second);
    }
    return seconds;
}

}  // namespace jobforge::bench
