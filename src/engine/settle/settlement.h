// How one attempt ends: the handler's outcome in the form in which the database is told.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <jobforge/outcome.h>

#include "base/text/redact.h"
#include "engine/worker/held_jobs.h"

namespace jobforge::engine {

enum class Verdict : std::uint8_t { done, retry, snooze, fail, cancelled, release };

struct Settlement {
    HeldJob* job = nullptr;
    Verdict verdict = Verdict::done;
    // done: the result, empty for none; retry, fail, cancelled: the error; JSON text.
    std::string json = {};
    std::optional<double> seconds = std::nullopt;  // retry: not before; snooze: how long
    std::chrono::microseconds duration{0};         // of the handler's run, for the log
    // Set when it may already have been settled as this (a commit whose answer was lost): a refusal
    // then has to be looked up, and `verdict` applies only if the lease is still held.
    std::optional<Verdict> maybe_settled = std::nullopt;
    bool unstored = false;  // kept back by a lock on more than its job's row
};

// `redactor` blanks secrets out of errors. Errors longer than 64 KiB are cut.
[[nodiscard]] Settlement settlement_of(HeldJob& job, const Outcome& outcome,
                                       const Redactor& redactor);

// {"code","message","retryable","details"?} as errors are stored.
[[nodiscard]] std::string error_json(const JobError& error, bool retryable,
                                     const Redactor& redactor);

}  // namespace jobforge::engine
