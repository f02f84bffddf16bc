// connector.webhook.deliver: one signed POST of an event. A receiver may see an event twice (a
// crash after the POST): it tells by X-JobForge-Event-ID.
#include <fmt/format.h>

#include "connect/http/classify.h"
#include "connect/http/governor.h"
#include "services/connectors/call_secrets.h"
#include "services/connectors/connector_tools.h"
#include "services/connectors/delivery_headers.h"
#include "services/connectors/http_result.h"
#include "services/jobs/outgoing_slot.h"
#include "services/webhooks/webhook_errors.h"

namespace jobforge::services {

namespace {

constexpr std::int64_t kTimeoutMs = 10'000;
// Enough for the preview with every character replaced; the rest is of no use to anybody.
constexpr std::size_t kReadBytes = 4096;

EventDelivery delivery_of(const Job& job, std::chrono::sys_seconds now) {
    const Json* data = job.payload.find("data");
    return {text_of(job.payload, "event_type"),
            text_of(job.payload, "event_id"),
            data == nullptr ? Json() : *data,
            now.time_since_epoch().count(),
            job.attempt_no,
            text_of(job.payload, "signature_algo") == "sha512"};
}

Result<ConnectorCall> make_call(const Job& job, const ConnectorSettings& settings,
                                const ConnectorTools::Prepared& prepared) {
    ConnectorCall call;
    call.request.method = "POST";
    call.request.url = text_of(job.payload, "target_url");
    call.request.tenant = job.tenant_id.to_string();
    if (settings.https_only && !call.request.url.starts_with("https://")) {
        return Error::of(ErrorCode::SSRF_BLOCKED, "webhooks must use https here");
    }
    auto origin = origin_of(call.request.url);
    if (!origin.ok()) {
        return std::move(origin).error();
    }
    const auto secret = settings.secrets->find(text_of(job.payload, "secret_ref"), job.tenant_id);
    if (!secret.ok()) {
        return secret.error();
    }
    const ConnectorConfig& config = prepared.config;
    const EventDelivery delivery = delivery_of(job, prepared.now);
    call.origin = *std::move(origin);
    call.allowlists = {config.allowlist};
    call.redactor = redactor_of(*secret);
    call.request.body = delivery_body(delivery);
    call.request.headers = config.headers;
    for (auto& header : delivery_headers(delivery, call.request.body, *secret)) {
        replace_header(call.request.headers, std::move(header));
    }
    call.request.timeout = std::chrono::milliseconds(
        narrowed(job.payload, "timeout_ms", config.timeout_ms, kTimeoutMs));
    call.request.max_response_bytes = kReadBytes;
    return call;
}

Outcome answered(const connect::HttpResponse& response, const ConnectorCall& call,
                 std::chrono::sys_seconds now) {
    const connect::Classified meaning = connect::classify(response, now);
    std::string preview = response_preview(response.body, call.redactor);
    if (meaning.ok()) {
        return Done{Json::object({{"delivered", true},
                                  {"status", response.status},
                                  {"duration_ms", milliseconds_of(response.duration)},
                                  {"response_preview", std::move(preview)}})};
    }
    JobError error = webhook_refused(response.status);
    error.details.set("response_preview", std::move(preview));
    if (meaning.kind == connect::Classified::Kind::retry) {
        return Retry{std::move(error), meaning.retry_after};
    }
    return Fail{std::move(error)};
}

}  // namespace

Outcome handle_webhook_deliver(JobContext& context, ConnectorTools& tools) {
    const auto slot = outgoing_slot(tools.settings().calls, context);
    if (!slot.ok()) {
        return outcome_or_snooze(slot.error());
    }
    const auto prepared = tools.prepare(context.job());
    if (!prepared.ok()) {
        return outcome_or_snooze(prepared.error());
    }
    const auto call = make_call(context.job(), tools.settings(), *prepared);
    if (!call.ok()) {
        return outcome_of(call.error());
    }
    const auto response = tools.send(context, *call, *prepared);
    if (response.ok()) {
        return answered(*response, *call, prepared->now);
    }
    // A refusal by the governor, a shortage of our own and the database's trouble are not failures
    // of the receiver.
    const Error& error = response.error();
    const bool ours = connect::refused_for(error).has_value() || !error.statement.empty();
    return outcome_of_call(ours ? error : webhook_error(error));
}

}  // namespace jobforge::services
