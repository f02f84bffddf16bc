// /v1/webhook-endpoints, -subscriptions, -deliveries.
#include "api/answers.h"
#include "api/job_fields.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "base/text/time_text.h"
#include "services/webhooks/webhooks.h"

namespace jobforge::api {

namespace {

using services::Permission;

constexpr int kLongestOverlapSeconds = 30 * 24 * 3600;
constexpr int kUsualOverlapSeconds = 24 * 3600;
constexpr std::string_view kId = "webhook_endpoint_id";

Error no_box() {
    Error error = Error::of(ErrorCode::CONFIG_MISSING, "this node has no key to seal secrets with");
    error.hint = "Set JOBFORGE_MASTER_KEY_BASE64.";
    return error;
}

// The secret stands in this answer and nowhere else.
Result<http::Response> create(RequestContext& context) {
    BodyFields body(context.body);
    services::NewEndpoint endpoint;
    endpoint.url = body.text("url");
    endpoint.description = body.opt_text("description").value_or("");
    endpoint.actor_id = context.actor();
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    if (!context.tools.secrets) {
        return no_box();
    }
    const auto made = services::add_webhook_endpoint(*context.calls, *context.tools.secrets,
                                                     context.principal->tenant_id, endpoint,
                                                     context.tools.https_only);
    if (!made.ok()) {
        return made.error();
    }
    return json_response(
        Json::object({{"webhook_endpoint_id", made->webhook_endpoint_id.to_string()},
                      {"secret", made->secret}})
            .dump(),
        201);
}

Result<http::Response> list(RequestContext& context) {
    return answer_list(services::list_webhook_endpoints(*context.calls));
}

Result<http::Response> set_status(RequestContext& context, const char* status) {
    const auto id = context.id(kId);
    return id.ok() ? answer_done(services::set_webhook_endpoint_status(*context.calls, *id, status))
                   : Result<http::Response>(id.error());
}

Result<http::Response> enable(RequestContext& context) {
    return set_status(context, "ACTIVE");
}

Result<http::Response> disable(RequestContext& context) {
    return set_status(context, "DISABLED");
}

Result<http::Response> rotate(RequestContext& context) {
    const auto id = context.id(kId);
    BodyFields body(context.body);
    const int overlap =
        body.opt_int("overlap_seconds", 0, kLongestOverlapSeconds).value_or(kUsualOverlapSeconds);
    const Status read = body.finish();
    if (!id.ok() || !read.ok()) {
        return id.ok() ? read.error() : id.error();
    }
    if (!context.tools.secrets) {
        return no_box();
    }
    const auto rotated = services::rotate_webhook_secret(*context.calls, *context.tools.secrets,
                                                         context.principal->tenant_id, *id,
                                                         std::chrono::seconds(overlap));
    if (!rotated.ok()) {
        return rotated.error();
    }
    Json answer =
        Json::object({{"webhook_endpoint_id", id->to_string()}, {"secret", rotated->secret}});
    answer.set("old_signs_until", rotated->old_signs_until
                                      ? Json(format_time(rotated->old_signs_until->unix_us))
                                      : Json());
    return json_response(answer.dump());
}

Result<http::Response> subscribe(RequestContext& context) {
    BodyFields body(context.body);
    const Uuid endpoint = body.uuid("webhook_endpoint_id");
    const auto events = body.texts("event_types");
    if (events.empty()) {
        body.refuse("event_types", "must name at least one event, or \"*\"");
    }
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    const auto rows = services::subscribe_webhook(*context.calls, endpoint, events);
    if (!rows.ok()) {
        return rows.error();
    }
    return json_response(whole_list(*rows), 201);
}

Result<http::Response> list_deliveries(RequestContext& context) {
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    services::DeliveryFilter filter;
    filter.limit = page.rows_to_ask();
    filter.before = page.before_id(query);
    filter.webhook_endpoint_id = query.opt_uuid("webhook_endpoint_id");
    filter.status = query.opt_text("status");
    filter.event_id = query.opt_uuid("event_id");
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    return answer_page(services::list_webhook_deliveries(*context.calls, filter), page,
                       "webhook_delivery_id");
}

Result<http::Response> redeliver(RequestContext& context) {
    const auto id = context.id("webhook_delivery_id");
    if (!id.ok()) {
        return id.error();
    }
    const auto job = services::redeliver_webhook(*context.calls, *id);
    if (!job.ok()) {
        return job.error();
    }
    context.enqueued.push_back(*job);
    return json_response(Json::object({{"job_id", job->to_string()}}).dump(), 202);
}

constexpr Permission kAdmin = Permission::webhooks_admin;
}  // namespace

std::span<const Route> webhook_routes() {
    static constexpr Route kRoutes[] = {
        {"POST", "/v1/webhook-endpoints", kAdmin, Work::change, &create, kSmallBody, false,
         "secret"},
        {"GET", "/v1/webhook-endpoints", kAdmin, Work::read, &list},
        {"POST", "/v1/webhook-endpoints/{webhook_endpoint_id}/enable", kAdmin, Work::change,
         &enable, kSmallBody},
        {"POST", "/v1/webhook-endpoints/{webhook_endpoint_id}/disable", kAdmin, Work::change,
         &disable, kSmallBody},
        {"POST", "/v1/webhook-endpoints/{webhook_endpoint_id}/rotate-secret", kAdmin, Work::change,
         &rotate, kSmallBody, false, "secret"},
        {"POST", "/v1/webhook-subscriptions", kAdmin, Work::change, &subscribe, kSmallBody},
        {"GET", "/v1/webhook-deliveries", kAdmin, Work::read, &list_deliveries},
        {"POST", "/v1/webhook-deliveries/{webhook_delivery_id}/redeliver", kAdmin, Work::change,
         &redeliver, kSmallBody},
    };
    return kRoutes;
}

}  // namespace jobforge::api
