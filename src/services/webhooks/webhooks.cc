#include "services/webhooks/webhooks.h"

#include <chrono>

#include "connect/guard/url_check.h"
#include "connect/webhook/webhook_headers.h"
#include "services/secrets/secret_file.h"
#include "statements/webhooks.h"

namespace jobforge::services {

namespace {

using engine::Repeat;

constexpr std::size_t kSecretBytes = 32;

Status check_url(const std::string& url, bool https_only) {
    if (https_only && !url.starts_with("https://")) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         "webhook endpoints must use https in this environment (BPC_ENV=prod)");
    }
    auto checked = connect::check_url(url);
    if (checked.ok()) {
        return ok_status();
    }
    Error error = std::move(checked).error();
    error.code = ErrorCode::VALIDATION_ERROR;
    return error;
}

Result<std::string> new_secret() {
    const auto bytes = random_bytes(kSecretBytes);
    return bytes.ok() ? connect::webhook_secret_of(*bytes) : Result<std::string>(bytes.error());
}

// Ids of ours are time-ordered; this one must be known before the row is, to seal the secret to it.
Result<Uuid> new_id() {
    const auto random = random_bytes(10);
    if (!random.ok()) {
        return random.error();
    }
    std::array<std::uint8_t, 10> bytes{};
    std::copy(random->begin(), random->end(), bytes.begin());
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return Uuid::v7(std::chrono::duration_cast<std::chrono::milliseconds>(now).count(), bytes);
}

}  // namespace

Result<CreatedEndpoint> add_webhook_endpoint(engine::TenantCalls& calls, const SecretBox& box,
                                             const Uuid& tenant, const NewEndpoint& endpoint,
                                             bool https_only) {
    if (auto checked = check_url(endpoint.url, https_only); !checked.ok()) {
        return std::move(checked).error();
    }
    const auto id = new_id();
    auto secret = new_secret();
    if (!id.ok() || !secret.ok()) {
        return id.ok() ? std::move(secret).error() : id.error();
    }
    const auto sealed = box.seal(*secret, tenant, *id);
    if (!sealed.ok()) {
        return sealed.error();
    }
    pg::Params params;
    params.text(endpoint.url)
        .bytea(*sealed)
        .text(endpoint.description)
        .uuid(*id)
        .opt_text(unless_empty(endpoint.actor_id));
    const auto row = calls.run_one(statements::webhooks::kAddWebhookEndpoint, std::move(params),
                                   Repeat::if_not_done);
    if (!row.ok()) {
        return row.error();
    }
    return CreatedEndpoint{*id, *std::move(secret)};
}

Result<RotatedSecret> rotate_webhook_secret(engine::TenantCalls& calls, const SecretBox& box,
                                            const Uuid& tenant, const Uuid& endpoint,
                                            std::chrono::seconds overlap) {
    auto secret = new_secret();
    if (!secret.ok()) {
        return std::move(secret).error();
    }
    const auto sealed = box.seal(*secret, tenant, endpoint);
    if (!sealed.ok()) {
        return sealed.error();
    }
    pg::Params params;
    params.uuid(endpoint).bytea(*sealed).real(static_cast<double>(overlap.count()));
    const auto row = calls.run_one(statements::webhooks::kRotateWebhookSecret, std::move(params),
                                   Repeat::if_not_done);
    if (!row.ok()) {
        return row.error();
    }
    return RotatedSecret{*std::move(secret), row->opt_timestamp(0, 0)};
}

Status set_webhook_endpoint_status(engine::TenantCalls& calls, const Uuid& endpoint,
                                   const std::string& status) {
    pg::Params params;
    params.uuid(endpoint).text(status);
    auto row = calls.run_one(statements::webhooks::kSetWebhookEndpointStatus, std::move(params),
                             Repeat::always);
    return row.ok() ? ok_status() : Status(std::move(row).error());
}

Result<std::vector<Json>> subscribe_webhook(engine::TenantCalls& calls, const Uuid& endpoint,
                                            const std::vector<std::string>& events) {
    pg::Params params;
    params.uuid(endpoint).text_array(events);
    return calls.json_rows(statements::webhooks::kSubscribeWebhook, std::move(params));
}

Result<std::vector<Json>> list_webhook_endpoints(engine::TenantCalls& calls) {
    return calls.json_rows(statements::webhooks::kListWebhookEndpoints, {});
}

