// The cluster's home directory: its owner, its files and its supervisor. Private to src/localpg.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include <jobforge/error.h>

#include "localpg/process.h"

namespace jobforge::pg {

// What cluster.json says.
struct ClusterAddress {
    std::string socket_dir;
    int port = 0;
    pid_t postmaster_pid = 0;
    pid_t supervisor_pid = 0;
    std::string version;
    std::string database;
    std::string user;

    // A libpq URL over the unix socket.
    [[nodiscard]] std::string url(std::string_view login, std::string_view dbname) const;
};

// The exclusive lock of one supervisor, released on destruction or death of the process.
class SupervisorLock final {
public:
    // INVALID_TRANSITION, naming the holder's pid, if another supervisor has it.
    [[nodiscard]] static Result<SupervisorLock> acquire(const std::string& home);
    // The holder's pid without taking the lock; nullopt: none.
    [[nodiscard]] static std::optional<pid_t> holder(const std::string& home);

    SupervisorLock(SupervisorLock&& other) noexcept;
    SupervisorLock& operator=(SupervisorLock&&) = delete;
    ~SupervisorLock();

private:
    explicit SupervisorLock(int fd) : fd_(fd) {}
    int fd_;
};

// Paths and rights below one home directory. Cheap to copy.
struct ClusterHome {
    std::string home;                       // absolute
    std::optional<SystemUser> server_user;  // set when we are root

    [[nodiscard]] std::string pgdata() const { return home + "/pgdata"; }
    [[nodiscard]] std::string unfinished_pgdata() const { return home + "/pgdata.new"; }
    [[nodiscard]] std::string log_file() const { return home + "/postgres.log"; }
    [[nodiscard]] std::string address_file() const { return home + "/cluster.json"; }

    // Makes the path absolute, refuses a directory that holds something else (before anything is
    // touched), creates it with mode 0700 and gives it to the server's user.
    [[nodiscard]] static Result<ClusterHome> prepare(const std::string& data_dir);

    // Major version of the existing cluster; nullopt: there is none yet.
    [[nodiscard]] std::optional<int> major_version() const;
    // Creates the socket's directory: run/ or, where its path is too long for a unix socket
    // (107 bytes), one below /tmp named by a hash of the home.
    [[nodiscard]] Result<std::string> make_socket_dir() const;

    [[nodiscard]] Status write_address(const ClusterAddress& address) const;
    void remove_address() const noexcept;
    [[nodiscard]] static Result<ClusterAddress> read_address(const std::string& data_dir);
};

// Writes a file so that readers see the old or the new content, never a part.
[[nodiscard]] Status write_file_atomically(const std::string& path, std::string_view content,
                                           mode_t mode, const std::optional<SystemUser>& owner);
[[nodiscard]] std::string read_file_or_empty(const std::string& path);

}  // namespace jobforge::pg
