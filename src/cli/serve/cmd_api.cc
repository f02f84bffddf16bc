// jobforge api
#include <csignal>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/serve/api_run.h"
#include "cli/serve/signals.h"

namespace jobforge::cli {

namespace {

constexpr int kUsualPort = 8080;

struct ApiFlags {
    std::optional<std::string> host;
    std::optional<int> port;
};

int run_api(Context& context, const ApiFlags& flags) {
    const Signals signals(Signals::Hangup::is_told);
    if (flags.host) {
        context.config.http_host = *flags.host;
    }
    auto url = context.database_url();
    if (!url.ok()) {
        return context.fail(url.error());
    }
    const int port = flags.port ? *flags.port : context.config.http_port.value_or(kUsualPort);
    auto api = ApiRun::start(context, *url, port);
    if (!api.ok()) {
        return context.fail(api.error());
    }
    const Logger log = context.logger();
    log.info("api started", {{"url", (*api)->url()},
                             {"environment", context.config.environment},
                             {"build_id", context.config.build_id}});
    while (signals.wait() == SIGHUP) {
        if (auto reloaded = (*api)->server().reload_certificate(); !reloaded.ok()) {
            log.error("the certificate was not read again",
                      {{"error", reloaded.error().describe()}});
        } else {
            log.info("the certificate was read again");
        }
    }
    log.info("api drains");
    api->reset();
    log.info("api stopped");
    return kOk;
}

}  // namespace

void add_api(Command program, Context& context) {
    Command command =
        program.subcommand("api", "Serve the HTTP API until a signal, then finish what was begun");
    auto flags = std::make_shared<ApiFlags>();
    command.option("--host", flags->host, "An IP address (BPC_HTTP_HOST)");
    command.option("--port", flags->port, "0: a free one, see the log (BPC_HTTP_PORT)")
        .in_range(0, 65535);
    command.runs([&context, flags] { return run_api(context, *flags); });
}

}  // namespace jobforge::cli
