#include "engine/worker/worker_runtime.h"

#include <unistd.h>

#include <array>

#include <jobforge/build_info.h>

#include "engine/schema/schema_check.h"
#include "statements/operations.h"

namespace jobforge::engine {

namespace {

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

Redactor redactor_of(const WorkerOptions& options) {
    Redactor redactor(options.secrets);
    for (const std::string& url : {options.database_url, options.listen_url}) {
        for (const std::string& password : passwords_in_url(url)) {
            redactor.add(password);
        }
    }
    return redactor;
}

}  // namespace

WorkerRuntime::WorkerRuntime(WorkerOptions options, JobTypes& types,
                             std::chrono::milliseconds longest_call)
    : options_(std::move(options)),
      longest_call_(longest_call),
      types_(types),
      log_(options_.log.with({{"worker_id", options_.worker_id}})),
      health_(log_),
      report_(counters_, log_),
      connections_({.connect = handler_connect_options(), .max_size = options_.pool_size}),
      transactions_(connections_, options_.pool_size,
                    [this](const Uuid& tenant) { return held_.has_others(tenant); }),
      completer_({.worker_id = options_.worker_id,
                  .connect = connect_options("completer"),
                  .more_coming = [this] { return queue_.size() > 0; },
                  .after_flush = [this] { dispatcher_.flushed(); },
                  .most_unstored = static_cast<std::size_t>(options_.slots)},
                 held_, report_, health_),
      pool_({.slots = options_.slots,
             .worker_id = options_.worker_id,
             .log = log_,
             .redactor = redactor_of(options_),
             .on_slots_freed = [this] { dispatcher_.slots_freed(); }},
            queue_, held_, completer_, report_, transactions_),
      heartbeat_(
          {.worker_id = options_.worker_id,
           .connect = connect_options("heartbeat"),
           .lease = options_.lease,
           .renew = options_.lease_renew,
           .running = [this] { return pool_.running(); },
           .running_leases = [this] { return pool_.running_leases(); },
           .on_lost = [this](const Uuid& job_id, std::int64_t token,
                             StopReason reason) { pool_.request_stop(job_id, token, reason); },
           .can_settle = [this] { return completer_.can_settle(); },
           .give_back = [this](pg::Connection& connection) { give_back(connection); },
           .log = log_},
          held_, counters_, health_),
      dispatcher_(
          {.connect = connect_options("dispatcher"),
           .slots = options_.slots,
           .prefetch = options_.prefetch,
           .poll_interval = options_.poll_interval,
           .listening = [this] { return listening_.load(); },
           .can_settle = [this] { return completer_.can_settle() && heartbeat_.can_renew(); },
           .give_back = [this](pg::Connection& connection) { give_back(connection); },
           .log = log_,
           .on_lease = [this](auto lease) { heartbeat_.note_lease(lease); }},
          {.worker_id = options_.worker_id,
           .tenants = options_.tenants,
           .lease = options_.lease,
           .slots = options_.slots,
           .tenant_share = options_.tenant_share,
           .held = [this] { return held_.by_tenant(); },
           .runs_for = [this](const JobType& type,
                              auto time) { return pool_.runs_for(type, time); },
           .limit_tenants =
               [this](std::optional<int> slots) {
                   const bool one = options_.tenants.size() == 1 || options_.tenant_share >= 1;
                   queue_.limit_tenants(one ? std::nullopt : slots);
               }},
          types, pool_, held_, completer_, counters_, health_),
      maintenance_(connect_options("maintenance"), frozen_after(options_.lease), health_),
      metrics_({.worker_id = options_.worker_id, .tenant_labels = options_.tenant_metrics}, types,
               counters_, connections_) {
    health_.on_server_gone([this] { connections_.drop_idle(); });
    report_.on_requeued([this] { dispatcher_.requeued(); });
}

// A handler that ended late still talks to every part: it must be gone before the first of them is.
WorkerRuntime::~WorkerRuntime() {
    pool_.join();
}

pg::ConnectOptions WorkerRuntime::connect_options(std::string_view part) const {
    return {
        .url = options_.database_url,
        .application_name = "jobforge worker " + std::string(part),
        .force_application_name = true,
        .client_timeout = frozen_after(options_.lease),
        // What is prepared is kept: handlers' own texts go past it (CompletionTransaction::exec).
        .prepare_statements = true};
}

// A handler's statement may take as long as it likes while its server lives
// (CompletionTransaction::exec lifts the limit); when the worker has stopped waiting for handlers,
// it is given up. What the engine does there has its limit: one server process that is stuck would
// keep a slot and a connection for ever.
pg::ConnectOptions WorkerRuntime::handler_connect_options() const {
    pg::ConnectOptions options = connect_options("handler");
    options.client_timeout = {};  // it reads when it likes: its lease is what ends it
    options.give_up = [this] { return handlers_.stopped(); };
    options.longest_answer = longest_call_;
    return options;
}

Status WorkerRuntime::start() {
    auto connection = pg::Connection::connect(connect_options("start"));
    if (!connection) {
        return connection.error();
    }
    if (auto fits = require_schema(*connection); !fits) {
        return fits;
    }
    if (auto registered = register_worker(*connection); !registered) {
        return registered;
    }
    completer_.start();
    pool_.start();
    heartbeat_.start();
    dispatcher_.start();
    if (options_.maintenance) {
        maintenance_.start();
    }
    if (options_.listen) {
        listen();
    }
    log_.info("worker started",
              {{"slots", options_.slots}, {"types", [this] {
                                               Json::Array names;
                                               for (const std::string& name : types_.names()) {
                                                   names.emplace_back(name);
                                               }
                                               return Json(std::move(names));
                                           }()}});
    return ok_status();
}

Status WorkerRuntime::register_worker(pg::Connection& connection) const {
    pg::Params params;
    params.text(options_.worker_id).text(host_name()).int4(::getpid()).text(version());
    params.text_array(types_.names()).int4(options_.slots);
    auto registered = connection.exec(statements::operations::kRegisterWorker, params);
    return registered ? ok_status() : Status(registered.error());
}

void WorkerRuntime::listen() {
    pg::ConnectOptions connect = connect_options("listener");
    if (!options_.listen_url.empty()) {
        connect.url = options_.listen_url;
    }
    listener_.emplace(pg::ListenerOptions{
        .connect = std::move(connect),
        .channels = {"jobforge_wake", "jobforge_cancel"},
        .on_connected =
            [this] {
                listening_ = true;
                health_.up("listener");
                dispatcher_.wake();
                heartbeat_.check_all();
            },
        .on_notification = [this](const pg::Notification& one) { on_notification(one); },
        .on_disconnected =
            [this](const Error& error) {
                listening_ = false;
                health_.down("listener", error);
            }});
}

// Every login may LISTEN and NOTIFY: the channels say "look", and carry nothing else.
void WorkerRuntime::on_notification(const pg::Notification& notification) {
    if (notification.channel == "jobforge_wake") {
        dispatcher_.wake();
    } else {
        heartbeat_.check_running();
    }
}

WorkerNumbers WorkerRuntime::numbers() const noexcept {
    return {.acquired = counters_.acquired,
            .succeeded = counters_.succeeded,
            .retried = counters_.retried,
            .snoozed = counters_.snoozed,
            .failed = counters_.failed,
            .cancelled = counters_.cancelled,
            .dead_lettered = counters_.dead_lettered,
            .lease_renewals = counters_.lease_renewals,
            .leases_lost = counters_.leases_lost,
            .reconnects = health_.reconnects(),
            .running = pool_.running(),
            .pool_in_use = connections_.in_use()};
}

}  // namespace jobforge::engine
