// connector.http.request: one request to the outside world, its answer kept as the job's result.
#include <algorithm>

#include <fmt/format.h>

#include "connect/http/classify.h"
#include "services/connectors/call_secrets.h"
#include "services/connectors/connector_tools.h"
#include "services/connectors/http_result.h"
#include "services/jobs/outgoing_slot.h"
#include "values/number_order.h"

namespace jobforge::services {

namespace {

constexpr std::int64_t kTimeoutMs = 30'000;
constexpr std::int64_t kResponseBytes = std::int64_t{1} << 20;

void set_body(connect::HttpRequest& request, const Json& payload) {
    const Json* body = payload.find("body");
    if (body == nullptr) {
        return;
    }
    if (const std::string* text = body->as_string()) {
        request.body = *text;
        return;
    }
    request.body = body->dump();
    const bool typed = std::ranges::any_of(request.headers, [](const auto& header) {
        return connect::same_name(header.first, "Content-Type");
    });
    if (!typed) {
        request.headers.emplace_back("Content-Type", "application/json");
    }
}

Status set_auth(ConnectorCall& call, const Job& job, const ConnectorSettings& settings) {
    const Json* auth = job.payload.find("auth");
    if (auth == nullptr) {
        return ok_status();
    }
    if (settings.https_only && !call.request.url.starts_with("https://")) {
        return Error::of(ErrorCode::SSRF_BLOCKED, "secrets are sent over https only here");
    }
    const auto secret = settings.secrets->find(text_of(*auth, "secret_ref"), job.tenant_id);
    if (!secret.ok()) {
        return secret.error();
    }
    auto header = auth_header(*auth, *secret);
    if (!header.ok()) {
        return std::move(header).error();
    }
    call.redactor = redactor_of(*secret, header->second);
    call.credentials.push_back(header->first);
    replace_header(call.request.headers, *std::move(header));
    return ok_status();
}

Result<ConnectorCall> make_call(const Job& job, const ConnectorSettings& settings,
                                const ConnectorConfig& config) {
    const Json& payload = job.payload;
    ConnectorCall call;
    call.request.url = text_of(payload, "url");
    call.request.tenant = job.tenant_id.to_string();
    auto origin = origin_of(call.request.url);
    if (!origin.ok()) {
        return std::move(origin).error();
    }
    call.origin = *std::move(origin);
    call.allowlists = {config.allowlist, texts_of(payload.find("allowlist"))};
    call.request.method = text_of(payload, "method", "GET");
    call.request.headers = joined_headers(config.headers, payload);
    call.request.timeout =
        std::chrono::milliseconds(narrowed(payload, "timeout_ms", config.timeout_ms, kTimeoutMs));
    call.request.max_response_bytes = static_cast<std::size_t>(
        narrowed(payload, "max_response_bytes", config.max_response_bytes, kResponseBytes));
    call.request.max_decoded_bytes = call.request.max_response_bytes;
    call.request.follow_redirects =
        static_cast<int>(narrowed(payload, "follow_redirects", config.follow_redirects, 0));
    call.request.decompress = true;
    set_body(call.request, payload);
    if (Status set = set_auth(call, job, settings); !set.ok()) {
        return std::move(set).error();
    }
    return call;
}

bool covers_status(const Json& accepted, int status) {
    if (const std::string* group = accepted.as_string()) {
        return group->front() - '0' == status / 100;
    }
    return whole_number(*accepted.number_text()) == status;
}

bool is_accepted(const Json& payload, int status) {
    const Json* accepted = payload.find("accept_status");
    if (accepted == nullptr) {
        return status >= 200 && status < 300;
    }
    return std::ranges::any_of(*accepted->as_array(),
                               [status](const Json& one) { return covers_status(one, status); });
}

std::vector<std::string> redacted_names(const ConnectorConfig& config, const Json& payload) {
    std::vector<std::string> names = config.redact_headers;
    std::ranges::move(texts_of(payload.find("redact_headers")), std::back_inserter(names));
    return names;
}

Outcome answered(const Job& job, const connect::HttpResponse& response, const ConnectorCall& call,
                 const ConnectorTools::Prepared& prepared) {
    if (is_accepted(job.payload, response.status)) {
        return Done{http_result(response, redacted_names(prepared.config, job.payload),
                                call.redactor, job.attempt_no)};
    }
    const JobError error(
        "HTTP_STATUS_UNEXPECTED", fmt::format("the server answered {}", response.status),
        Json::object({{"http_status", response.status},
                      {"response_preview", response_preview(response.body, call.redactor)}}));
    const connect::Classified meaning = connect::classify(response, prepared.now);
    if (meaning.kind == connect::Classified::Kind::retry) {
        return Retry{error, meaning.retry_after};
    }
    return Fail{error};
}

}  // namespace

Outcome handle_http_request(JobContext& context, ConnectorTools& tools) {
    const Job& job = context.job();
    const auto slot = outgoing_slot(tools.settings().calls, context);
    if (!slot.ok()) {
        return outcome_or_snooze(slot.error());
    }
    const auto prepared = tools.prepare(job);
    if (!prepared.ok()) {
        return outcome_or_snooze(prepared.error());
    }
    const auto call = make_call(job, tools.settings(), prepared->config);
    if (!call.ok()) {
        return outcome_of(call.error());
    }
    const auto response = tools.send(context, *call, *prepared);
    if (response.ok()) {
        return answered(job, *response, *call, *prepared);
    }
    return outcome_of_call(response.error());
}

}  // namespace jobforge::services
