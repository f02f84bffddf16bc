#include "localpg/cluster_home.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <system_error>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <jobforge/json.h>
#include <jobforge/try.h>

namespace jobforge::pg {

namespace fs = std::filesystem;

namespace {

// sun_path takes 108 bytes; the rest is room for "/.s.PGSQL.65535.lock".
constexpr std::size_t kLongestSocketDir = 84;
constexpr std::array<std::string_view, 8> kOurEntries = {
    "keys",         "lock",           "run",         "pgdata", "pgdata.new",
    "postgres.log", "postgres.log.1", "cluster.json"};

Error refusal(std::string message, std::string hint) {
    Error error = Error::of(ErrorCode::INVALID_TRANSITION, std::move(message));
    error.hint = std::move(hint);
    return error;
}

Error system_error(std::string_view what, const std::string& path) {
    Error error = Error::of(
        ErrorCode::INTERNAL_ERROR,
        fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(errno)));
    error.retryable = false;
    return error;
}

std::optional<int> parse_int(std::string_view text) {
    int value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end != text.data() ? std::optional(value) : std::nullopt;
}

std::optional<SystemUser> find_server_user() {
    for (const char* name : {"postgres", "nobody"}) {
        passwd entry{};
        passwd* found = nullptr;
        std::array<char, 4096> strings{};
        if (::getpwnam_r(name, &entry, strings.data(), strings.size(), &found) == 0 &&
            found != nullptr) {
            return SystemUser{name, entry.pw_uid, entry.pw_gid};
        }
    }
    return std::nullopt;
}

bool is_empty_dir(const std::string& path) {
    std::error_code code;
    return fs::is_empty(path, code) && !code;
}

// Looks before anything is touched: a wrong path must not change the owner of another program's
// directory.
Status refuse_foreign(const ClusterHome& home) {
    std::error_code code;
    if (!fs::exists(home.home, code)) {
        return ok_status();
    }
    if (!fs::is_directory(home.home, code)) {
        return refusal(fmt::format("{} is not a directory", home.home),
                       "name a new or empty directory");
    }
    if (const std::string version = read_file_or_empty(home.home + "/PG_VERSION");
        !version.empty()) {
        return refusal(fmt::format("{} is itself a Postgres data directory (version {})", home.home,
                                   version.substr(0, version.find('\n'))),
                       "name a new directory, or run that server yourself and set DATABASE_URL");
    }
    const bool ours = fs::exists(home.pgdata(), code) || fs::exists(home.home + "/lock", code);
    for (const auto& entry : fs::directory_iterator(home.home, code)) {
        const std::string name = entry.path().filename();
        if (!ours && name != "lost+found" &&
            std::find(kOurEntries.begin(), kOurEntries.end(), name) == kOurEntries.end()) {
            return refusal(fmt::format("{} is not empty and holds no cluster of ours (found {})",
                                       home.home, name),
                           "name a new or empty directory");
        }
    }
    if (code) {
        return refusal(fmt::format("cannot read {}: {}", home.home, code.message()), "");
    }
    if (fs::exists(home.pgdata(), code) && !is_empty_dir(home.pgdata()) && !home.major_version()) {
        return refusal(fmt::format("{} is not empty and no Postgres cluster (PG_VERSION is "
                                   "missing)",
                                   home.pgdata()),
                       "restore it from a backup, or move it away to start with an empty one");
    }
    return ok_status();
}

Status own(const std::string& path, const std::optional<SystemUser>& user) {
    if (user && ::chown(path.c_str(), user->uid, user->gid) != 0) {
        return system_error("change the owner of", path);
    }
    return ok_status();
}

// A server that runs as another user must be able to reach the directory: /root, for one, is not.
Status check_reachable(const ClusterHome& home) {
    if (!home.server_user) {
        return ok_status();
    }
    SpawnOptions options;
    options.arguments = {"/bin/true"};
    options.user = home.server_user;
    options.directory = home.home;
    if (const auto result = run_program(options, std::chrono::seconds(10)); !result.ok()) {
        return refusal(
            fmt::format("the user {} cannot enter {}", home.server_user->name, home.home),
            "Postgres does not run as root: choose a directory whose parents that "
            "user may enter, such as one below /var/lib");
    }
    return ok_status();
}

// Makes or takes over a directory that only its owner may enter; never follows a planted link.
Status make_private_dir(const std::string& path, const std::optional<SystemUser>& user) {
    const uid_t owner = user ? user->uid : ::geteuid();
    if (::mkdir(path.c_str(), 0700) == 0) {
        return own(path, user);
    }
    struct stat info{};
    if (errno != EEXIST || ::lstat(path.c_str(), &info) != 0) {
        return system_error("create", path);
    }
    if (!S_ISDIR(info.st_mode) || (info.st_uid != owner && info.st_uid != ::geteuid())) {
        return refusal(fmt::format("{} exists and belongs to another user", path),
                       "remove it, or use a shorter data directory");
    }
    if (::chmod(path.c_str(), 0700) != 0) {
        return system_error("protect", path);
    }
    return own(path, user);
}

std::uint64_t fnv1a(std::string_view text) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    return hash;
}

