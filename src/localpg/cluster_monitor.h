// The thread that owns the postmaster: starts it, waits for its end, starts it again.
// Private to src/pg.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "localpg/cluster.h"
#include "localpg/cluster_home.h"
#include "localpg/cluster_server.h"

namespace jobforge::pg {

// Everything start() found out before the first postmaster runs.
struct ClusterPlan {
    ClusterOptions options;
    ClusterHome home;
    ServerBinaries binaries;
    ClusterAddress address;  // its postmaster_pid is filled in by the monitor
};

class PrivateCluster::Monitor final {
public:
    Monitor(ClusterPlan plan, SupervisorLock lock);
    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;
    ~Monitor();

    // Starts the thread and waits until the server accepts connections, the first postmaster ends,
    // or start_timeout passes.
    [[nodiscard]] Status start();
    void stop();
    void signal_postmaster(int signal);

    [[nodiscard]] ClusterStatus status() const;
    [[nodiscard]] const ClusterPlan& plan() const noexcept { return plan_; }

private:
    void run();
    // One life of the server: returns when it ended or when stop() was called.
    void run_once();
    void wait_for_end(pid_t pid);
    void shut_down(pid_t pid);
    // Sleeps, unless stop() is called meanwhile.
    void pause(std::chrono::milliseconds time);
    [[nodiscard]] Result<pid_t> launch();
    void report(ClusterEvent::Kind kind, std::string message) const;

    ClusterPlan plan_;
    std::optional<SupervisorLock> lock_;  // until stop()
    int stop_event_;                      // eventfd: readable once stop() was called
    std::atomic<bool> stopping_{false};
    std::atomic<int> lives_{0};   // postmasters started
    std::atomic<int> deaths_{0};  // postmasters ended without being asked
    mutable std::mutex mutex_;    // guards pid_ against a signal to a reaped pid
    pid_t pid_ = 0;
    std::mutex stop_mutex_;  // two callers of stop(): one joins, the other waits
    std::thread thread_;
};

}  // namespace jobforge::pg
