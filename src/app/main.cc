// The program: hands the rooms that may not know each other to the commands.
#include <memory>
#include <utility>

#include "app/api_server.h"
#include "base/keep_memory.h"
#include "cli/cli.h"
#include "connect/amqp/amqp_trigger.h"
#include "http/server/ops_server.h"

namespace {

using jobforge::Logger;
using jobforge::LogLevel;
using jobforge::Result;

void write_line(const Logger& log, LogLevel level, std::string_view message) {
    switch (level) {
        case LogLevel::debug:
            log.debug(message);
            return;
        case LogLevel::info:
            log.info(message);
            return;
        case LogLevel::warn:
            log.warn(message);
            return;
        case LogLevel::error:
            log.error(message);
            return;
        case LogLevel::off:
            return;
    }
}

class HttpOpsServer final : public jobforge::cli::OpsServer {
public:
    explicit HttpOpsServer(std::unique_ptr<jobforge::http::OpsServer> server)
        : server_(std::move(server)) {}
    [[nodiscard]] int port() const noexcept override { return server_->port(); }
    void stop() override { server_->stop(); }

private:
    std::unique_ptr<jobforge::http::OpsServer> server_;
};

class BrokerTrigger final : public jobforge::cli::Trigger {
public:
    explicit BrokerTrigger(std::unique_ptr<jobforge::connect::AmqpTrigger> trigger)
        : trigger_(std::move(trigger)) {}
    void publish(const jobforge::Uuid& job_id) override { trigger_->publish(job_id); }
    [[nodiscard]] bool flush(std::chrono::milliseconds limit) override {
        return trigger_->flush(limit);
    }
    [[nodiscard]] bool ready() const noexcept override { return trigger_->ready(); }
    void stop() override { trigger_->stop(); }

private:
    std::unique_ptr<jobforge::connect::AmqpTrigger> trigger_;
};

Result<std::unique_ptr<jobforge::cli::OpsServer>> make_ops_server(
    jobforge::cli::OpsServerOptions given) {
    jobforge::http::OpsServerOptions options;
    options.address = std::move(given.host);
    options.port = given.port;
    options.metrics = std::move(given.metrics_text);
    options.live = std::move(given.live);
    options.ready = std::move(given.ready);
    options.log = [log = given.log](LogLevel level, std::string_view message) {
        write_line(log, level, message);
    };
    auto server = jobforge::http::OpsServer::start(std::move(options));
    if (!server.ok()) {
        return std::move(server).error();
    }
    return std::unique_ptr<jobforge::cli::OpsServer>(
        std::make_unique<HttpOpsServer>(*std::move(server)));
}

Result<std::unique_ptr<jobforge::cli::Trigger>> make_trigger(jobforge::cli::TriggerOptions given) {
    jobforge::connect::AmqpTriggerOptions options;
    options.url = std::move(given.url);
    options.exchange = std::move(given.exchange);
    options.routing_key = std::move(given.routing_key);
    options.on_wake = std::move(given.on_wake);
    options.log = [log = given.log](LogLevel level, std::string_view message) {
        write_line(log, level, message);
    };
    auto trigger = jobforge::connect::AmqpTrigger::start(options);
    if (!trigger.ok()) {
        return std::move(trigger).error();
    }
    return std::unique_ptr<jobforge::cli::Trigger>(
        std::make_unique<BrokerTrigger>(*std::move(trigger)));
}

}  // namespace

int main(int argc, char** argv) {
    jobforge::keep_freed_memory();
    const jobforge::cli::Services services{make_ops_server, make_trigger,
                                           jobforge::app::make_api_server};
    return jobforge::cli::run(argc, argv, services);
}
