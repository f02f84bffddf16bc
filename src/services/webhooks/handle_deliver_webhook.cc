// DELIVER_WEBHOOK: one signed POST of an audit event. No transaction is open while the receiver
// takes its time; what came back is noted together with the job's outcome. A receiver may see an
// event twice (a crash after the POST): it tells by X-BPC-Delivery-Id.
#include "base/json/canonical.h"
#include "base/text/base64.h"
#include "base/text/time_text.h"
#include "connect/http/classify.h"
#include "connect/http/governed.h"
#include "connect/http/tracing.h"
#include "connect/webhook/webhook_headers.h"
#include "services/jobs/governor_calls.h"
#include "services/jobs/outgoing_slot.h"
#include "services/jobs/step.h"
#include "services/jobs/tenant_reads.h"
#include "services/passport/passport_handlers.h"
#include "services/secrets/secret_box.h"
#include "services/webhooks/webhook_errors.h"
#include "statements/webhooks.h"

namespace jobforge::services {

namespace {

constexpr std::size_t kKeptResponseBytes = 65536;
// Handlers spend most of their time with receivers: a few connections serve many of them.
constexpr int kReadConnections = 8;

struct Delivery {
    Uuid id, endpoint_id;
    std::string status, url, endpoint_status, event_type, body;
    std::vector<std::string> secret_ciphertexts;  // newest first
    std::chrono::sys_seconds now;                 // the database's clock
    connect::Verdict verdict;
    bool routine = false;  // a success changes this delivery and nothing else
};

// What happened to one attempt: how the job ends, and what the delivery's row keeps.
struct Attempt {
    Outcome outcome;
    std::string status;  // of the delivery from here on
    std::string error_message = {};
    std::optional<connect::HttpResponse> response = {};
    // Whether a failure counts against the endpoint; nullopt: if it answered.
    std::optional<bool> endpoint_fault = {};
};

// The endpoint's governor, asked already.
class EndpointGovernor final : public connect::Governor {
public:
    EndpointGovernor(TenantReads& reads, const Uuid& tenant, const Delivery& delivery)
        : verdict_(delivery.verdict),
          routine_(delivery.routine),
          shared_(reads, tenant, GovernorKind::endpoint, delivery.endpoint_id.to_string()) {}

