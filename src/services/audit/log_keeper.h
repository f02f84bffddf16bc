// Keeps every tenant's event log growing: takes committed events into the log, computes the new
// Merkle root and signs the head (docs/audit.md).
//
// Any number of workers may do it: the one that gets a tenant's turn works, the others pass on. Not
// a leader that could be lost, and nothing waits for it: events are chained when they happen; the
// log follows within the interval (RFC 6962 calls it the merge delay).
//
// A head is signed only if the log goes on from the last one (log_check.h): the one in the database
// and the one that was kept outside of it (kept_heads.h). Otherwise LOG_HEAD_MISMATCH, for that
// tenant alone.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/log.h>

#include "pg/connection.h"
#include "services/audit/kept_heads.h"
#include "services/secrets/signing_keys.h"

namespace jobforge::services {

class PassportMetrics;

// What a head is signed with, and what the log has to fit to.
struct LogSigner {
    std::shared_ptr<const SigningKeys> keys;
    std::string key_id;
    // Other signers of the heads that are there: keys that this deployment no longer holds.
    std::vector<Ed25519PublicKey> more_keys = {};
    std::shared_ptr<KeptHeads> kept = {};  // null: the database alone is asked
    Logger log = {};
};

struct LogGrowth {
    std::int64_t added = 0;
    std::string head;  // the signed note; empty if nothing was added
};
// Takes one tenant's waiting events into its log, on a worker's connection. LOG_HEAD_MISMATCH,
// SIGNING_KEY_MISSING.
[[nodiscard]] Result<LogGrowth> extend_log(pg::Connection& connection, const Uuid& tenant,
                                           const LogSigner& signer);
// Signs a head over the whole log as the database has it, whatever was kept, and keeps that
// (accept_head.h). LOG_HEAD_MISMATCH if the newest head is not one over its own log.
[[nodiscard]] Result<LogGrowth> accept_log(pg::Connection& connection, const Uuid& tenant,
                                           const LogSigner& signer);

// Whether the tenant's log goes on from the heads that were signed, without changing anything.
// LOG_HEAD_MISMATCH if not.
[[nodiscard]] Status check_log(pg::Connection& connection, const Uuid& tenant,
                               const LogSigner& signer);

struct LogPass {
    std::int64_t added = 0;
    std::vector<std::pair<Uuid, std::string>> heads;  // new ones, by tenant
    std::vector<std::pair<Uuid, Error>> refused;      // LOG_HEAD_MISMATCH, or rows that are spoilt
    std::vector<Uuid> locked;  // rows of theirs stayed locked: the next pass tries again
};
// One pass over all tenants that have events outside of their logs. A tenant that is refused, or
// whose rows stay locked for the session's lock_timeout, does not keep the others from going on.
// SIGNING_KEY_MISSING.
[[nodiscard]] Result<LogPass> extend_logs(pg::Connection& connection, const LogSigner& signer);

struct LogKeeperOptions {
    std::string database_url;
    LogSigner signer;
    std::chrono::milliseconds interval{2000};
    std::chrono::milliseconds lock_timeout{5000};  // of a login that has none
    // Gives a new head to a witness outside (log_witness.h); empty: to none. Best effort: nothing
    // waits for it, a failure is a warning, and the newest head is sent again.
    std::function<Status(const std::string& head, const std::stop_token& stop)> witness = {};
    std::chrono::milliseconds witness_retry{30'000};  // after a failure
    PassportMetrics* metrics = nullptr;               // outlives the keeper; null: none
};

// A thread that calls extend_logs every interval until it is destroyed. A failure is one warning
// until it works again; a refused log one error line a tenant until it fits again.
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
    void tell(const LogPass& done);
    void send_to_witness(const std::stop_token& stop);

    const LogKeeperOptions options_;
    std::set<Uuid> refused_;
    std::map<Uuid, std::string> unsent_;  // the newest head of each tenant, for the witness
    std::chrono::steady_clock::time_point witness_after_;
    bool witness_failing_ = false;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread thread_;  // last: starts when everything else is there
};

}  // namespace jobforge::services
