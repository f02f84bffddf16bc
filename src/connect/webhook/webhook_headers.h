// BPC-WH-1: how a receiver can tell that a webhook is ours. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <jobforge/error.h>

#include "connect/http/http_request.h"

namespace jobforge::connect {

struct WebhookMessage {
    std::string_view event_type;   // "PASSPORT_SIGNED"
    std::string_view delivery_id;  // the same at every attempt: receivers drop repeats by it
    std::int64_t unix_time = 0;    // seconds, of this attempt: receivers refuse old ones
    std::string_view body;         // the exact bytes that are sent
};

// Content-Type and the signatures:
//   X-BPC-Signature: sha256=<hex HMAC-SHA256 of the body, keyed with the first secret's text>
//   X-BPC-Event-Type, X-BPC-Delivery-Id, X-BPC-Timestamp
//   webhook-id (the delivery's), webhook-timestamp, webhook-signature: v1,<base64> ... over
//   "id.timestamp.body", one signature a secret (Standard Webhooks 1.0).
// `secrets` are texts `whsec_` + base64, the one in force first; during a rotation the new one
// follows. VALIDATION_ERROR if there is none, one is malformed (the message never shows it), or an
// id or type could not stand in a header.
[[nodiscard]] Result<HttpHeaders> webhook_headers(std::span<const std::string> secrets,
                                                  const WebhookMessage& message);

// The text of a secret whose key is these bytes. 24 to 64 of them, as Standard Webhooks asks.
[[nodiscard]] Result<std::string> webhook_secret_of(std::string_view random_bytes);

}  // namespace jobforge::connect
