// How a handler answers: a closed set.
//
// Every outcome settles in the handler's own transaction, if it opened one: its writes commit with
// the outcome or not at all. An exception rolls them back and counts as Retry.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>

#include <jobforge/error.h>
#include <jobforge/json.h>

namespace jobforge {

// What went wrong, for people and programs. Stored with the job; must hold no secret.
struct JobError {
    std::string code;  // SCREAMING_SNAKE, e.g. "SMTP_REFUSED"
    std::string message;
    Json details = {};  // null: none
    JobError(std::string error_code, std::string text, Json more = {})
        : code(std::move(error_code)), message(std::move(text)), details(std::move(more)) {}
    JobError(const Error& error);
};

struct Done {  // SUCCEEDED, with a result (any JSON; over 256 KiB goes to an artifact)
    Json result = {};
};
// Again after the type's backoff, or `after` if that is later; at the last attempt DEAD_LETTER.
// Like every outcome it commits what the handler has written in its transaction.
// Retry::rollback(...) discards that: use it when the next attempt starts from the beginning.
struct Retry {
    JobError error;
    std::optional<std::chrono::milliseconds> after = std::nullopt;
    bool discard_writes = false;
    [[nodiscard]] static Retry rollback(
        JobError error, std::optional<std::chrono::milliseconds> after = std::nullopt) {
        return {std::move(error), after, true};
    }
};
struct Snooze {  // again after `after`; the attempt is not counted
    std::chrono::milliseconds after;
};
struct Fail {  // FAILED at once, also with attempts left
    JobError error;
};
struct Cancelled {  // CANCELLED: the handler found that the work is no longer wanted
    std::string reason = {};
};

using Outcome = std::variant<Done, Retry, Snooze, Fail, Cancelled>;

// The answer to an error by the retry table: Retry when repeating can help (connections refused,
// lost or timed out, a server that restarts, deadlocks, conflicts of versions), else Fail.
//     auto rows = transaction->exec(...);
//     if (!rows) return outcome_of(rows.error());
// which is what `JOBFORGE_TRY(auto rows, transaction->exec(...));` does (<jobforge/try.h>).
[[nodiscard]] Outcome outcome_of(const Error& error);

// In a handler JOBFORGE_TRY answers outcome_of(error).
template <>
struct FromError<Outcome> {
    [[nodiscard]] static Outcome of(Error&& error) { return outcome_of(error); }
};

}  // namespace jobforge