Result<std::vector<Json>> list_webhook_deliveries(engine::TenantCalls& calls,
                                                  const DeliveryFilter& filter) {
    pg::Params params;
    params.opt_uuid(filter.webhook_endpoint_id)
        .opt_text(filter.status)
        .opt_uuid(filter.event_id)
        .int4(filter.limit)
        .opt_uuid(filter.before);
    return calls.json_rows(statements::webhooks::kListWebhookDeliveries, std::move(params));
}

Result<Uuid> redeliver_webhook(engine::TenantCalls& calls, const Uuid& delivery) {
    pg::Params params;
    params.uuid(delivery);
    const auto row = calls.run_one(statements::webhooks::kRedeliverWebhook, std::move(params),
                                   Repeat::if_not_done);
    return row.ok() ? Result<Uuid>(row->uuid(0, 0)) : Result<Uuid>(row.error());
}

Result<RedeliveredBatch> redeliver_failed_batch(engine::TenantCalls& calls,
                                                const FailedDeliveries& failed) {
    pg::Params params;
    params.opt_uuid(failed.webhook_endpoint_id)
        .opt_timestamp(failed.since)
        .int4(failed.limit)
        .opt_timestamp(failed.until);
    // What is PENDING again is not FAILED: the same call twice sends nothing twice.
    const auto row =
        calls.run_one(statements::webhooks::kRedeliverFailed, std::move(params), Repeat::always);
    if (!row.ok()) {
        return row.error();
    }
    return RedeliveredBatch{row->integer(0, 0), row->timestamp(0, 1)};
}

Result<std::int64_t> redeliver_failed(engine::TenantCalls& calls, FailedDeliveries failed) {
    for (std::int64_t all = 0;;) {
        const auto batch = redeliver_failed_batch(calls, failed);
        if (!batch.ok()) {
            return batch.error();
        }
        all += batch->redelivered;
        if (batch->redelivered < failed.limit) {
            return all;
        }
        failed.until = batch->until;
    }
}

Status set_webhook_endpoint(engine::TenantCalls& calls, const Uuid& endpoint,
                            const std::string& settings) {
    pg::Params params;
    params.uuid(endpoint).jsonb(settings);
    auto row =
        calls.run_one(statements::webhooks::kSetWebhookEndpoint, std::move(params), Repeat::always);
    return row.ok() ? ok_status() : Status(std::move(row).error());
}

Status remove_webhook_endpoint(engine::TenantCalls& calls, const Uuid& endpoint) {
    pg::Params params;
    params.uuid(endpoint);
    auto row = calls.run_one(statements::webhooks::kRemoveWebhookEndpoint, std::move(params),
                             Repeat::if_not_done);
    return row.ok() ? ok_status() : Status(std::move(row).error());
}

Result<std::vector<Json>> list_webhook_subscriptions(engine::TenantCalls& calls,
                                                     const std::optional<Uuid>& endpoint) {
    pg::Params params;
    params.opt_uuid(endpoint);
    return calls.json_rows(statements::webhooks::kListWebhookSubscriptions, std::move(params));
}

Result<std::vector<Json>> set_webhook_subscriptions(engine::TenantCalls& calls,
                                                    const Uuid& endpoint,
                                                    const std::vector<std::string>& events) {
    pg::Params params;
    params.uuid(endpoint).text_array(events);
    return calls.json_rows(statements::webhooks::kSetWebhookSubscriptions, std::move(params));
}

Result<std::int64_t> unsubscribe_webhook(engine::TenantCalls& calls, const Uuid& endpoint,
                                         const std::vector<std::string>& events) {
    pg::Params params;
    params.uuid(endpoint).text_array(events);
    const auto row =
        calls.run_one(statements::webhooks::kUnsubscribeWebhook, std::move(params), Repeat::always);
    return row.ok() ? Result<std::int64_t>(row->integer(0, 0)) : Result<std::int64_t>(row.error());
}

Status remove_webhook_subscription(engine::TenantCalls& calls, const Uuid& subscription) {
    pg::Params params;
    params.uuid(subscription);
    auto row = calls.run_one(statements::webhooks::kRemoveWebhookSubscription, std::move(params),
                             Repeat::if_not_done);
    return row.ok() ? ok_status() : Status(std::move(row).error());
}

}  // namespace jobforge::services
