// A private Postgres: created, started, watched and stopped by this program.
//
// The cluster's home directory belongs to it alone and holds
//     pgdata/        the Postgres data directory (jobforge.conf in it is rewritten at every start;
//                    custom.conf, if present, is read after it and kept)
//     run/           the unix socket, mode 0700: its users may connect (no passwords, no TCP)
//     postgres.log   the server's log; the previous one is postgres.log.1
//     cluster.json   where it can be reached, while it runs
//     lock           held by the supervising process
//
// One supervisor per directory: a second start() gets an error that names the first one's pid.
// Started as root, the server runs as `postgres` (or `nobody`) and the directory becomes theirs.
// The server dies with us: if this process is killed, the kernel sends the postmaster SIGINT (fast
// shutdown). A server that is still there at the next start is stopped before a new one starts.
// A server that crashes is started again, at once and then with growing pauses up to 5 s.
//
// Threads: start() makes one monitor thread. All methods may be called from any thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <jobforge/error.h>

namespace jobforge::pg {

struct ClusterEvent {
    enum class Kind { crashed, restarted, restart_failed };
    Kind kind;
    std::string message;  // one line for the log
};

struct ClusterOptions {
    std::string data_dir;  // the home directory; created if missing
    std::string bin_dir;   // where initdb and postgres are; empty: look for them
    int port = 5432;       // names the socket file; a TCP port only with tcp
    bool tcp = false;      // listen on 127.0.0.1 too, with passwords (SCRAM)
    std::chrono::milliseconds start_timeout{120'000};           // crash recovery included
    std::chrono::milliseconds stop_timeout{20'000};             // then SIGQUIT, then SIGKILL
    std::vector<std::pair<std::string, std::string>> settings;  // more of postgresql.conf
    std::function<void(const ClusterEvent&)> on_event;          // called from the monitor thread
};

struct ClusterStatus {
    bool accepting = false;    // a connection could be made just now
    pid_t postmaster_pid = 0;  // 0: between two lives
    int restarts = 0;          // since start()
    std::string version;       // "15.10"
    std::string socket_dir;
    int port = 0;
};

class PrivateCluster final {
public:
    // Creates the cluster if the directory is empty, starts it, and returns when it accepts
    // connections and has the database and the login role `jobforge`. Errors, all permanent:
    // CONFIG_MISSING (no server binaries), INVALID_TRANSITION (another supervisor, another major
    // version, a directory that holds something else), DB_UNAVAILABLE (it did not start; the
    // message ends with the log's last lines).
    [[nodiscard]] static Result<std::unique_ptr<PrivateCluster>> start(
        const ClusterOptions& options);

    PrivateCluster(const PrivateCluster&) = delete;
    PrivateCluster& operator=(const PrivateCluster&) = delete;
    ~PrivateCluster();  // stop()

    [[nodiscard]] std::string admin_url() const;  // superuser postgres, database jobforge
    [[nodiscard]] std::string url() const;        // login jobforge, database jobforge
    [[nodiscard]] ClusterStatus status() const;

    // Fast shutdown (SIGINT: open transactions are rolled back), waits for the end of the server.
    // Repeated calls do nothing.
    void stop();

    // Sends a signal to the postmaster, as a crash would. For tests.
    void kill_for_test(int signal);

    // The URL (login jobforge) of the cluster that runs in this directory, supervised by any
    // process. DB_UNAVAILABLE with a hint when none does.
    [[nodiscard]] static Result<std::string> running_url(const std::string& data_dir);
    // The same for the superuser.
    [[nodiscard]] static Result<std::string> running_admin_url(const std::string& data_dir);

private:
    class Monitor;
    explicit PrivateCluster(std::unique_ptr<Monitor> monitor);
    std::unique_ptr<Monitor> monitor_;
};

}  // namespace jobforge::pg
