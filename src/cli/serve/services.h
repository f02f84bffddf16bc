// What the commands need from rooms they may not know: the HTTP API, the HTTP port of a worker and
// the broker.
// src/app hands over functions that make them; tests hand over their own.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/log.h>
#include <jobforge/uuid.h>

#include "services/audit/audit_verdict.h"

namespace jobforge::services {
class SecretBox;
}

namespace jobforge::cli {

struct OpsServerOptions {
    std::string host = "127.0.0.1";
    int port = 0;  // 0: a free one
    // Called from the server's threads.
    std::function<std::string()> metrics_text;
    std::function<bool()> live;
    std::function<std::vector<std::pair<std::string, bool>>()> ready;  // named checks
    Logger log;
};

// Serves /metrics, /health/live and /health/ready while it lives.
class OpsServer {
public:
    virtual ~OpsServer() = default;
    [[nodiscard]] virtual int port() const noexcept = 0;
    virtual void stop() = 0;
};

struct ApiServerOptions {
    std::string host = "127.0.0.1";
    int port = 0;              // 0: a free one
    std::string database_url;  // a login with jobforge_gateway
    int pool_size = 10;
    std::string environment;
    std::string pepper_base64;                           // a secret
    std::shared_ptr<const services::SecretBox> secrets;  // null: no webhook endpoints are made
    bool https_only = false;
    std::string signing_key_id;
    std::optional<int> max_attempts = {};  // of jobs that do not say; nullopt: the type's
    // What a tenant's audit trail is checked against on this node. May read files.
    std::function<Result<services::AuditEvidence>(const Uuid& tenant)> audit_evidence = {};
    std::size_t connections = 4096;
    std::size_t connections_per_address = 0;  // 0: a quarter of them
    bool rate_limit_enabled = false;
    int rate_limit_rps = 50;
    int rate_limit_burst = 100;
    std::string tls_certificate_file;
    std::string tls_key_file;
    // Called from the server's threads; both may be empty.
    std::function<void(std::span<const Uuid>)> after_enqueue;
    std::function<std::vector<std::pair<std::string, bool>>()> more_checks;
    Logger log;
    std::optional<Logger> access_log = {};  // a line for each request; nullopt: none
};

// Serves the HTTP API while it lives.
class ApiServer {
public:
    virtual ~ApiServer() = default;
    [[nodiscard]] virtual int port() const noexcept = 0;
    // The certificate files once more; what cannot be used is an error, and the old ones stay.
    [[nodiscard]] virtual Status reload_certificate() = 0;
    // Takes nothing new and finishes what was begun; false if that took longer.
    [[nodiscard]] virtual bool drain(std::chrono::milliseconds limit) = 0;
};

struct TriggerOptions {
    std::string url;  // holds a password: never shown
    std::string exchange;
    std::string routing_key;
    std::function<void()> on_wake;  // empty: publish only. Called from the trigger's thread
    Logger log;
};

// Wake-ups through a broker. A broker that is down costs a warning, never a job.
class Trigger {
public:
    virtual ~Trigger() = default;
    virtual void publish(const Uuid& job_id) = 0;
    // Waits until what was published is sent or dropped; false after `limit`.
    [[nodiscard]] virtual bool flush(std::chrono::milliseconds limit) = 0;
    [[nodiscard]] virtual bool ready() const noexcept = 0;
    virtual void stop() = 0;
};

struct Services {
    std::function<Result<std::unique_ptr<OpsServer>>(OpsServerOptions)> ops_server;
    std::function<Result<std::unique_ptr<Trigger>>(TriggerOptions)> trigger;
    std::function<Result<std::unique_ptr<ApiServer>>(ApiServerOptions)> api_server = {};
};

}  // namespace jobforge::cli
