// Errors are values that say what to do next.
//
// Every failure of the library is an `Error`: a code from one table (the same word in SQL, logs,
// JSON and HTTP), a sentence for people, and three answers that decide what a caller may do:
// may it be repeated (`retryable`), is the connection gone (`connection_lost`), and is it unknown
// whether the work was done (`outcome_unknown`: look it up by key or token, never assume).
// `Result<T>` carries either a value or an Error; the library throws only on broken invariants.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace jobforge {

enum class ErrorCode {
#define JOBFORGE_ERROR(name, sqlstate, http, retryable) name,
#include <jobforge/error_codes.def>
#undef JOBFORGE_ERROR
};

// The code's word, e.g. "LEASE_LOST".
[[nodiscard]] std::string_view to_string(ErrorCode code) noexcept;
// The code with this word; nullopt for anything else.
[[nodiscard]] std::optional<ErrorCode> error_code_from_string(std::string_view name) noexcept;
// The code with this SQLSTATE ("JF012"); nullopt for anything else.
[[nodiscard]] std::optional<ErrorCode> error_code_from_sqlstate(std::string_view state) noexcept;
[[nodiscard]] std::string_view sqlstate_of(ErrorCode code) noexcept;
[[nodiscard]] int http_status_of(ErrorCode code) noexcept;
// Whether the table says that repeating can help.
[[nodiscard]] bool retryable_by_default(ErrorCode code) noexcept;

struct Error {
    ErrorCode code = ErrorCode::INTERNAL_ERROR;
    std::string message;           // for people; never holds a secret
    bool retryable = false;        // repeating the same call can succeed
    bool connection_lost = false;  // the connection it ran on is gone
    bool outcome_unknown = false;  // it may have happened: look it up before repeating
    std::string sqlstate;          // what Postgres said, if it came from there
    std::string statement;         // name of the SQL statement, if any
    std::string hint;              // what to do next, if we know
    std::string details;           // JSON object text, or empty

    // An error with the table's answer to "retryable".
    [[nodiscard]] static Error of(ErrorCode code, std::string message);
    // {"code","message","retryable","details"?}: how errors are stored with a job.
    [[nodiscard]] std::string to_json() const;
    // One line for logs and terminals: "LEASE_LOST: ... (statement complete_jobs, SQLSTATE JF012)".
    [[nodiscard]] std::string describe() const;
};

// A value of type T, or the Error that prevented it.
template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return ok(); }

    // Precondition: ok(). Aborts with std::bad_variant_access otherwise: check first.
    [[nodiscard]] T& value() & { return std::get<0>(state_); }
    [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
    [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    // Precondition: !ok().
    [[nodiscard]] const Error& error() const& { return std::get<1>(state_); }
    [[nodiscard]] Error&& error() && { return std::get<1>(std::move(state_)); }

private:
    std::variant<T, Error> state_;
};

// Success without a value, or an Error.
struct Success {};
using Status = Result<Success>;
inline Status ok_status() {
    return Status(Success{});
}

// How a function that returns T reports an Error (JOBFORGE_TRY, <jobforge/try.h>). Specialise it
// for a type of your own; Outcome has one in <jobforge/outcome.h>.
template <typename T>
struct FromError;
template <typename T>
struct FromError<Result<T>> {
    [[nodiscard]] static Result<T> of(Error&& error) { return Result<T>(std::move(error)); }
};

}  // namespace jobforge