std::string percent_encode(std::string_view text) {
    constexpr std::string_view kPlain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    std::string result;
    for (const char c : text) {
        if (kPlain.find(c) != std::string_view::npos) {
            result.push_back(c);
        } else {
            result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return result;
}

std::string absolute_path(const std::string& path) {
    std::error_code code;
    std::string result = fs::weakly_canonical(fs::absolute(path, code), code).string();
    while (result.size() > 1 && result.back() == '/') {
        result.pop_back();
    }
    return result;
}

Error not_running(const std::string& home) {
    Error error = Error::of(ErrorCode::DB_UNAVAILABLE,
                            fmt::format("no private Postgres is running in {}", home));
    error.hint = "start it with `jobforge up`, or set DATABASE_URL";
    return error;
}

}  // namespace

std::string read_file_or_empty(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    return file.good() || file.eof() ? content.str() : std::string();
}

Status write_file_atomically(const std::string& path, std::string_view content, mode_t mode,
                             const std::optional<SystemUser>& owner) {
    const std::string temporary = path + ".new";
    const int fd =
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
    if (fd < 0) {
        return system_error("create", temporary);
    }
    const bool written =
        ::write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size()) &&
        (!owner || ::fchown(fd, owner->uid, owner->gid) == 0) && ::fsync(fd) == 0;
    Status failed = written ? ok_status() : Status(system_error("write", temporary));
    ::close(fd);
    if (!written) {
        return failed;
    }
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
        return system_error("replace", path);
    }
    return ok_status();
}

std::string ClusterAddress::url(std::string_view login, std::string_view dbname) const {
    return fmt::format("postgresql://{}@/{}?host={}&port={}", percent_encode(login),
                       percent_encode(dbname), percent_encode(socket_dir), port);
}

// An open-file-description lock: like flock it is bound to the descriptor, not to the process, and
// unlike flock it can be asked about without being taken, so that a look disturbs no start.
namespace {

struct flock whole_file(short type) noexcept {
    struct flock lock{};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return lock;
}

}  // namespace

Result<SupervisorLock> SupervisorLock::acquire(const std::string& home) {
    const std::string path = home + "/lock";
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return system_error("open", path);
    }
    SupervisorLock lock(fd);
    struct flock wanted = whole_file(F_WRLCK);
    if (::fcntl(fd, F_OFD_SETLK, &wanted) != 0) {
        const auto pid = parse_int(read_file_or_empty(path));
        return refusal(fmt::format("{} is in use by another jobforge process (pid {})", home,
                                   pid ? std::to_string(*pid) : "unknown"),
                       "use the running one, stop it first, or choose another data directory");
    }
    const std::string pid = fmt::format("{}\n", ::getpid());
    if (::ftruncate(fd, 0) != 0 ||
        ::pwrite(fd, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
        return system_error("write", path);
    }
    return lock;
}

