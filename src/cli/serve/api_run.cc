#include "cli/serve/api_run.h"

#include <fmt/format.h>

#include "cli/commands/audit_evidence.h"
#include "cli/serve/access_service.h"
#include "cli/serve/passport_service.h"
#include "pg/connection.h"
#include "services/access/pepper_check.h"

namespace jobforge::cli {

namespace {

constexpr std::chrono::seconds kDrain{30};

// With another pepper every key is answered 401, as one that does not exist. The start of the
// server says whether the database can be read at all.
void warn_of_another_pepper(const Context& context, const ApiServerOptions& options) {
    const auto pepper = services::Pepper::from_base64(options.pepper_base64);
    auto connection =
        pg::Connection::connect({.url = options.database_url, .application_name = "jobforge api"});
    if (!pepper.ok() || !connection.ok()) {
        return;
    }
    const auto run = [&](const pg::Statement& statement, const pg::Params& params) {
        return connection->exec(statement, params);
    };
    const auto state = services::compare_pepper(run, *pepper);
    if (state.ok() && *state == services::PepperState::other) {
        context.logger().warn(
            "the API keys of this database are refused here: they were made with another pepper",
            {{"what_to_do",
              "Set BPC_API_KEY_PEPPER_BASE64, or JOBFORGE_DATA, as where the keys were made; or "
              "make new ones with jobforge keys create --new-pepper."}});
    }
}

Result<ApiServerOptions> options_of(const Context& context) {
    const Config& config = context.config;
    auto pepper = api_key_pepper(config);
    auto box = secret_box(config);
    if (!pepper.ok() || !box.ok()) {
        return pepper.ok() ? std::move(box).error() : std::move(pepper).error();
    }
    ApiServerOptions options;
    options.host = config.http_host;
    options.pool_size = config.pool_size;
    options.environment = config.environment;
    if (!pepper->made_for_foreign_database.empty()) {
        context.logger().warn(
            "a pepper for API keys was made",
            {{"file", pepper->made_for_foreign_database}, {"meaning", kForeignPepper}});
    }
    options.pepper_base64 = std::move(pepper->base64);
    options.secrets = *std::move(box);
    options.https_only = config.environment == "prod";
    options.signing_key_id = config.signing_key_id;
    options.max_attempts = config.max_attempts;
    options.audit_evidence = [&context](const Uuid& tenant) {
        return node_evidence(context, tenant);
    };
    options.connections = config.http_connections;
    options.connections_per_address = config.http_connections_per_address;
    options.rate_limit_enabled = config.rate_limit_enabled;
    options.rate_limit_rps = config.rate_limit_rps;
    options.rate_limit_burst = config.rate_limit_burst;
    options.tls_certificate_file = config.tls_certificate;
    options.tls_key_file = config.tls_key;
    options.log = context.logger();
    if (config.access_log) {
        options.access_log = context.access_logger();
    }
    return options;
}

}  // namespace

ApiRun::~ApiRun() {
    if (server_ && !server_->drain(kDrain)) {
        context_.logger().warn("requests were cut off: they took longer than the drain");
    }
    server_.reset();
    if (trigger_) {
        (void)trigger_->flush(std::chrono::seconds(2));
        trigger_->stop();
    }
}

Status ApiRun::start_trigger() {
    const Config& config = context_.config;
    if (!config.queue_enabled || !context_.services.trigger) {
        return ok_status();
    }
    TriggerOptions options;
    options.url = config.queue_url;
    options.exchange = config.queue_exchange;
    options.routing_key = config.queue_routing_key;
    options.log = context_.logger();
    auto trigger = context_.services.trigger(std::move(options));
    if (!trigger.ok()) {
        return std::move(trigger).error();
    }
    trigger_ = *std::move(trigger);
    return ok_status();
}

Result<std::unique_ptr<ApiRun>> ApiRun::start(const Context& context,
                                              const std::string& database_url, int port) {
    auto options = options_of(context);
    if (!options.ok()) {
        return std::move(options).error();
    }
    std::unique_ptr<ApiRun> run(new ApiRun(context));
    if (auto started = run->start_trigger(); !started.ok()) {
        return std::move(started).error();
    }
    options->database_url = database_url;
    options->port = port;
    warn_of_another_pepper(context, *options);
    if (Trigger* trigger = run->trigger_.get()) {
        options->after_enqueue = [trigger](std::span<const Uuid> jobs) {
            for (const Uuid& job : jobs) {
                trigger->publish(job);
            }
        };
        if (context.config.health_requires_queue) {
            options->more_checks = [trigger] {
                return std::vector<std::pair<std::string, bool>>{{"queue", trigger->ready()}};
            };
        }
    }
    auto server = context.services.api_server(*std::move(options));
    if (!server.ok()) {
        return std::move(server).error();
    }
    run->server_ = *std::move(server);
    return run;
}

std::string ApiRun::url() const {
    const std::string& host = context_.config.http_host;
    return fmt::format("{}://{}:{}", context_.config.tls_certificate.empty() ? "http" : "https",
                       host.find(':') == std::string::npos ? host : "[" + host + "]",
                       server_->port());
}

}  // namespace jobforge::cli
