#include "services/connectors/connector_tools.h"

#include <fmt/format.h>

#include "connect/guard/url_check.h"
#include "connect/http/allowlist.h"
#include "connect/http/decompress.h"
#include "connect/http/governed.h"
#include "connect/http/redirects.h"
#include "connect/http/tracing.h"
#include "services/jobs/governor_calls.h"
#include "statements/connectors.h"
#include "statements/jobs.h"

namespace jobforge::services {

namespace {

Error without_secret(Error error, const Redactor& redactor) {
    error.message = redactor.apply(error.message);
    error.hint = redactor.apply(error.hint);
    error.details = redactor.apply(error.details);
    return error;
}

}  // namespace

ConnectorTools::ConnectorTools(ConnectorSettings settings)
    : settings_(std::move(settings)), reads_(settings_.database_url, settings_.connections) {}

Result<JsonSchema> ConnectorTools::schema(const Job& job) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = schemas_.find(job.type); known != schemas_.end()) {
            return known->second;
        }
    }
    pg::Params params;
    params.text(job.type);
    const auto row = reads_.read(job.tenant_id, statements::jobs::kPayloadSchema, params);
    if (!row.ok()) {
        return row.error();
    }
    const auto text = Json::parse(row->opt_json(0, 0).value_or("{}"));
    auto schema = text.ok() ? JsonSchema::parse(*text) : Result<JsonSchema>(text.error());
    if (schema.ok()) {
        const std::lock_guard lock(mutex_);
        schemas_.insert_or_assign(job.type, *schema);
    }
    return schema;
}

Result<ConnectorTools::Prepared> ConnectorTools::prepare(const Job& job) {
    const auto known = schema(job);
    if (!known.ok()) {
        return known.error();
    }
    if (Status fits = known->check_payload(job.payload); !fits.ok()) {
        return std::move(fits).error();
    }
    pg::Params params;
    params.text(job.type);
    const auto row = reads_.read(job.tenant_id, statements::connectors::kConnectorConfig, params);
    if (!row.ok()) {
        return row.error();
    }
    const auto config = Json::parse(row->json(0, 0));
    if (!config.ok()) {
        return config.error();
    }
    const std::chrono::microseconds time(row->timestamp(0, 1).unix_us);
    Prepared prepared{ConnectorConfig::of(*config),
                      std::chrono::floor<std::chrono::seconds>(std::chrono::sys_time(time))};
    if (!prepared.config.enabled) {
        return Error::of(ErrorCode::FORBIDDEN,
                         fmt::format("{} is switched off for this tenant", job.type));
    }
    return prepared;
}

Result<connect::HttpResponse> ConnectorTools::send(JobContext& context, const ConnectorCall& call,
                                                   const Prepared& prepared) {
    const Job& job = context.job();
    // One a connector and origin: each has a limit of its own. Without a limit it is 0, which lifts
    // one that was configured before.
    PostgresGovernor governor(reads_, job.tenant_id, GovernorKind::host,
                              fmt::format("{} {}", job.type, call.origin),
                              prepared.config.requests_per_minute.value_or(0));
    connect::Decompress decompress(*settings_.http);
    connect::Allowlisted allowlisted(decompress, call.allowlists);
    connect::Redirects redirects(allowlisted, call.credentials);
    connect::Governed governed(redirects, governor, [&prepared] { return prepared.now; });
    connect::Traced traced(governed, job.trace_id);
    auto response = traced.send(call.request, context.stop_token());
    return response.ok() ? std::move(response)
                         : without_secret(std::move(response).error(), call.redactor);
}

Result<std::string> origin_of(const std::string& url) {
    const auto checked = connect::check_url(url);
    return checked.ok() ? Result<std::string>(checked->origin())
                        : Result<std::string>(checked.error());
}

Outcome outcome_of_call(const Error& error) {
    if (const auto wait = connect::refused_for(error)) {
        return Snooze{*wait};
    }
    return error.retryable ? Outcome(Retry{JobError(error)}) : Outcome(Fail{JobError(error)});
}

void add_connector_handlers(Worker& worker, ConnectorSettings settings) {
    auto tools = std::make_shared<ConnectorTools>(std::move(settings));
    worker.on("connector.http.request",
              [tools](JobContext& context) { return handle_http_request(context, *tools); });
    worker.on("connector.webhook.deliver",
              [tools](JobContext& context) { return handle_webhook_deliver(context, *tools); });
    worker.on("connector.report.generate",
              [tools](JobContext& context) { return handle_report_generate(context, *tools); });
}

}  // namespace jobforge::services
