#include "connect/http/classify.h"

#include <algorithm>

#include "connect/http/governor.h"
#include "connect/http/retry_after.h"

namespace jobforge::connect {

bool is_retryable_status(int status) noexcept {
    return status >= 500 || status == 408 || status == 425 || status == 429;
}

Classified classify(const HttpResponse& response, std::chrono::sys_seconds now) {
    using Kind = Classified::Kind;
    using Peer = Classified::Peer;
    if (response.status >= 200 && response.status < 300) {
        return {Kind::ok, Peer::healthy, std::nullopt};
    }
    if (!is_retryable_status(response.status)) {
        return {Kind::permanent, Peer::healthy, std::nullopt};
    }
    Classified result{Kind::retry, Peer::failing, std::nullopt};
    if (const auto header = response.header("retry-after")) {
        result.retry_after = retry_after(*header, now);
    }
    return result;
}

Classified classify(const Error& error) {
    Classified result;
    result.kind = error.retryable ? Classified::Kind::retry : Classified::Kind::permanent;
    // Everything else ended before the peer was asked.
    if (error.code == ErrorCode::CONNECTION_FAILED || error.code == ErrorCode::TIMEOUT) {
        result.peer = Classified::Peer::failing;
    }
    if (const auto wait = refused_for(error); wait && error.retryable) {
        result.retry_after = std::min<std::chrono::milliseconds>(*wait, kLongestRetryAfter);
    }
    return result;
}

Classified classify(const Result<HttpResponse>& outcome, std::chrono::sys_seconds now) {
    return outcome.ok() ? classify(*outcome, now) : classify(outcome.error());
}

}  // namespace jobforge::connect
