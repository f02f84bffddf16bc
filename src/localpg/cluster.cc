#include "localpg/cluster.h"

#include <unistd.h>

#include <csignal>

#include <jobforge/try.h>

#include "localpg/cluster_monitor.h"
#include "pg/connection.h"
#include "statements/schema.h"

namespace jobforge::pg {

namespace {

constexpr std::string_view kDatabase = "jobforge";
constexpr std::string_view kLogin = "jobforge";
constexpr std::string_view kSuperuser = "postgres";

// Safe to repeat: the server may have been killed between the two at the first start.
Status create_login_and_database(const ClusterAddress& address) {
    ConnectOptions options;
    options.url = address.url(kSuperuser, "postgres");
    JOBFORGE_TRY(auto connection, Connection::connect(options));
    JOBFORGE_TRY(connection.script(statements::schema::kCreateLogin));
    JOBFORGE_TRY(auto exists,
                 connection.exec(statements::schema::kFindDatabase, Params().text(kDatabase)));
    return exists.empty() ? connection.script(statements::schema::kCreateDatabase) : ok_status();
}

// Everything up to, but without, the start of the postmaster. The lock is held from here on.
Result<ClusterPlan> make_plan(const ClusterOptions& options, ClusterHome home) {
    JOBFORGE_TRY(auto binaries, find_binaries(options, home));
    JOBFORGE_TRY(stop_survivor(home, options.stop_timeout));
    if (!home.major_version()) {
        JOBFORGE_TRY(create_cluster(binaries, home));
    }
    JOBFORGE_TRY(auto socket_dir, home.make_socket_dir());
    JOBFORGE_TRY(configure_server(options, home, socket_dir));
    ClusterAddress address;
    address.socket_dir = socket_dir;
    address.port = options.port;
    address.supervisor_pid = ::getpid();
    address.version = binaries.version;
    address.database = kDatabase;
    address.user = kLogin;
    return ClusterPlan{options, std::move(home), std::move(binaries), std::move(address)};
}

}  // namespace

PrivateCluster::PrivateCluster(std::unique_ptr<Monitor> monitor) : monitor_(std::move(monitor)) {}

PrivateCluster::~PrivateCluster() = default;

Result<std::unique_ptr<PrivateCluster>> PrivateCluster::start(const ClusterOptions& options) {
    JOBFORGE_TRY(auto home, ClusterHome::prepare(options.data_dir));
    JOBFORGE_TRY(auto lock, SupervisorLock::acquire(home.home));
    JOBFORGE_TRY(auto plan, make_plan(options, std::move(home)));
    auto monitor = std::make_unique<Monitor>(std::move(plan), std::move(lock));
    JOBFORGE_TRY(monitor->start());
    JOBFORGE_TRY(create_login_and_database(monitor->plan().address));
    return std::unique_ptr<PrivateCluster>(new PrivateCluster(std::move(monitor)));
}

std::string PrivateCluster::admin_url() const {
    return monitor_->plan().address.url(kSuperuser, kDatabase);
}

std::string PrivateCluster::url() const {
    return monitor_->plan().address.url(kLogin, kDatabase);
}

ClusterStatus PrivateCluster::status() const {
    return monitor_->status();
}

void PrivateCluster::stop() {
    monitor_->stop();
}

void PrivateCluster::kill_for_test(int signal) {
    monitor_->signal_postmaster(signal);
}

Result<std::string> PrivateCluster::running_url(const std::string& data_dir) {
    const auto address = ClusterHome::read_address(data_dir);
    return address.ok() ? Result<std::string>(address->url(address->user, address->database))
                        : Result<std::string>(address.error());
}

Result<std::string> PrivateCluster::running_admin_url(const std::string& data_dir) {
    const auto address = ClusterHome::read_address(data_dir);
    return address.ok() ? Result<std::string>(address->url(kSuperuser, address->database))
                        : Result<std::string>(address.error());
}

}  // namespace jobforge::pg
