// A worker with its surroundings (metrics port, broker) from start to drained end: what `worker`
// and `up` share.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <jobforge/worker.h>

#include "cli/context.h"
#include "cli/serve/signals.h"
#include "services/audit/log_keeper.h"
#include "services/passport/passport_handlers.h"

namespace jobforge::cli {

struct ServiceOptions {
    WorkerOptions worker;
    std::string metrics_host = "127.0.0.1";
    int metrics_port = 0;  // 0: a free one
    // Without: no SIGN_PASSPORT, no log heads, and no signing key is needed.
    bool signing = true;
};

// Threads: the main one. Starts in the constructor's order, ends in reverse.
class Service final {
public:
    Service(const Context& context, ServiceOptions options);
    ~Service();  // stops and waits
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    // Handlers, broker, worker, metrics port.
    [[nodiscard]] Status start();
    // Until a signal (then drains; a second one ends at once) or the worker's own end. Answers how
    // many handlers still run: end_process() is for them.
    [[nodiscard]] int run(const Signals& signals);
    // Drains; answers as run() does.
    [[nodiscard]] int drain();

    [[nodiscard]] Worker& worker() noexcept { return worker_; }
    // "http://127.0.0.1:9464/metrics"; empty without a port.
    [[nodiscard]] std::string metrics_url() const;

private:
    [[nodiscard]] Status add_passports();
    void start_log_keeper();
    [[nodiscard]] Status start_trigger();
    [[nodiscard]] Status start_ops_server();

    const Context& context_;
    ServiceOptions options_;
    services::SharedTools passports_;
    Worker worker_;
    std::unique_ptr<services::LogKeeper> log_keeper_;
    std::unique_ptr<Trigger> trigger_;
    std::unique_ptr<OpsServer> ops_server_;
};

// Ends this process at once, with kHandlersLeft, because `handlers` still run: ~Service would wait
// for them, and a handler that blocks in a foreign call may never return. Their jobs have been
// given back.
[[noreturn]] void end_process(const Logger& log, int handlers);

// The worker's options as the environment says.
[[nodiscard]] WorkerOptions worker_options(const Context& context, std::string url);

}  // namespace jobforge::cli
