#include "localpg/cluster_server.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <jobforge/try.h>

namespace jobforge::pg {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kOldestMajor = 14;  // what the SQL is written and tested for
constexpr std::chrono::seconds kInitdbLimit{120};
constexpr std::chrono::seconds kVersionLimit{10};
constexpr std::size_t kLogTailBytes = 2000;

std::vector<std::string> server_environment() {
    const char* path = std::getenv("PATH");
    return {fmt::format("PATH={}", path == nullptr ? "/usr/bin:/bin" : path), "LC_ALL=C", "TZ=UTC",
            // glibc: a session keeps up to 16 MiB of what it freed (see core/keep_memory.h). The
            // server took 6 % less time for a passport.
            "MALLOC_MMAP_THRESHOLD_=4194304", "MALLOC_TRIM_THRESHOLD_=16777216",
            "MALLOC_TOP_PAD_=1048576"};
}

bool is_program(const std::string& path) {
    return ::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path);
}

void add_versions_below(std::vector<std::string>& found, const std::string& parent,
                        std::string_view prefix) {
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(parent, code)) {
        if (entry.path().filename().string().starts_with(prefix)) {
            found.push_back(entry.path().string() + "/bin");
        }
    }
}

std::vector<std::string> candidate_dirs(const ClusterOptions& options) {
    if (!options.bin_dir.empty()) {
        return {options.bin_dir};
    }
    std::vector<std::string> found;
    SpawnOptions pg_config;
    pg_config.arguments = {"pg_config", "--bindir"};
    pg_config.environment = server_environment();
    if (auto output = run_program(pg_config, kVersionLimit);
        output.ok() && output->exit_code == 0) {
        found.push_back(output->text.substr(0, output->text.find('\n')));
    }
    add_versions_below(found, "/usr/lib/postgresql", "");
    add_versions_below(found, "/usr", "pgsql-");
    const char* path = std::getenv("PATH");
    std::string_view rest = path == nullptr ? "" : path;
    while (!rest.empty()) {
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        found.emplace_back(rest.substr(0, colon));
        rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
    return found;
}

// "postgres (PostgreSQL) 15.10 (Debian 15.10-0+deb12u1)" -> 15.10
std::optional<ServerBinaries> inspect(const std::string& bin_dir) {
    if (!is_program(bin_dir + "/postgres") || !is_program(bin_dir + "/initdb")) {
        return std::nullopt;
    }
    SpawnOptions options;
    options.arguments = {bin_dir + "/postgres", "--version"};
    options.environment = server_environment();
    const auto output = run_program(options, kVersionLimit);
    if (!output.ok() || output->exit_code != 0) {
        return std::nullopt;
    }
    const std::string& text = output->text;
    const std::size_t begin = text.find_first_of("0123456789");
    if (begin == std::string::npos) {
        return std::nullopt;
    }
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    ServerBinaries binaries{bin_dir, text.substr(begin, end - begin), 0};
    std::from_chars(text.data() + begin, text.data() + end, binaries.major);
    return binaries;
}

Error permanent(ErrorCode code, std::string message, std::string hint) {
    Error error = Error::of(code, std::move(message));
    error.retryable = false;
    error.hint = std::move(hint);
    return error;
}

Error other_major(const ClusterHome& home, int cluster_major, const ServerBinaries& newest) {
    return permanent(
        ErrorCode::INVALID_TRANSITION,
        fmt::format("the cluster in {} was made by Postgres {}, but only Postgres {} is installed",
                    home.pgdata(), cluster_major, newest.version),
        fmt::format("install Postgres {0} to go on as before; or convert the directory with "
                    "pg_upgrade (needs both versions); or dump it with pg_dumpall of version {0} "
                    "and restore into a new data directory",
                    cluster_major));
}

std::uint64_t memory_bytes() {
    auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                 static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    // "max" (no limit) does not parse and leaves the machine's memory.
    const std::string limit = read_file_or_empty("/sys/fs/cgroup/memory.max");
    std::uint64_t cgroup = 0;
    const auto parsed = std::from_chars(limit.data(), limit.data() + limit.size(), cgroup);
    if (parsed.ec == std::errc() && cgroup > 0) {
        bytes = std::min(bytes, cgroup);
    }
    return bytes;
}

std::string setting_literal(std::string_view value) {
    std::string result = "'";
    for (const char c : value) {
        result += c == '\'' ? "''" : std::string(1, c);
    }
    return result + "'";
}

std::string configuration(const ClusterOptions& options, const std::string& socket_dir) {
    constexpr std::uint64_t kMegabyte = 1024UL * 1024;
    const auto buffers_mb = std::clamp<std::uint64_t>(memory_bytes() / 8 / kMegabyte, 32, 1024);
    std::vector<std::pair<std::string, std::string>> settings = {
        {"listen_addresses", options.tcp ? "127.0.0.1" : ""},
        {"port", std::to_string(options.port)},
        {"unix_socket_directories", socket_dir},
        {"unix_socket_permissions", "0700"},
        {"cluster_name", "jobforge"},
        {"max_connections", "200"},
        // Durability: what was acknowledged survives a power cut.
        {"fsync", "on"},
        {"synchronous_commit", "on"},
        {"full_page_writes", "on"},
        {"shared_buffers", fmt::format("{}MB", buffers_mb)},
        {"max_wal_size", "2GB"},
        {"min_wal_size", "256MB"},
        {"wal_compression", "lz4"},
        // A queue makes dead rows all day: look often, and do not sleep long between pages.
        {"autovacuum_naptime", "10s"},
        {"autovacuum_vacuum_cost_limit", "2000"},
        {"autovacuum_vacuum_scale_factor", "0.05"},
        {"autovacuum_analyze_scale_factor", "0.05"},
        // Short statements never win back what just-in-time compilation costs.
        {"jit", "off"},
        {"random_page_cost", "1.1"},
        {"track_io_timing", "on"},
        {"password_encryption", "scram-sha-256"},
        {"timezone", "UTC"},
        {"log_timezone", "UTC"},
        {"lc_messages", "C"},
        {"logging_collector", "off"},
        {"log_destination", "stderr"},
        {"log_line_prefix", "%m [%p] "},
    };
    settings.insert(settings.end(), options.settings.begin(), options.settings.end());
    std::string text = "# Rewritten at every start. Put your own settings into custom.conf.\n";
    for (const auto& [name, value] : settings) {
        text += fmt::format("{} = {}\n", name, setting_literal(value));
    }
    return text;
}

void sync_directory(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        ::fsync(fd);
        ::close(fd);
    }
}

