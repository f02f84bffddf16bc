// Keeps every tenant's event log growing: takes committed events into the log, computes the new
// Merkle root and signs the head (docs/audit.md).
//
// Any number of workers may do it: whoever gets a tenant's advisory lock works, the others pass on.
// Not a leader that could be lost, and nothing waits for it: events are chained when they happen;
// the log follows within the interval (RFC 6962 calls it the merge delay).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <jobforge/error.h>
#include <jobforge/log.h>

#include "pg/connection.h"
#include "workloads/passport/signing_keys.h"

namespace jobforge::workloads {

// One pass over all tenants that have events outside of their logs, on a worker's connection. How
// many events were taken in. SIGNING_KEY_MISSING.
[[nodiscard]] Result<std::int64_t> extend_logs(pg::Connection& connection, const SigningKeys& keys,
                                               const std::string& key_id);
// The same for one tenant.
[[nodiscard]] Result<std::int64_t> extend_log(pg::Connection& connection, const Uuid& tenant,
                                              const SigningKeys& keys, const std::string& key_id);

struct LogKeeperOptions {
    std::string database_url;
    std::shared_ptr<const SigningKeys> signing_keys;
    std::string key_id;
    std::chrono::milliseconds interval{2000};
    Logger log = {};
};

// A thread that calls extend_logs every interval until it is destroyed. A failure is one warning
// until it works again.
class LogKeeper final {
public:
    explicit LogKeeper(LogKeeperOptions options);
    LogKeeper(const LogKeeper&) = delete;
    LogKeeper& operator=(const LogKeeper&) = delete;
    ~LogKeeper();

private:
    void run(const std::stop_token& stop);
    [[nodiscard]] Status pass(std::optional<pg::Connection>& connection,
                              const std::stop_token& stop);

    const LogKeeperOptions options_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread thread_;  // last: starts when everything else is there
};

}  // namespace jobforge::workloads
