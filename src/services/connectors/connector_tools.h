// What the connectors' handlers share. Threads: any.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <jobforge/worker.h>

#include "base/text/redact.h"
#include "services/connectors/connector_config.h"
#include "services/connectors/connector_handlers.h"
#include "services/connectors/json_schema.h"
#include "services/jobs/tenant_reads.h"

namespace jobforge::services {

// One call to be made, completely prepared.
struct ConnectorCall {
    connect::HttpRequest request;
    std::string origin;                                // of its URL: what its governor is named by
    std::vector<std::vector<std::string>> allowlists;  // each must cover the host
    std::vector<std::string> credentials;              // headers that must not leave the origin
    Redactor redactor;                                 // knows the call's secret
};

class ConnectorTools final {
public:
    explicit ConnectorTools(ConnectorSettings settings);

    [[nodiscard]] const ConnectorSettings& settings() const noexcept { return settings_; }

    // What the tenant has settled, and the database's time.
    struct Prepared {
        ConnectorConfig config;
        std::chrono::sys_seconds now;
    };
    // JOB_PAYLOAD_INVALID: the payload does not fit the type's schema. FORBIDDEN: the tenant has
    // switched this connector off. Else as the database.
    [[nodiscard]] Result<Prepared> prepare(const Job& job);

    // Sends it through every layer: trace, governor of the host, redirects, allowlists, gzip.
    // Errors are without the call's secret. connect::refused_for() tells those that must wait.
    [[nodiscard]] Result<connect::HttpResponse> send(JobContext& context, const ConnectorCall& call,
                                                     const Prepared& prepared);

private:
    [[nodiscard]] Result<JsonSchema> schema(const Job& job);

    const ConnectorSettings settings_;
    TenantReads reads_;
    std::mutex mutex_;
    std::map<std::string, JsonSchema> schemas_;  // under mutex_; by type
};

// The origin of a URL that the guard's check accepts. SSRF_BLOCKED.
[[nodiscard]] Result<std::string> origin_of(const std::string& url);

// The answer to a call without a response: Snooze if its governor refused it or something of ours
// was missing, else by the error's own `retryable`. outcome_of() would repeat whatever has an
// unknown outcome, and every call has one once its first byte is sent.
[[nodiscard]] Outcome outcome_of_call(const Error& error);

[[nodiscard]] Outcome handle_http_request(JobContext& context, ConnectorTools& tools);
[[nodiscard]] Outcome handle_webhook_deliver(JobContext& context, ConnectorTools& tools);
[[nodiscard]] Outcome handle_report_generate(JobContext& context, ConnectorTools& tools);

}  // namespace jobforge::services