// A postmaster works in its data directory; a dead or foreign process with its pid does not.
bool is_postmaster_of(pid_t pid, const ClusterHome& home) {
    std::error_code code;
    const fs::path cwd = fs::read_symlink(fmt::format("/proc/{}/cwd", pid), code);
    return !code && cwd == fs::path(home.pgdata());
}

// It is not a child of ours, so it cannot be waited for: look until it is gone.
bool gone_within(pid_t pid, const ClusterHome& home, std::chrono::milliseconds limit) {
    const auto deadline = Clock::now() + limit;
    while (is_postmaster_of(pid, home)) {
        if (Clock::now() > deadline) {
            return false;
        }
        ::usleep(20'000);
    }
    return true;
}

}  // namespace

Result<ServerBinaries> find_binaries(const ClusterOptions& options, const ClusterHome& home) {
    const std::optional<int> wanted = home.major_version();
    std::optional<ServerBinaries> newest;
    std::vector<std::string> seen;
    for (const std::string& dir : candidate_dirs(options)) {
        if (std::find(seen.begin(), seen.end(), dir) != seen.end()) {
            continue;
        }
        seen.push_back(dir);
        auto found = inspect(dir);
        if (!found) {
            continue;
        }
        if (wanted == found->major) {
            return *found;
        }
        if (!newest || found->major > newest->major) {
            newest = found;
        }
    }
    if (!newest) {
        return permanent(ErrorCode::CONFIG_MISSING, "no Postgres server is installed",
                         "install one (Debian: apt install postgresql), or set DATABASE_URL");
    }
    if (wanted) {
        return other_major(home, *wanted, *newest);
    }
    if (newest->major < kOldestMajor) {
        return permanent(ErrorCode::CONFIG_MISSING,
                         fmt::format("Postgres {} is too old", newest->version),
                         fmt::format("install Postgres {} or newer", kOldestMajor));
    }
    return *newest;
}