std::optional<pid_t> SupervisorLock::holder(const std::string& home) {
    const std::string path = home + "/lock";
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return std::nullopt;
    }
    struct flock wanted = whole_file(F_WRLCK);
    const bool asked = ::fcntl(fd, F_OFD_GETLK, &wanted) == 0;
    ::close(fd);
    if (!asked || wanted.l_type == F_UNLCK) {
        return std::nullopt;
    }
    return parse_int(read_file_or_empty(path)).value_or(0);
}

SupervisorLock::SupervisorLock(SupervisorLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

SupervisorLock::~SupervisorLock() {
    if (fd_ >= 0) {
        ::close(fd_);
    }
}

Result<ClusterHome> ClusterHome::prepare(const std::string& data_dir) {
    if (data_dir.empty()) {
        return Error::of(ErrorCode::VALIDATION_ERROR, "the data directory's name is empty");
    }
    ClusterHome home;
    home.home = absolute_path(data_dir);
    JOBFORGE_TRY(refuse_foreign(home));
    if (::geteuid() == 0) {
        home.server_user = find_server_user();
        if (!home.server_user) {
            return refusal(
                "Postgres does not run as root, and there is no user `postgres` or "
                "`nobody` to run it as",
                "create a user `postgres`");
        }
    }
    std::error_code code;
    fs::create_directories(fs::path(home.home).parent_path(), code);
    if (code) {
        return refusal(fmt::format("cannot create {}: {}", home.home, code.message()), "");
    }
    if (::mkdir(home.home.c_str(), 0700) != 0 && errno != EEXIST) {
        return system_error("create", home.home);
    }
    JOBFORGE_TRY(own(home.home, home.server_user));
    if (::chmod(home.home.c_str(), 0700) != 0) {
        return system_error("protect", home.home);
    }
    JOBFORGE_TRY(check_reachable(home));
    return home;
}

std::optional<int> ClusterHome::major_version() const {
    return parse_int(read_file_or_empty(pgdata() + "/PG_VERSION"));
}

Result<std::string> ClusterHome::make_socket_dir() const {
    std::string path = home + "/run";
    if (path.size() > kLongestSocketDir) {
        path = fmt::format("/tmp/jobforge-{:016x}", fnv1a(home));
    }
    JOBFORGE_TRY(make_private_dir(path, server_user));
    return path;
}

Status ClusterHome::write_address(const ClusterAddress& address) const {
    const Json json = Json::object({{"socket_dir", address.socket_dir},
                                    {"port", address.port},
                                    {"postmaster_pid", static_cast<int>(address.postmaster_pid)},
                                    {"supervisor_pid", static_cast<int>(address.supervisor_pid)},
                                    {"version", address.version},
                                    {"database", address.database},
                                    {"user", address.user}});
    return write_file_atomically(address_file(), json.pretty() + "\n", 0600, server_user);
}

void ClusterHome::remove_address() const noexcept {
    ::unlink(address_file().c_str());
}

Result<ClusterAddress> ClusterHome::read_address(const std::string& data_dir) {
    ClusterHome home;
    home.home = absolute_path(data_dir);
    const auto holder = SupervisorLock::holder(home.home);
    const auto json = Json::parse(read_file_or_empty(home.address_file()));
    if (!holder || !json.ok()) {
        return not_running(home.home);
    }
    const auto text = [&json](std::string_view key) {
        const Json* value = json->find(key);
        const std::string* string = value == nullptr ? nullptr : value->as_string();
        return string == nullptr ? std::string() : *string;
    };
    const auto number = [&json](std::string_view key) {
        const Json* value = json->find(key);
        return static_cast<int>(value == nullptr ? 0 : value->as_int64().value_or(0));
    };
    ClusterAddress address{
        text("socket_dir"), number("port"), number("postmaster_pid"), *holder, text("version"),
        text("database"),   text("user")};
    if (address.socket_dir.empty() || address.database.empty()) {
        return not_running(home.home);
    }
    return address;
}

}  // namespace jobforge::pg
