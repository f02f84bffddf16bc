#include "services/audit/log_keeper.h"

#include "services/passport/passport_metrics.h"

namespace jobforge::services {

namespace {

// Of one statement for one tenant: a page of its log.
constexpr auto kLongestAnswer = std::chrono::seconds(60);

}  // namespace

LogKeeper::LogKeeper(LogKeeperOptions options)
    : options_(std::move(options)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

LogKeeper::~LogKeeper() {
    thread_.request_stop();
    wake_.notify_all();
}

Status LogKeeper::pass(std::optional<pg::Connection>& connection, const std::stop_token& stop) {
    if (!connection) {
        pg::ConnectOptions connect;
        connect.url = options_.database_url;
        connect.application_name = "jobforge log keeper";
        connect.prepare_statements = true;
        connect.lock_timeout = options_.lock_timeout;
        connect.longest_answer = kLongestAnswer;
        // A hung server must not keep the process from ending.
        connect.give_up = [stop] { return stop.stop_requested(); };
        auto connected = pg::Connection::connect(connect);
        if (!connected.ok()) {
            return std::move(connected).error();
        }
        connection.emplace(*std::move(connected));
    }
    const auto done = extend_logs(*connection, options_.signer);
    if (!done.ok()) {
        connection.reset();
        return done.error();
    }
    tell(*done);
    return ok_status();
}

void LogKeeper::tell(const LogPass& done) {
    std::set<Uuid> refused;
    for (const auto& [tenant, error] : done.refused) {
        refused.insert(tenant);
        if (options_.metrics != nullptr) {
            options_.metrics->log_refused();
        }
        if (!refused_.contains(tenant)) {
            options_.signer.log.error(
                "a log head is not signed: the log does not go on from the "
                "last one",
                {{"tenant_id", tenant.to_string()},
                 {"error", error.describe()},
                 {"hint", error.hint}});
        }
    }
    refused_.merge(refused);
    for (const Uuid& tenant : done.locked) {
        options_.signer.log.debug("a tenant's log waits for rows that stay locked",
                                  {{"tenant_id", tenant.to_string()}});
    }
    // A pass that finds another worker at it says nothing about a log; a head that was signed does.
    for (const auto& [tenant, head] : done.heads) {
        if (refused_.erase(tenant) > 0) {
            options_.signer.log.info("log heads are signed again",
                                     {{"tenant_id", tenant.to_string()}});
        }
    }
    if (options_.witness) {
        for (const auto& [tenant, head] : done.heads) {
            unsent_[tenant] = head;
        }
    }
}

void LogKeeper::send_to_witness(const std::stop_token& stop) {
    if (unsent_.empty() || std::chrono::steady_clock::now() < witness_after_) {
        return;
    }
    while (!unsent_.empty() && !stop.stop_requested()) {
        const auto first = unsent_.begin();
        const Status sent = options_.witness(first->second, stop);
        if (stop.stop_requested()) {
            return;
        }
        if (sent.ok()) {
            unsent_.erase(first);
            if (witness_failing_) {
                options_.signer.log.info("the witness takes log heads again");
            }
            witness_failing_ = false;
            continue;
        }
        if (options_.metrics != nullptr) {
            options_.metrics->witness_failed();
        }
        if (!witness_failing_) {
            options_.signer.log.warn("the witness did not take a log head; it is sent again",
                                     {{"error", sent.error().describe()}});
        }
        witness_failing_ = true;
        witness_after_ = std::chrono::steady_clock::now() + options_.witness_retry;
        return;
    }
}

void LogKeeper::run(const std::stop_token& stop) {
    std::optional<pg::Connection> connection;
    bool failing = false;
    while (!stop.stop_requested()) {
        const Status done = pass(connection, stop);
        if (stop.stop_requested()) {
            return;
        }
        if (!done.ok() && !failing) {
            options_.signer.log.warn("the event log is not extended",
                                     {{"error", done.error().describe()}});
        }
        if (done.ok() && failing) {
            options_.signer.log.info("the event log is extended again");
        }
        failing = !done.ok();
        send_to_witness(stop);
        std::unique_lock lock(mutex_);
        (void)wake_.wait_for(lock, stop, options_.interval, [] { return false; });
    }
}

}  // namespace jobforge::services
