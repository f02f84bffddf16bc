// jobforge webhooks
// add|subscribe|unsubscribe|rotate|list|deliveries|redeliver|enable|disable|remove
#include <fmt/format.h>

#include "base/text/counted.h"
#include "base/text/duration_text.h"
#include "base/text/time_text.h"
#include "cli/arguments.h"
#include "cli/commands/commands.h"
#include "cli/commands/use_case.h"
#include "cli/serve/passport_service.h"
#include "cli/usage.h"
#include "cli/view/output.h"
#include "cli/view/rows_view.h"
#include "services/webhooks/webhooks.h"

namespace jobforge::cli {

namespace {

struct WebhookOptions {
    std::string url;
    std::string description;
    std::string id;
    std::string endpoint;
    std::vector<std::string> events;
    std::optional<std::string> status;
    std::string overlap = "24h";
    std::string failed_since;
    std::string failed_until;
    PageOptions page;
};

constexpr IdKind kEndpointId{"webhook endpoint id", "jobforge webhooks list"};
constexpr IdKind kDeliveryId{"webhook delivery id", "jobforge webhooks deliveries"};

Result<std::shared_ptr<const services::SecretBox>> box_of(const Context& context) {
    auto box = secret_box(context.config);
    if (box.ok() && *box == nullptr) {
        Error error = Error::of(ErrorCode::CONFIG_MISSING,
                                "there is no master key to encrypt the endpoint's secret with");
        error.hint = "Set JOBFORGE_MASTER_KEY_BASE64, the same for this command and the workers.";
        return error;
    }
    return box;
}

Status add(const Context& context, const WebhookOptions& options, engine::TenantCalls& calls,
           const services::SecretBox& box) {
    const auto tenant = tenant_of(calls);
    if (!tenant.ok()) {
        return tenant.error();
    }
    auto made = services::add_webhook_endpoint(
        calls, box, *tenant,
        {.url = options.url, .description = options.description, .actor_id = kActor},
        context.config.environment == "prod");
    if (!made.ok()) {
        return std::move(made).error();
    }
    const Json row = Json::object(
        {{"webhook_endpoint_id", made->webhook_endpoint_id.to_string()}, {"secret", made->secret}});
    print(context.json ? row.dump() + "\n" : row_as_text(row));
    remark(context,
           "The secret is shown this once: give it to the receiver, which verifies deliveries with "
           "it.");
    return ok_status();
}

int run_add(const Context& context, const WebhookOptions& options) {
    const auto box = box_of(context);
    if (!box.ok()) {
        return context.fail(box.error());
    }
    return with_calls(
        context, [&](engine::TenantCalls& calls) { return add(context, options, calls, **box); });
}

Status rotate(const Context& context, std::chrono::seconds overlap, engine::TenantCalls& calls,
              const Uuid& endpoint, const services::SecretBox& box) {
    const auto tenant = tenant_of(calls);
    if (!tenant.ok()) {
        return tenant.error();
    }
    auto rotated = services::rotate_webhook_secret(calls, box, *tenant, endpoint, overlap);
    if (!rotated.ok()) {
        return std::move(rotated).error();
    }
    const auto& until = rotated->old_signs_until;
    const Json row =
        Json::object({{"webhook_endpoint_id", endpoint.to_string()},
                      {"secret", rotated->secret},
                      {"old_signs_until", until ? Json(format_time(until->unix_us)) : Json()}});
    print(context.json ? row.dump() + "\n" : row_as_text(row));
    remark(context, until
                        ? "The new secret is shown this once. Until then both sign: receivers can "
                          "change over meanwhile."
                        : "The new secret is shown this once. The old one is gone.");
    return ok_status();
}

int run_rotate(const Context& context, const WebhookOptions& options) {
    const auto overlap = parse_duration_ms(options.overlap);
    if (!overlap.ok()) {
        return context.fail(usage_error("--overlap: " + overlap.error().message));
    }
    const auto box = box_of(context);
    if (!box.ok()) {
        return context.fail(box.error());
    }
    const std::chrono::milliseconds time(*overlap);
    return with_id(
        context, kEndpointId, options.id, [&](engine::TenantCalls& calls, const Uuid& id) {
            return rotate(context, std::chrono::ceil<std::chrono::seconds>(time), calls, id, **box);
        });
}

int run_subscribe(const Context& context, const WebhookOptions& options) {
    return with_id(
        context, kEndpointId, options.id, [&](engine::TenantCalls& calls, const Uuid& id) {
            return show_rows(context, services::subscribe_webhook(calls, id, options.events),
                             {"webhook_subscription_id", "event_type"});
        });
}

int run_unsubscribe(const Context& context, const WebhookOptions& options) {
    return with_id(context, kEndpointId, options.id,
                   [&](engine::TenantCalls& calls, const Uuid& id) -> Status {
                       const auto count = services::unsubscribe_webhook(calls, id, options.events);
                       if (!count.ok()) {
                           return count.error();
                       }
                       print_line(context.json ? Json::object({{"unsubscribed", *count}}).dump()
                                               : fmt::format("{} subscription{} ended", *count,
                                                             *count == 1 ? "" : "s"));
                       return ok_status();
                   });
}

int run_remove(const Context& context, const WebhookOptions& options) {
    return with_id(context, kEndpointId, options.id,
                   [&context](engine::TenantCalls& calls, const Uuid& id) -> Status {
                       if (auto done = services::remove_webhook_endpoint(calls, id); !done.ok()) {
                           return done;
                       }
                       print_line(context.json
                                      ? Json::object({{"webhook_endpoint_id", id.to_string()},
                                                      {"removed", true}})
                                            .dump()
                                      : fmt::format("{} is removed", id.to_string()));
                       return ok_status();
                   });
}

int run_list(const Context& context, const WebhookOptions& /*options*/) {
    return with_calls(context, [&context](engine::TenantCalls& calls) {
        return show_rows(context, services::list_webhook_endpoints(calls),
                         {"webhook_endpoint_id", "url", "status", "event_types",
                          "permanent_failures", "disabled_reason", "description", "created_at"});
    });
}

int run_deliveries(const Context& context, const WebhookOptions& options) {
    const auto endpoint = optional_id_argument(kEndpointId, options.endpoint);
    const auto before = optional_id_argument(kDeliveryId, options.page.before);
    if (!endpoint.ok() || !before.ok()) {
        return context.fail(endpoint.ok() ? before.error() : endpoint.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) {
        services::DeliveryFilter filter;
        filter.limit = options.page.limit;
        filter.before = *before;
        filter.webhook_endpoint_id = *endpoint;
        filter.status = options.status;
        return show_rows(context, services::list_webhook_deliveries(calls, filter),
                         {"webhook_delivery_id", "event_type", "status", "attempts", "http_status",
                          "created_at", "delivered_at", "error_message"});
    });
}

int redeliver_one(const Context& context, const WebhookOptions& options) {
    return with_id(context, kDeliveryId, options.id,
                   [&context](engine::TenantCalls& calls, const Uuid& id) -> Status {
                       const auto job = services::redeliver_webhook(calls, id);
                       if (!job.ok()) {
                           return job.error();
                       }
                       print_id(context, "job_id", *job);
                       return ok_status();
                   });
}

// By the database's clock, as everywhere. nullopt for an empty text.
Result<std::optional<pg::Timestamp>> past_time(const Context& context, std::string_view option,
                                               const std::string& text) {
    const auto when = past_argument(option, text);
    if (!when.ok()) {
        return when.error();
    }
    if (!when->at && !when->from_now) {
        return std::optional<pg::Timestamp>();
    }
    auto client = context.client();
    if (!client.ok()) {
        return std::move(client).error();
    }
    const auto time = resolve(*when, *client);
    if (!time.ok()) {
        return time.error();
    }
    return std::optional(pg::Timestamp{(*time)->time_since_epoch().count()});
}

int redeliver_all(const Context& context, const WebhookOptions& options) {
    const auto endpoint = optional_id_argument(kEndpointId, options.endpoint);
    if (!endpoint.ok()) {
        return context.fail(endpoint.error());
    }
    const auto since = past_time(context, "--failed-since", options.failed_since);
    const auto until = past_time(context, "--failed-until", options.failed_until);
    if (!since.ok() || !until.ok()) {
        return context.fail(since.ok() ? until.error() : since.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) -> Status {
        const auto count = services::redeliver_failed(
            calls, {.webhook_endpoint_id = *endpoint, .since = *since, .until = *until});
        if (!count.ok()) {
            return count.error();
        }
        print_line(context.json ? Json::object({{"redelivered", *count}}).dump()
                                : counted(*count, "delivery is", "deliveries are") + " sent again");
        return ok_status();
    });
}

int run_redeliver(const Context& context, const WebhookOptions& options) {
    if (options.id.empty() == options.failed_since.empty()) {
        return context.fail(usage_error(
            "redeliver takes a delivery's id, or --failed-since",
            "One: jobforge webhooks redeliver ID. All that failed today: --failed-since 1d."));
    }
    return options.id.empty() ? redeliver_all(context, options) : redeliver_one(context, options);
}

int set_status(const Context& context, const WebhookOptions& options, const std::string& status) {
    return with_id(
        context, kEndpointId, options.id,
        [&](engine::TenantCalls& calls, const Uuid& id) -> Status {
            if (auto done = services::set_webhook_endpoint_status(calls, id, status); !done.ok()) {
                return done;
            }
            print_line(context.json ? Json::object({{"webhook_endpoint_id", id.to_string()},
                                                    {"status", status}})
                                          .dump()
                                    : fmt::format("{} {}", id.to_string(), status));
            return ok_status();
        });
}

int run_enable(const Context& context, const WebhookOptions& options) {
    return set_status(context, options, "ACTIVE");
}

int run_disable(const Context& context, const WebhookOptions& options) {
    return set_status(context, options, "DISABLED");
}

std::shared_ptr<WebhookOptions> fresh() {
    return std::make_shared<WebhookOptions>();
}

Command add_one(Command webhooks, Context& context, const std::shared_ptr<WebhookOptions>& options,
                const std::string& name, const std::string& help,
                int (*run)(const Context&, const WebhookOptions&)) {
    Command command = add_verb(webhooks, context, options, name, help, run);
    command.option("ID", options->id, "Id").required();
    return command;
}

}  // namespace

void add_webhooks(Command program, Context& context) {
    Command webhooks =
        program.group("webhooks", "Endpoints that receive events, and their deliveries");

    auto added = fresh();
    Command add = add_verb(webhooks, context, added, "add",
                           "A receiver; prints its secret, this once", &run_add);
    add.option("URL", added->url, "Where events are POSTed").required();
    add.option("--description", added->description, "For people");

    auto subscribed = fresh();
    Command subscribe = add_verb(webhooks, context, subscribed, "subscribe",
                                 "Choose the events of a receiver", &run_subscribe);
    subscribe.option("ENDPOINT", subscribed->id, "Webhook endpoint id").required();
    subscribe
        .option("EVENT", subscribed->events,
                "PASSPORT_SIGNED, its alias passport.version.signed, ... or '*' for all")
        .required();

    auto unsubscribed = fresh();
    Command unsubscribe = add_verb(webhooks, context, unsubscribed, "unsubscribe",
                                   "Take events from a receiver", &run_unsubscribe);
    unsubscribe.option("ENDPOINT", unsubscribed->id, "Webhook endpoint id").required();
    unsubscribe.option("EVENT", unsubscribed->events, "As for subscribe").required();

    add_verb(webhooks, context, fresh(), "list", "Receivers and their events", &run_list);

    auto listed = fresh();
    Command deliveries =
        add_verb(webhooks, context, listed, "deliveries",
                 "Deliveries, newest first; --json has the answers", &run_deliveries);
    deliveries.option("--endpoint", listed->endpoint, "Only to this receiver");
    deliveries.option("--status", listed->status, "PENDING, DELIVERED or FAILED");
    add_page_options(deliveries, listed->page);

    auto again = fresh();
    Command redeliver = add_verb(webhooks, context, again, "redeliver",
                                 "Send FAILED deliveries once more", &run_redeliver);
    redeliver.option("ID", again->id, "One delivery");
    redeliver.option("--failed-since", again->failed_since,
                     "All that failed since this time, or a span back (2d)");
    redeliver.option("--failed-until", again->failed_until,
                     "With --failed-since: those that failed before this time");
    redeliver.option("--endpoint", again->endpoint, "With --failed-since: only to this receiver");

    auto rotated = fresh();
    Command rotate = add_verb(webhooks, context, rotated, "rotate",
                              "A new secret; prints it, this once", &run_rotate);
    rotate.option("ENDPOINT", rotated->id, "Webhook endpoint id").required();
    rotate
        .option("--overlap", rotated->overlap, "How long the old secret signs too; 0s: not at all")
        .shows_default();

    add_one(webhooks, context, fresh(), "enable", "An endpoint gets new events again", &run_enable);
    add_one(webhooks, context, fresh(), "disable", "An endpoint gets no new events", &run_disable);
    add_one(webhooks, context, fresh(), "remove",
            "Delete an endpoint; one that has deliveries is kept: disable it", &run_remove);
}

}  // namespace jobforge::cli
