// Use cases: webhook endpoints, subscriptions and deliveries. Threads: as TenantCalls.
#pragma once

#include <chrono>

#include "pg/params.h"
#include "services/passport/documents.h"
#include "services/secrets/secret_box.h"

namespace jobforge::services {

struct NewEndpoint {
    std::string url;
    std::string description = {};
    std::string actor_id = {};
};
struct CreatedEndpoint {
    Uuid webhook_endpoint_id;
    std::string secret;  // whsec_...: shown once, stored encrypted
};
// VALIDATION_ERROR for an URL that could never be called; `https_only` refuses http.
[[nodiscard]] Result<CreatedEndpoint> add_webhook_endpoint(engine::TenantCalls& calls,
                                                           const SecretBox& box, const Uuid& tenant,
                                                           const NewEndpoint& endpoint,
                                                           bool https_only);
[[nodiscard]] Status set_webhook_endpoint_status(engine::TenantCalls& calls, const Uuid& endpoint,
                                                 const std::string& status);
// A new secret for an endpoint. Until `old_signs_until` the old one signs too, so that receivers
// can change over without losing a delivery. NOT_FOUND.
struct RotatedSecret {
    std::string secret;                            // whsec_...: shown once, stored encrypted
    std::optional<pg::Timestamp> old_signs_until;  // nullopt: the old one is gone at once
};
[[nodiscard]] Result<RotatedSecret> rotate_webhook_secret(engine::TenantCalls& calls,
                                                          const SecretBox& box, const Uuid& tenant,
                                                          const Uuid& endpoint,
                                                          std::chrono::seconds overlap);
// `settings`: a JSON object with description or disable_after (permanent failures in a row; null:
// never). NOT_FOUND, VALIDATION_ERROR.
[[nodiscard]] Status set_webhook_endpoint(engine::TenantCalls& calls, const Uuid& endpoint,
                                          const std::string& settings);
// With its subscriptions and secrets. INVALID_TRANSITION: it has deliveries, which are kept.
[[nodiscard]] Status remove_webhook_endpoint(engine::TenantCalls& calls, const Uuid& endpoint);
[[nodiscard]] Result<std::vector<Json>> list_webhook_subscriptions(
    engine::TenantCalls& calls, const std::optional<Uuid>& endpoint);
// These events and no others from now on.
[[nodiscard]] Result<std::vector<Json>> set_webhook_subscriptions(
    engine::TenantCalls& calls, const Uuid& endpoint, const std::vector<std::string>& events);
// How many of these events the endpoint was subscribed to.
[[nodiscard]] Result<std::int64_t> unsubscribe_webhook(engine::TenantCalls& calls,
                                                       const Uuid& endpoint,
                                                       const std::vector<std::string>& events);
[[nodiscard]] Status remove_webhook_subscription(engine::TenantCalls& calls,
                                                 const Uuid& subscription);
// Stored names (PASSPORT_SIGNED), "*", or dotted aliases (passport.version.signed).
[[nodiscard]] Result<std::vector<Json>> subscribe_webhook(engine::TenantCalls& calls,
                                                          const Uuid& endpoint,
                                                          const std::vector<std::string>& events);
// Without secrets.
[[nodiscard]] Result<std::vector<Json>> list_webhook_endpoints(engine::TenantCalls& calls);

struct DeliveryFilter : Page {
    std::optional<Uuid> webhook_endpoint_id = {};
    std::optional<std::string> status = {};
    std::optional<Uuid> event_id = {};
};
[[nodiscard]] Result<std::vector<Json>> list_webhook_deliveries(engine::TenantCalls& calls,
                                                                const DeliveryFilter& filter);
// A FAILED delivery once more; its new job. INVALID_TRANSITION.
[[nodiscard]] Result<Uuid> redeliver_webhook(engine::TenantCalls& calls, const Uuid& delivery);

// Deliveries that FAILED, to one endpoint or, with nullopt, to every ACTIVE one.
struct FailedDeliveries {
    std::optional<Uuid> webhook_endpoint_id = {};
    std::optional<pg::Timestamp> since = {};  // at or after it; nullopt: from the first on
    std::optional<pg::Timestamp> until = {};  // before it; nullopt: until now
    int limit = 1000;                         // of one batch, 1..1000
};
struct RedeliveredBatch {
    std::int64_t redelivered = 0;  // `limit` of them: there may be more
    pg::Timestamp until;           // for the next batch: what fails anew is not sent for ever
};
// One transaction. INVALID_TRANSITION for a DISABLED endpoint.
[[nodiscard]] Result<RedeliveredBatch> redeliver_failed_batch(engine::TenantCalls& calls,
                                                              const FailedDeliveries& failed);
// All of them, batch after batch; how many.
[[nodiscard]] Result<std::int64_t> redeliver_failed(engine::TenantCalls& calls,
                                                    FailedDeliveries failed);

}  // namespace jobforge::services