    Result<connect::Verdict> enter() override { return verdict_; }
    Status report(const connect::Permit& permit, const connect::Report& report) override {
        return routine_ && report.ok ? ok_status() : shared_.report(permit, report);
    }

private:
    connect::Verdict verdict_;
    bool routine_;
    PostgresGovernor shared_;
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
    params.uuid(id).uuid(job.job_id);
    const auto row = reads.read(job.tenant_id, statements::webhooks::kDeliveryToSend, params);
    if (!row.ok()) {
        return row.error();
    }
    auto body = event_body(*row);
    auto verdict = verdict_in(*row, 12);
    if (!body.ok() || !verdict.ok()) {
        return body.ok() ? std::move(verdict).error() : std::move(body).error();
    }
    const auto now = std::chrono::microseconds(row->timestamp(0, 11).unix_us);
    Delivery delivery;
    delivery.id = id;
    delivery.endpoint_id = row->uuid(0, 4);
    delivery.status = row->text(0, 0);
    delivery.url = row->text(0, 1);
    delivery.endpoint_status = row->text(0, 2);
    delivery.event_type = row->text(0, 6);
    delivery.body = *std::move(body);
    delivery.secret_ciphertexts = row->text_array(0, 3);
    delivery.now = std::chrono::floor<std::chrono::seconds>(std::chrono::sys_time(now));
    delivery.verdict = *std::move(verdict);
    delivery.routine = row->boolean(0, 17);
    return delivery;
}

// The secrets that sign, oldest first: X-BPC-Signature stays with the old one until its time is
// over (docs/formats.md, BPC-WH-1).
Result<std::vector<std::string>> open_secrets(const PassportTools& tools, const Job& job,
                                              const Delivery& delivery) {
    if (!tools.settings.secrets) {
        return Error::of(ErrorCode::SECRET_NOT_FOUND,
                         "this worker has no master key (JOBFORGE_MASTER_KEY_BASE64)");
    }
    std::vector<std::string> secrets;
    for (auto sealed = delivery.secret_ciphertexts.rbegin();
         sealed != delivery.secret_ciphertexts.rend(); ++sealed) {
        auto secret = tools.settings.secrets->open(*sealed, job.tenant_id, delivery.endpoint_id);
        if (!secret.ok()) {
            return std::move(secret).error();
        }
        secrets.push_back(*std::move(secret));
    }
    return secrets;
}

Result<connect::HttpRequest> make_request(const PassportTools& tools, const Job& job,
                                          const Delivery& delivery) {
    if (tools.settings.https_only && !delivery.url.starts_with("https://")) {
        return Error::of(ErrorCode::SSRF_BLOCKED, "webhook endpoints must use https here");
    }
    if (!tools.settings.http) {
        return Error::of(ErrorCode::CONFIG_MISSING, "this worker has no way to send webhooks");
    }
    const auto secrets = open_secrets(tools, job, delivery);
    if (!secrets.ok()) {
        return secrets.error();
    }
    const std::string delivery_id = delivery.id.to_string();
    auto headers = connect::webhook_headers(
        *secrets,
        {delivery.event_type, delivery_id, delivery.now.time_since_epoch().count(), delivery.body});
    if (!headers.ok()) {
        return std::move(headers).error();
    }
    connect::HttpRequest request;
    request.method = "POST";
    request.url = delivery.url;
    request.tenant = job.tenant_id.to_string();
    request.headers = *std::move(headers);
    request.body = delivery.body;
    request.timeout = tools.settings.webhook_timeout;
    request.max_response_bytes = kKeptResponseBytes;
    return request;
}

Attempt no_answer(const Error& given) {
    const Error error = webhook_error(given);
    if (error.retryable) {
        return {Retry{JobError(error)}, "PENDING", error.message};
    }
    // A certificate that is not trusted, an address that must not be called: the endpoint's doing.
    return {Fail{JobError(error)}, "FAILED", error.message, std::nullopt, true};
}

Attempt answered(connect::HttpResponse response, std::chrono::sys_seconds now) {
    const int status = response.status;
    const connect::Classified meaning = connect::classify(response, now);
    if (meaning.ok()) {
        return {Done{Json::object({{"delivered", true}, {"http_status", status}})}, "DELIVERED", "",
                std::move(response)};
    }
    const JobError error = webhook_refused(status);
    if (meaning.kind == connect::Classified::Kind::permanent) {
        return {Fail{error}, "FAILED", error.message, std::move(response)};
    }
    return {Retry{error, meaning.retry_after}, "PENDING", error.message, std::move(response)};
}

// The governor says not now, or something of ours is missing: the receiver was not asked.
struct NotNow {
    std::chrono::milliseconds wait;
};
std::variant<Attempt, NotNow> send(const PassportTools& tools, JobContext& context,
                                   TenantReads& reads, const Delivery& delivery) {
    const auto request = make_request(tools, context.job(), delivery);
    if (!request.ok()) {
        return Attempt{Fail{JobError(request.error())}, "FAILED", request.error().message};
    }
    EndpointGovernor governor(reads, context.job().tenant_id, delivery);
    connect::Governed governed(*tools.settings.http, governor, [&] { return delivery.now; });
    connect::Traced traced(governed, context.job().trace_id);
    auto response = traced.send(*request, context.stop_token());
    if (response.ok()) {
        return answered(*std::move(response), delivery.now);
    }
    if (const auto wait = connect::refused_for(response.error())) {
        return NotNow{*wait};
    }
    return no_answer(response.error());
}

Json headers_json(const connect::HttpResponse& response) {
    Json headers = Json::array();
    for (const auto& [name, value] : response.headers) {
        headers.push_back(Json::array({name, value}));
    }
    return headers;
}

// A routine success of usual size needs no transaction: the job's result carries what the receiver
// said, and the batch that completes the job notes it (jobforge.note_delivery_of_job). One commit
// for many deliveries instead of one each: a third of the server's time for a delivery.
std::optional<Outcome> in_a_batch(const Delivery& delivery, const Attempt& attempt) {
    constexpr std::size_t kMostBytes = 4096;
    if (!delivery.routine || attempt.status != "DELIVERED" ||
        attempt.response->body.size() > kMostBytes) {
        return std::nullopt;
    }
    Json headers = headers_json(*attempt.response);
    if (headers.dump().size() > kMostBytes) {
        return std::nullopt;
    }
    return Done{Json::object(
        {{"delivered", true},
         {"http_status", attempt.response->status},
         {"response", Json::object({{"headers", std::move(headers)},
                                    {"body", base64_encode(attempt.response->body)}})}})};
}

Status note(JobContext& context, const Delivery& delivery, const Attempt& attempt) {
    Step step(context);
    constexpr unsigned kBytea = 17;
    pg::Params params;
    params.uuid(delivery.id)
        .text(attempt.status)
        .opt_int4(attempt.response ? std::optional(attempt.response->status) : std::nullopt)
        .opt_jsonb(attempt.response ? std::optional(headers_json(*attempt.response).dump())
                                    : std::nullopt);
    attempt.response ? params.bytea(attempt.response->body) : params.null(kBytea);
    params.opt_text(attempt.error_message.empty() ? std::nullopt
                                                  : std::optional(attempt.error_message));
    constexpr unsigned kBool = 16;
    attempt.endpoint_fault ? params.boolean(*attempt.endpoint_fault) : params.null(kBool);
    auto noted = step.call(statements::webhooks::kNoteDelivery, params);
    return noted.ok() ? ok_status() : Status(std::move(noted).error());
}

std::variant<Attempt, NotNow> disabled_endpoint() {
    const JobError error("WEBHOOK_DELIVERY_FAILED", "the endpoint is disabled");
    return Attempt{Fail{error}, "FAILED", error.message};
}

Outcome deliver(JobContext& context, PassportTools& tools, TenantReads& reads) {
    const auto id = uuid_member(context.job().payload, "webhook_delivery_id");
    if (!id.ok()) {
        return Fail{JobError(id.error())};
    }
    const auto slot = outgoing_slot(tools.settings.calls, context);
    if (!slot.ok()) {
        return outcome_or_snooze(slot.error());
    }
    const auto delivery = read_delivery(reads, context.job(), *id);
    if (!delivery.ok()) {
        return outcome_or_snooze(delivery.error());
    }
    if (delivery->status == "DELIVERED") {
        return Done{Json::object({{"delivered", true}, {"earlier", true}})};
    }
    auto sent = delivery->endpoint_status == "ACTIVE" ? send(tools, context, reads, *delivery)
                                                      : disabled_endpoint();
    if (const auto* not_now = std::get_if<NotNow>(&sent)) {
        return Snooze{not_now->wait};
    }
    Attempt& attempt = std::get<Attempt>(sent);
    if (context.stop_token().stop_requested() && attempt.status == "PENDING") {
        return std::move(attempt.outcome);  // not the receiver's failure: nothing to note
    }
    tools.metrics.webhook(attempt.status);
    if (auto outcome = in_a_batch(*delivery, attempt)) {
        return *std::move(outcome);
    }
    if (auto noted = note(context, *delivery, attempt); !noted.ok()) {
        return outcome_of(noted.error());
    }
    return std::move(attempt.outcome);
}

}  // namespace

Handler deliver_webhook_handler(SharedTools tools) {
    auto reads = std::make_shared<TenantReads>(tools->settings.database_url, kReadConnections);
    return [tools = std::move(tools), reads](JobContext& context) {
        return deliver(context, *tools, *reads);
    };
}

}  // namespace jobforge::services
