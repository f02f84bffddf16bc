#include "services/webhooks/webhook_errors.h"

#include <fmt/format.h>

namespace jobforge::services {

Error webhook_error(const Error& error) {
    if (error.code == ErrorCode::SSRF_BLOCKED) {
        return error;
    }
    Error out = Error::of(error.code == ErrorCode::TIMEOUT ? ErrorCode::WEBHOOK_TIMEOUT
                                                           : ErrorCode::WEBHOOK_DELIVERY_FAILED,
                          error.message);
    out.retryable = error.retryable;
    return out;
}

JobError webhook_refused(int http_status) {
    return {"WEBHOOK_NON_2XX", fmt::format("the receiver answered {}", http_status),
            Json::object({{"http_status", http_status}})};
}

}  // namespace jobforge::services
