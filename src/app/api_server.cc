#include "app/api_server.h"

#include <algorithm>
#include <cstddef>
#include <thread>
#include <utility>

#include "api/api_service.h"
#include "http/server/http_server.h"

namespace jobforge::app {

namespace {

class ApiServer final : public cli::ApiServer {
public:
    ApiServer(std::unique_ptr<api::ApiService> service, std::unique_ptr<api::HttpServer> server)
        : service_(std::move(service)), server_(std::move(server)) {}
    ~ApiServer() override { server_->stop(); }
    ApiServer(const ApiServer&) = delete;
    ApiServer& operator=(const ApiServer&) = delete;

    [[nodiscard]] int port() const noexcept override { return server_->port(); }
    [[nodiscard]] Status reload_certificate() override { return server_->reload_certificate(); }
    [[nodiscard]] bool drain(std::chrono::milliseconds limit) override {
        return server_->drain(limit);
    }

private:
    std::unique_ptr<api::ApiService> service_;  // the server calls it until it has stopped
    std::unique_ptr<api::HttpServer> server_;
};

api::ApiServiceOptions service_options(cli::ApiServerOptions& given) {
    api::ApiServiceOptions options;
    options.database_url = std::move(given.database_url);
    options.pool_size = given.pool_size;
    options.pepper_base64 = std::move(given.pepper_base64);
    options.rate_limit.enabled = given.rate_limit_enabled;
    options.rate_limit.requests_per_second = given.rate_limit_rps;
    options.rate_limit.burst = given.rate_limit_burst;
    options.tools.environment = std::move(given.environment);
    options.tools.secrets = std::move(given.secrets);
    options.tools.https_only = given.https_only;
    options.tools.signing_key_id = std::move(given.signing_key_id);
    options.tools.max_attempts = given.max_attempts;
    options.tools.audit_evidence = std::move(given.audit_evidence);
    options.tools.after_enqueue = std::move(given.after_enqueue);
    options.more_checks = std::move(given.more_checks);
    options.log = given.log;
    options.access_log = std::move(given.access_log);
    return options;
}

}  // namespace

Result<std::unique_ptr<cli::ApiServer>> make_api_server(cli::ApiServerOptions given) {
    auto service = api::ApiService::start(service_options(given));
    if (!service.ok()) {
        return std::move(service).error();
    }
    api::HttpServerOptions options;
    options.address = std::move(given.host);
    options.port = given.port;
    // They move bytes and never block. On few cores a second one is woken for nothing: with it a
    // GET took a fifth more of this program's processor time (four runs of each, in turn, on two
    // cores).
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    options.io_threads = static_cast<int>(std::clamp(cores / 4, 1U, 4U));
    options.party_slots = api::ApiService::party_slots(given.pool_size);
    options.handler_threads = api::ApiService::handler_threads(given.pool_size);
    options.eager_handlers = std::size_t{2} * cores;
    options.max_connections = given.connections;
    options.max_connections_per_address = given.connections_per_address;
    options.tls_certificate_file = std::move(given.tls_certificate_file);
    options.tls_key_file = std::move(given.tls_key_file);
    options.log = given.log;
    api::ApiService* const behind = service->get();
    options.plan = [behind](const api::RequestHead& head) { return behind->plan(head); };
    options.admit = [behind](api::Request& request) { return behind->admit(request); };
    options.begin = [behind](api::Request& request) { return behind->begin(request); };
    options.handle = [behind](api::Request& request) { return behind->handle(request); };
    options.observe = [behind](const api::Observation& seen) { behind->observe(seen); };
    auto server = api::HttpServer::start(std::move(options));
    if (!server.ok()) {
        return std::move(server).error();
    }
    return std::unique_ptr<cli::ApiServer>(
        std::make_unique<ApiServer>(*std::move(service), *std::move(server)));
}

}  // namespace jobforge::app
