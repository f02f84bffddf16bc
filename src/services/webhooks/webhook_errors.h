// How a webhook's failure is called, by endpoints and connectors alike. Pure.
#pragma once

#include <jobforge/error.h>
#include <jobforge/outcome.h>

namespace jobforge::services {

// The transport's error in the words of webhooks: WEBHOOK_TIMEOUT or WEBHOOK_DELIVERY_FAILED, as
// retryable as it was. SSRF_BLOCKED stays what it is.
[[nodiscard]] Error webhook_error(const Error& error);

// WEBHOOK_NON_2XX, details {"http_status"}.
[[nodiscard]] JobError webhook_refused(int http_status);

}  // namespace jobforge::services
