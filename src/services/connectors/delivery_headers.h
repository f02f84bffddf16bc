// The body and headers of connector.webhook.deliver. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <jobforge/json.h>

#include "connect/http/outgoing_message.h"

namespace jobforge::services {

struct EventDelivery {
    std::string event_type;
    std::string event_id;  // the same at every attempt: receivers drop repeats by it
    Json data;
    std::int64_t unix_time = 0;  // seconds, of this attempt: receivers refuse old ones
    int attempt = 1;
    bool sha512 = false;  // else sha256
};

// {"data","event_id","event_type","timestamp"}, compact: the exact bytes that are signed and sent.
// The time stands in it too, so that the signature covers it and an old delivery cannot be made
// new by another header.
[[nodiscard]] std::string delivery_body(const EventDelivery& delivery);

// Content-Type and
//   X-JobForge-Event, -Event-ID, -Timestamp, -Delivery-Attempt
//   X-JobForge-Signature: sha256=<hex HMAC of the body, keyed with the secret's text>  (or sha512=)
//   webhook-id, webhook-timestamp, webhook-signature: v1,<base64> over "id.timestamp.body"
// The key of the last (Standard Webhooks 1.0) is what stands behind `whsec_` in base64; a secret of
// any other form is taken as it is, as verifiers do that are given a raw key.
[[nodiscard]] connect::HttpHeaders delivery_headers(const EventDelivery& delivery,
                                                    std::string_view body, std::string_view secret);

}  // namespace jobforge::services
