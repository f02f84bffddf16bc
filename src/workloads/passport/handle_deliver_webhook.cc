// DELIVER_WEBHOOK: one signed POST of an audit event. No transaction is open while the receiver
// takes its time; what came back is noted together with the job's outcome. A receiver may see an
// event twice (a crash after the POST): it tells by X-BPC-Delivery-Id.
#include <fmt/format.h>

#include "connect/http_request.h"
#include "connect/retry_after.h"
#include "connect/webhook_headers.h"
#include "core/canonical.h"
#include "core/time_text.h"
#include "workloads/passport/handlers.h"
#include "workloads/passport/secret_box.h"
#include "workloads/passport/step.h"
#include "workloads/passport/tenant_reads.h"

namespace jobforge::workloads {

namespace {

constexpr std::size_t kKeptResponseBytes = 65536;

constexpr pg::Statement kDeliveryToSend{
    "delivery_to_send",
    "select status, url, endpoint_status, secret_ciphertext, webhook_endpoint_id, event_id, "
    "event_type, aggregate_type, aggregate_id, occurred_at, payload_canonical, "
    "pg_catalog.clock_timestamp() from jobforge.delivery_to_send($1)"};
constexpr pg::Statement kNoteDelivery{
    "note_delivery", "select jobforge.note_delivery($1, $2, $3, $4, $5, $6)::text"};

struct Delivery {
    Uuid id, endpoint_id;
    std::string status, url, endpoint_status, secret_ciphertext, event_type, body;
    std::chrono::sys_seconds now;  // the database's clock
};

// What happened to one attempt: how the job ends, and what the delivery's row keeps.
struct Attempt {
    Outcome outcome;
    std::string status;  // of the delivery from here on
    std::string error_message;
    std::optional<connect::HttpResponse> response;
};

Result<std::string> event_body(const pg::Rows& row) {
    auto payload = Json::parse(row.text(0, 10));
    if (!payload.ok()) {
        return std::move(payload).error();
    }
    return canonical(Json::object({{"aggregate_id", row.uuid(0, 8).to_string()},
                                   {"aggregate_type", row.text(0, 7)},
                                   {"event_id", row.uuid(0, 5).to_string()},
                                   {"event_type", row.text(0, 6)},
                                   {"occurred_at", format_time(row.timestamp(0, 9).unix_us)},
                                   {"payload", *std::move(payload)}}));
}

Result<Delivery> read_delivery(TenantReads& reads, const Job& job, const Uuid& id) {
    pg::Params params;
    params.uuid(id);
    const auto row = reads.read(job.tenant_id, kDeliveryToSend, params);
    if (!row.ok()) {
        return row.error();
    }
    auto body = event_body(*row);
    if (!body.ok()) {
        return std::move(body).error();
    }
    const auto now = std::chrono::microseconds(row->timestamp(0, 11).unix_us);
    return Delivery{id,
                    row->uuid(0, 4),
                    std::string(row->text(0, 0)),
                    std::string(row->text(0, 1)),
                    std::string(row->text(0, 2)),
                    std::string(row->text(0, 3)),
                    std::string(row->text(0, 6)),
                    *std::move(body),
                    std::chrono::floor<std::chrono::seconds>(std::chrono::sys_time(now))};
}

Result<connect::HttpRequest> make_request(const PassportTools& tools, const Job& job,
                                          const Delivery& delivery) {
    if (tools.settings.https_only && !delivery.url.starts_with("https://")) {
        return Error::of(ErrorCode::SSRF_BLOCKED, "webhook endpoints must use https here");
    }
    if (!tools.settings.http) {
        return Error::of(ErrorCode::CONFIG_MISSING, "this worker has no way to send webhooks");
    }
    if (!tools.settings.secrets) {
        return Error::of(ErrorCode::SECRET_NOT_FOUND,
                         "this worker has no master key (JOBFORGE_MASTER_KEY_BASE64)");
    }
    auto secret = tools.settings.secrets->open(delivery.secret_ciphertext, job.tenant_id,
                                               delivery.endpoint_id);
    if (!secret.ok()) {
        return std::move(secret).error();
    }
    const std::string delivery_id = delivery.id.to_string();
    const std::array secrets{*std::move(secret)};
    auto headers = connect::webhook_headers(
        secrets,
        {delivery.event_type, delivery_id, delivery.now.time_since_epoch().count(), delivery.body});
    if (!headers.ok()) {
        return std::move(headers).error();
    }
    connect::HttpRequest request;
    request.method = "POST";
    request.url = delivery.url;
    request.headers = *std::move(headers);
    request.body = delivery.body;
    request.timeout = tools.settings.webhook_timeout;
    request.max_response_bytes = kKeptResponseBytes;
    return request;
}

// The transport's words in those of the seeds.
Error delivery_error(const Error& error) {
    if (error.code == ErrorCode::SSRF_BLOCKED) {
        return error;
    }
    Error out = Error::of(error.code == ErrorCode::TIMEOUT ? ErrorCode::WEBHOOK_TIMEOUT
                                                           : ErrorCode::WEBHOOK_DELIVERY_FAILED,
                          error.message);
    out.retryable = error.retryable;
    return out;
}

Attempt no_answer(const Error& given) {
    const Error error = delivery_error(given);
    return {error.retryable ? Outcome(Retry{JobError(error)}) : Outcome(Fail{JobError(error)}),
            error.retryable ? "PENDING" : "FAILED", error.message, std::nullopt};
}

bool is_retryable_status(int status) {
    return status >= 500 || status == 408 || status == 425 || status == 429;
}

Attempt answered(connect::HttpResponse response, std::chrono::sys_seconds now) {
    const int status = response.status;
    if (status >= 200 && status < 300) {
        return {Done{Json::object({{"delivered", true}, {"http_status", status}})}, "DELIVERED", "",
                std::move(response)};
    }
    const JobError error("WEBHOOK_NON_2XX", fmt::format("the receiver answered {}", status),
                         Json::object({{"http_status", status}}));
    if (!is_retryable_status(status)) {
        return {Fail{error}, "FAILED", error.message, std::move(response)};
    }
    Retry retry{error};
    if (const auto header = response.header("retry-after")) {
        retry.after = connect::retry_after(*header, now);
    }
    return {std::move(retry), "PENDING", error.message, std::move(response)};
}

Attempt send(const PassportTools& tools, JobContext& context, const Delivery& delivery) {
    const auto request = make_request(tools, context.job(), delivery);
    if (!request.ok()) {
        return {Fail{JobError(request.error())}, "FAILED", request.error().message, std::nullopt};
    }
    auto response = tools.settings.http->send(*request, context.stop_token());
    return response.ok() ? answered(*std::move(response), delivery.now)
                         : no_answer(response.error());
}

std::optional<std::string> headers_json(const std::optional<connect::HttpResponse>& response) {
    if (!response) {
        return std::nullopt;
    }
    Json headers = Json::array();
    for (const auto& [name, value] : response->headers) {
        headers.push_back(Json::array({name, value}));
    }
    return headers.dump();
}

Status note(JobContext& context, const Delivery& delivery, const Attempt& attempt) {
    auto step = Step::begin(context);
    if (!step.ok()) {
        return std::move(step).error();
    }
    constexpr unsigned kBytea = 17;
    pg::Params params;
    params.uuid(delivery.id)
        .text(attempt.status)
        .opt_int4(attempt.response ? std::optional(attempt.response->status) : std::nullopt)
        .opt_jsonb(headers_json(attempt.response));
    attempt.response ? params.bytea(attempt.response->body) : params.null(kBytea);
    params.opt_text(attempt.error_message.empty() ? std::nullopt
                                                  : std::optional(attempt.error_message));
    auto noted = step->call(kNoteDelivery, params);
    return noted.ok() ? ok_status() : Status(std::move(noted).error());
}

Outcome deliver(JobContext& context, PassportTools& tools, TenantReads& reads) {
    const auto id = uuid_member(context.job().payload, "webhook_delivery_id");
    if (!id.ok()) {
        return Fail{JobError(id.error())};
    }
    const auto delivery = read_delivery(reads, context.job(), *id);
    if (!delivery.ok()) {
        return outcome_of(delivery.error());
    }
    if (delivery->status == "DELIVERED") {
        return Done{Json::object({{"delivered", true}, {"earlier", true}})};
    }
    Attempt attempt =
        delivery->endpoint_status == "ACTIVE"
            ? send(tools, context, *delivery)
            : Attempt{Fail{JobError("WEBHOOK_DELIVERY_FAILED", "the endpoint is disabled")},
                      "FAILED", "the endpoint is disabled", std::nullopt};
    if (context.stop_token().stop_requested() && attempt.status == "PENDING") {
        return std::move(attempt.outcome);  // not the receiver's failure: nothing to note
    }
    tools.metrics.webhook(attempt.status);
    if (auto noted = note(context, *delivery, attempt); !noted.ok()) {
        return outcome_of(noted.error());
    }
    return std::move(attempt.outcome);
}

}  // namespace

Handler deliver_webhook_handler(SharedTools tools) {
    auto reads = std::make_shared<TenantReads>(tools->settings.database_url);
    return [tools = std::move(tools), reads](JobContext& context) {
        return deliver(context, *tools, *reads);
    };
}

}  // namespace jobforge::workloads
