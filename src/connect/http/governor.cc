#include "connect/http/governor.h"

#include <algorithm>

#include <fmt/format.h>
#include <jobforge/json.h>

namespace jobforge::connect {

namespace {

constexpr std::string_view kRetryAfter = "retry_after_ms";

Error not_now(ErrorCode code, std::string_view what, const Verdict& verdict) {
    const std::int64_t wait = std::max<std::int64_t>(verdict.wait.count(), 0);
    Error error = Error::of(
        code, fmt::format("{}{}{}", what, verdict.reason.empty() ? "" : ": ", verdict.reason));
    error.hint = fmt::format("it is tried again in {} ms; no attempt is spent", wait);
    error.details =
        Json::object({{std::string(kRetryAfter), wait}, {"reason", verdict.reason}}).dump();
    return error;
}

}  // namespace

Error refused(const Verdict& verdict) {
    switch (verdict.kind) {
        case Verdict::Kind::disabled:
            return Error::of(ErrorCode::SOURCE_DISABLED,
                             verdict.reason.empty() ? "it is disabled" : verdict.reason);
        case Verdict::Kind::paused:
            return not_now(ErrorCode::SOURCE_PAUSED, "it is paused", verdict);
        default:
            return not_now(ErrorCode::RATE_LIMITED, "no request may be sent yet", verdict);
    }
}

Error shortage(std::string_view what, std::chrono::milliseconds wait) {
    return refused({Verdict::Kind::wait, wait, {}, std::string(what)});
}

std::optional<std::chrono::milliseconds> refused_for(const Error& error) {
    if (error.code != ErrorCode::RATE_LIMITED && error.code != ErrorCode::SOURCE_PAUSED) {
        return std::nullopt;
    }
    const auto details = Json::parse(error.details);
    const Json* wait = details.ok() ? details->find(kRetryAfter) : nullptr;
    const auto count = wait != nullptr ? wait->as_int64() : std::nullopt;
    return count && *count >= 0 ? std::optional(std::chrono::milliseconds(*count)) : std::nullopt;
}

}  // namespace jobforge::connect