Status create_cluster(const ServerBinaries& binaries, const ClusterHome& home) {
    std::error_code code;
    fs::remove_all(home.unfinished_pgdata(), code);
    SpawnOptions options;
    options.arguments = {binaries.bin_dir + "/initdb",
                         "--pgdata=" + home.unfinished_pgdata(),
                         "--encoding=UTF8",
                         "--locale=C",
                         "--data-checksums",
                         "--auth=trust",
                         "--username=postgres",
                         "--no-instructions"};
    options.environment = server_environment();
    options.user = home.server_user;
    options.directory = home.home;
    options.parent_death_signal = SIGKILL;
    JOBFORGE_TRY(const auto output, run_program(options, kInitdbLimit));
    if (output.exit_code != 0) {
        return permanent(ErrorCode::INTERNAL_ERROR, fmt::format("initdb failed: {}", output.text),
                         "");
    }
    std::ofstream file(home.unfinished_pgdata() + "/postgresql.conf", std::ios::app);
    file << "\ninclude 'jobforge.conf'\ninclude_if_exists 'custom.conf'\n";
    file.close();
    if (!file) {
        return permanent(ErrorCode::INTERNAL_ERROR, "cannot write postgresql.conf", "");
    }
    fs::remove(home.pgdata(), code);  // an empty directory; anything else was refused before
    fs::rename(home.unfinished_pgdata(), home.pgdata(), code);
    sync_directory(home.home);  // or a power cut could take the whole cluster back
    if (code) {
        return permanent(ErrorCode::INTERNAL_ERROR,
                         fmt::format("cannot create {}: {}", home.pgdata(), code.message()), "");
    }
    return ok_status();
}

Status configure_server(const ClusterOptions& options, const ClusterHome& home,
                        const std::string& socket_dir) {
    JOBFORGE_TRY(write_file_atomically(home.pgdata() + "/jobforge.conf",
                                       configuration(options, socket_dir), 0600, home.server_user));
    std::string hba =
        "# Rewritten at every start. The socket's directory is the door.\n"
        "local all all trust\n";
    if (options.tcp) {
        hba += "host all all 127.0.0.1/32 scram-sha-256\n";
    }
    return write_file_atomically(home.pgdata() + "/pg_hba.conf", hba, 0600, home.server_user);
}

Status stop_survivor(const ClusterHome& home, std::chrono::milliseconds limit) {
    const std::string pid_file = home.pgdata() + "/postmaster.pid";
    const std::string text = read_file_or_empty(pid_file);
    pid_t pid = 0;
    std::from_chars(text.data(), text.data() + text.size(), pid);
    if (pid <= 0 || (::kill(pid, 0) != 0 && errno == ESRCH)) {
        return ok_status();  // Postgres itself clears a pid file whose process is gone
    }
    if (!is_postmaster_of(pid, home)) {
        ::unlink(pid_file.c_str());
        return ok_status();
    }
    for (const int signal : {SIGINT, SIGQUIT}) {
        ::kill(pid, signal);
        if (gone_within(pid, home, limit)) {
            return ok_status();
        }
    }
    return permanent(
        ErrorCode::INVALID_TRANSITION,
        fmt::format("an earlier Postgres (pid {}) in {} does not stop", pid, home.pgdata()),
        fmt::format("stop it with `kill -QUIT {}`", pid));
}

SpawnOptions postmaster_command(const ServerBinaries& binaries, const ClusterHome& home) {
    SpawnOptions options;
    options.arguments = {binaries.bin_dir + "/postgres", "-D", home.pgdata()};
    options.environment = server_environment();
    options.user = home.server_user;
    options.directory = home.home;
    return options;
}

std::string log_tail(const ClusterHome& home) {
    const std::string log = read_file_or_empty(home.log_file());
    return log.size() <= kLogTailBytes ? log : log.substr(log.size() - kLogTailBytes);
}

}  // namespace jobforge::pg
