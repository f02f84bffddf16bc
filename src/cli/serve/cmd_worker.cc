// jobforge worker
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/serve/service_run.h"
#include "cli/view/output.h"

namespace jobforge::cli {

namespace {

struct WorkerFlags {
    std::optional<std::string> id;
    std::optional<int> slots;
    std::optional<int> poll_ms;
    std::optional<int> lease_seconds;
    std::optional<int> renew_seconds;
    std::optional<int> pool_size;
    int drain_seconds = 30;
    std::string listen_url;
    bool no_listen = false;
    bool no_signing = false;
    std::string metrics_host = "127.0.0.1";
    int metrics_port = 0;
};

Result<ServiceOptions> to_options(const Context& context, const WorkerFlags& flags,
                                  std::string url) {
    ServiceOptions options;
    options.worker = worker_options(context, std::move(url));
    WorkerOptions& worker = options.worker;
    if (flags.id) {
        worker.worker_id = *flags.id;
    }
    if (flags.slots) {
        worker.slots = *flags.slots;
    }
    if (flags.poll_ms) {
        worker.poll_interval = std::chrono::milliseconds(*flags.poll_ms);
    }
    if (flags.pool_size) {
        worker.pool_size = *flags.pool_size;
    }
    if (flags.lease_seconds) {
        worker.lease = std::chrono::seconds(*flags.lease_seconds);
        worker.lease_renew = std::min(worker.lease_renew, worker.lease / 2);
    }
    if (flags.renew_seconds) {
        worker.lease_renew = std::chrono::seconds(*flags.renew_seconds);
    }
    if (auto lease = check_lease(worker.lease, worker.lease_renew); !lease.ok()) {
        return std::move(lease).error();
    }
    worker.drain_grace = std::chrono::seconds(flags.drain_seconds);
    worker.listen = !flags.no_listen;
    worker.listen_url = flags.listen_url;
    options.metrics_host = flags.metrics_host;
    options.metrics_port = flags.metrics_port;
    options.signing = !flags.no_signing;
    return options;
}

int run_worker(const Context& context, const WorkerFlags& flags) {
    const Signals signals;
    auto url = context.database_url();
    if (!url.ok()) {
        return context.fail(url.error());
    }
    // Says what is wrong (unreachable, wrong password, version) before anything is started.
    if (auto admin = engine::Admin::connect(*url); !admin.ok()) {
        return context.fail(admin.error());
    }
    auto options = to_options(context, flags, *std::move(url));
    if (!options.ok()) {
        return context.fail(options.error());
    }
    Service service(context, *std::move(options));
    if (auto started = service.start(); !started.ok()) {
        return context.fail(started.error());
    }
    const Logger log = context.logger();
    log.info("worker started", {{"worker_id", service.worker().worker_id()},
                                {"environment", context.config.environment},
                                {"build_id", context.config.build_id},
                                {"metrics_url", service.metrics_url()}});
    const int left = service.run(signals);
    log.info("worker stopped", {{"worker_id", service.worker().worker_id()}});
    if (left > 0) {
        end_process(log, left);
    }
    return kOk;
}

}  // namespace

void add_worker(Command program, Context& context) {
    Command command =
        program.subcommand("worker", "Run the handlers of this program until a signal");
    auto flags = std::make_shared<WorkerFlags>();
    command.option("--id", flags->id, "Worker id (BPC_WORKER_ID)");
    command.option("--slots", flags->slots, "Handlers at once (BPC_JOBS_CONCURRENCY)")
        .in_range(1, 4096);
    command.option("--poll-ms", flags->poll_ms, "BPC_JOBS_POLL_INTERVAL_MS").in_range(10, 60000);
    command.option("--lease", flags->lease_seconds, "Seconds (BPC_JOBS_LEASE_SECONDS)")
        .in_range(2, 86400);
    command.option("--renew", flags->renew_seconds, "Seconds (BPC_JOBS_LEASE_RENEW_SECONDS)")
        .in_range(1, 43200);
    command.option("--pool-size", flags->pool_size, "BPC_DB_POOL_SIZE").in_range(1, 100);
    command.option("--drain", flags->drain_seconds, "Seconds that running handlers get at the end")
        .in_range(0, 3600);
    command.option("--listen-url", flags->listen_url,
                   "A direct connection for wake-ups, when DATABASE_URL is a PgBouncer");
    command.flag("--no-listen", flags->no_listen, "Poll only");
    command.flag("--no-signing", flags->no_signing,
                 "Leave SIGN_PASSPORT and log heads to other workers; needs no signing key");
    command.option("--metrics-host", flags->metrics_host, "Address of the metrics port");
    command.option("--metrics-port", flags->metrics_port, "0: a free one, see the log")
        .in_range(0, 65535);
    command.runs([&context, flags] { return run_worker(context, *flags); });
}

}  // namespace jobforge::cli
