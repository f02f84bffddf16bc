// /v1/webhook-endpoints, -subscriptions, -deliveries after the first day: changed, ended, sent
// again.
#include "api/answers.h"
#include "api/job_fields.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "base/text/time_text.h"
#include "services/webhooks/webhooks.h"

namespace jobforge::api {

namespace {

using services::Permission;

constexpr std::string_view kId = "webhook_endpoint_id";
constexpr int kRedeliverAtOnce = 1000;

// The body is what changes, as jobforge.set_webhook_endpoint reads it.
Result<http::Response> change_endpoint(RequestContext& context) {
    const auto id = context.id(kId);
    return id.ok() ? answer_done(
                         services::set_webhook_endpoint(*context.calls, *id, context.body.dump()))
                   : Result<http::Response>(id.error());
}

Result<http::Response> remove_endpoint(RequestContext& context) {
    const auto id = context.id(kId);
    return id.ok() ? answer_done(services::remove_webhook_endpoint(*context.calls, *id))
                   : Result<http::Response>(id.error());
}

Result<http::Response> list_subscriptions(RequestContext& context) {
    QueryFields query(context.request);
    const auto endpoint = query.opt_uuid(kId);
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    return answer_list(services::list_webhook_subscriptions(*context.calls, endpoint));
}

// These events and no others.
Result<http::Response> set_subscriptions(RequestContext& context) {
    const auto id = context.id(kId);
    BodyFields body(context.body);
    const auto events = body.texts("event_types");
    if (events.empty()) {
        body.refuse("event_types", "must name at least one event, or \"*\"");
    }
    const Status read = body.finish();
    if (!id.ok() || !read.ok()) {
        return id.ok() ? read.error() : id.error();
    }
    return answer_list(services::set_webhook_subscriptions(*context.calls, *id, events));
}

Result<http::Response> remove_subscription(RequestContext& context) {
    const auto id = context.id("webhook_subscription_id");
    return id.ok() ? answer_done(services::remove_webhook_subscription(*context.calls, *id))
                   : Result<http::Response>(id.error());
}

// One batch: `until` in the next call keeps it from sending again what failed anew meanwhile.
Result<http::Response> redeliver(RequestContext& context) {
    BodyFields body(context.body);
    services::FailedDeliveries failed;
    failed.webhook_endpoint_id = body.opt_uuid(kId);
    failed.since = timestamp_of(body.opt_time("failed_since"));
    failed.until = timestamp_of(body.opt_time("failed_until"));
    failed.limit = body.opt_int("limit", 1, kRedeliverAtOnce).value_or(kRedeliverAtOnce);
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    const auto batch = services::redeliver_failed_batch(*context.calls, failed);
    if (!batch.ok()) {
        return batch.error();
    }
    return json_response(Json::object({{"redelivered", batch->redelivered},
                                       {"more", batch->redelivered == failed.limit},
                                       {"failed_until", format_time(batch->until.unix_us)}})
                             .dump(),
                         202);
}

constexpr Permission kAdmin = Permission::webhooks_admin;
}  // namespace

std::span<const Route> webhook_change_routes() {
    static constexpr Route kRoutes[] = {
        {"PATCH", "/v1/webhook-endpoints/{webhook_endpoint_id}", kAdmin, Work::change,
         &change_endpoint, kSmallBody},
        {"DELETE", "/v1/webhook-endpoints/{webhook_endpoint_id}", kAdmin, Work::change,
         &remove_endpoint},
        {"PUT", "/v1/webhook-endpoints/{webhook_endpoint_id}/subscriptions", kAdmin, Work::change,
         &set_subscriptions, kSmallBody},
        {"GET", "/v1/webhook-subscriptions", kAdmin, Work::read, &list_subscriptions},
        {"DELETE", "/v1/webhook-subscriptions/{webhook_subscription_id}", kAdmin, Work::change,
         &remove_subscription},
        {"POST", "/v1/webhook-deliveries/redeliver", kAdmin, Work::change, &redeliver, kSmallBody},
    };
    return kRoutes;
}

}  // namespace jobforge::api
