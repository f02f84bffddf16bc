#include "cli/serve/service_run.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "cli/commands/audit_evidence.h"
#include "cli/serve/builtin_handlers.h"
#include "cli/serve/connector_service.h"
#include "cli/serve/passport_service.h"
#include "cli/serve/price_service.h"
#include "engine/worker/default_slots.h"
#include "services/audit/log_witness.h"
#include "services/jobs/outgoing_slot.h"

namespace jobforge::cli {

namespace {

using namespace std::chrono_literals;

// The log of every tenant waits for it.
constexpr std::chrono::seconds kWitnessTimeout{10};

// Ends the process when a stop takes much longer than its grace. The worker's own waits are
// bounded, but libpq looks names up without a limit, and a resolver may hang for minutes.
class HardEnd final {
public:
    HardEnd(std::chrono::milliseconds grace, const Logger& log)
        : thread_([this, wait = std::max<std::chrono::milliseconds>(grace, 3s) + 5s,
                   &log](const std::stop_token& stop) {
              std::unique_lock lock(mutex_);
              if (!changed_.wait_for(lock, stop, wait, [&] { return stop.stop_requested(); })) {
                  log.warn("the stop takes too long: the process ends; leases will expire");
                  ::_exit(kHandlersLeft);
              }
          }) {}

private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::jthread thread_;
};

}  // namespace

Service::Service(const Context& context, ServiceOptions options)
    : context_(context), options_(std::move(options)), worker_(options_.worker) {
    // test.crash would let every tenant kill this worker.
    if (context.config.environment != "prod") {
        add_builtin_handlers(worker_);
    }
}

Service::~Service() {
    log_keeper_.reset();
    worker_.stop();
    worker_.wait();
    if (ops_server_) {
        ops_server_->stop();
    }
    if (trigger_) {
        trigger_->stop();
    }
}

Status Service::start() {
    if (auto added = add_passports(); !added.ok()) {
        return added;
    }
    if (auto started = start_trigger(); !started.ok()) {
        return started;
    }
    // The port first: an address in use must not leave a worker behind that has claimed jobs.
    if (auto started = start_ops_server(); !started.ok()) {
        return started;
    }
    if (auto started = worker_.start(); !started.ok()) {
        return started;
    }
    if (options_.signing) {
        start_log_keeper();
    }
    return ok_status();
}

void Service::start_log_keeper() {
    const Config& config = context_.config;
    services::LogKeeperOptions keeper;
    keeper.database_url = options_.worker.database_url;
    keeper.signer.keys = passports_->settings.signing_keys;
    keeper.signer.key_id = config.signing_key_id;
    keeper.signer.more_keys = config.audit_keys;
    keeper.signer.kept = std::make_shared<services::KeptHeads>(kept_heads_directory(config));
    keeper.signer.log = options_.worker.log;
    keeper.metrics = &passports_->metrics;
    if (!config.log_witness_url.empty()) {
        keeper.witness = services::log_witness(passports_->settings.http, config.log_witness_url,
                                               kWitnessTimeout);
    }
    log_keeper_ = std::make_unique<services::LogKeeper>(std::move(keeper));
}

Status Service::add_passports() {
    auto settings = passport_settings(context_.config, options_.worker.database_url,
                                      options_.signing ? Signing::needed : Signing::left_to_others);
    if (!settings.ok()) {
        return std::move(settings).error();
    }
    if (options_.signing && settings->signing_keys->empty()) {
        options_.worker.log.warn("there is no signing key: passports and log heads are not signed");
    }
    passports_ = std::make_shared<services::PassportTools>();
    passports_->settings = *std::move(settings);
    passports_->settings.calls =
        services::outgoing_calls(engine::slots_or_default(options_.worker.slots));
    services::add_passport_handlers(worker_, passports_);
    services::add_connector_handlers(
        worker_,
        connector_settings(context_.config, options_.worker.database_url, passports_->settings));
    services::add_price_handlers(
        worker_,
        price_settings(context_.config, options_.worker.database_url, passports_->settings));
    return ok_status();
}

Status Service::start_trigger() {
    const Config& config = context_.config;
    if (!config.queue_enabled || !context_.services.trigger) {
        return ok_status();
    }
    TriggerOptions options;
    options.url = config.queue_url;
    options.exchange = config.queue_exchange;
    options.routing_key = config.queue_routing_key;
    options.on_wake = [this] { worker_.wake(); };
    options.log = options_.worker.log;
    auto trigger = context_.services.trigger(std::move(options));
    if (!trigger.ok()) {
        return std::move(trigger).error();
    }
    trigger_ = *std::move(trigger);
    return ok_status();
}

Status Service::start_ops_server() {
    if (!context_.config.metrics_enabled || !context_.services.ops_server) {
        return ok_status();
    }
    OpsServerOptions options;
    options.host = options_.metrics_host;
    options.port = options_.metrics_port;
    options.log = options_.worker.log;
    options.metrics_text = [this] { return worker_.metrics_text() + passports_->metrics.text(); };
    options.live = [] { return true; };
    options.ready = [this] {
        std::vector<std::pair<std::string, bool>> checks{{"database", worker_.ready()}};
        if (trigger_ && context_.config.health_requires_queue) {
            checks.emplace_back("queue", trigger_->ready());
        }
        return checks;
    };
    auto server = context_.services.ops_server(std::move(options));
    if (!server.ok()) {
        return std::move(server).error();
    }
    ops_server_ = *std::move(server);
    return ok_status();
}

std::string Service::metrics_url() const {
    return ops_server_
               ? fmt::format("http://{}:{}/metrics", options_.metrics_host, ops_server_->port())
               : std::string();
}

int Service::run(const Signals& signals) {
    std::atomic<bool> ended{false};
    std::thread waiter([this, &ended] {
        worker_.wait();
        ended = true;
        Signals::interrupt();
    });
    (void)signals.wait();
    std::optional<HardEnd> hard_end;
    if (!ended) {
        worker_.stop();
        hard_end.emplace(options_.worker.drain_grace, options_.worker.log);
        signals.wait_for_second([&ended] { return ended.load(); });
        if (!ended) {
            std::fputs("jobforge: second signal: ending at once; leases will expire\n", stderr);
            ::_exit(kFailed);
        }
    }
    waiter.join();
    return drain();
}

int Service::drain() {
    worker_.stop();
    worker_.wait();
    return worker_.numbers().running;
}

void end_process(const Logger& log, int handlers) {
    log.warn("handlers ignore the request to stop: the process ends without them",
             {{"handlers", handlers}});
    ::_exit(kHandlersLeft);
}

WorkerOptions worker_options(const Context& context, std::string url) {
    const Config& config = context.config;
    WorkerOptions options;
    options.database_url = std::move(url);
    options.worker_id = config.worker_id;
    options.slots = config.slots;
    options.poll_interval = config.poll_interval;
    options.lease = config.lease;
    options.lease_renew = config.lease_renew;
    options.pool_size = config.pool_size;
    options.tenant_metrics = config.metrics_by_tenant;
    options.secrets = config.secrets();
    options.log = context.logger();
    return options;
}

}  // namespace jobforge::cli
