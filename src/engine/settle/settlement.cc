#include "engine/settle/settlement.h"

#include <algorithm>

namespace jobforge::engine {

namespace {

constexpr std::size_t kMaxErrorText = 64UL * 1024;

double to_seconds(std::chrono::milliseconds time) {
    return std::max(0.0, static_cast<double>(time.count()) / 1000.0);
}

}  // namespace

std::string error_json(const JobError& error, bool retryable, const Redactor& redactor) {
    const std::string_view message = std::string_view(error.message).substr(0, kMaxErrorText);
    std::string json =
        R"({"code":)" + json_quote(error.code.empty() ? "INTERNAL_ERROR" : error.code);
    json += R"(,"message":)" + json_quote(message);
    json += retryable ? R"(,"retryable":true)" : R"(,"retryable":false)";
    if (!error.details.is_null()) {
        std::string details = error.details.dump();
        if (details.size() <= kMaxErrorText) {
            json += R"(,"details":)" + details;
        }
    }
    json += '}';
    return redactor.empty() ? json : redactor.apply(json);
}

Settlement settlement_of(HeldJob& job, const Outcome& outcome, const Redactor& redactor) {
    Settlement settlement{.job = &job};
    if (const auto* done = std::get_if<Done>(&outcome)) {
        if (!done->result.is_null()) {
            settlement.json = done->result.dump();
        }
    } else if (const auto* retry = std::get_if<Retry>(&outcome)) {
        settlement.verdict = Verdict::retry;
        settlement.json = error_json(retry->error, true, redactor);
        if (retry->after) {
            settlement.seconds = to_seconds(*retry->after);
        }
    } else if (const auto* snooze = std::get_if<Snooze>(&outcome)) {
        settlement.verdict = Verdict::snooze;
        settlement.seconds = to_seconds(snooze->after);
    } else if (const auto* fail = std::get_if<Fail>(&outcome)) {
        settlement.verdict = Verdict::fail;
        settlement.json = error_json(fail->error, false, redactor);
    } else if (const auto* cancelled = std::get_if<Cancelled>(&outcome)) {
        settlement.verdict = Verdict::cancelled;
        settlement.json =
            error_json(JobError("CANCELLED", cancelled->reason.empty()
                                                 ? "the handler found that the work is not needed"
                                                 : cancelled->reason),
                       false, redactor);
    }
    return settlement;
}

}  // namespace jobforge::engine
