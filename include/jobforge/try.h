// The value of a Result, or the way out of the function with its Error.
//
//     Result<int> count(Connection& connection) {
//         JOBFORGE_TRY(auto rows, connection.exec("count", "select count(*) from orders"));
//         JOBFORGE_TRY(connection.exec("touch", "update seen set at = now()"));
//         return read_int(rows);
//     }
//
// With one argument: evaluates a Result or a Status once; an Error is returned from the enclosing
// function, a value is dropped. With two: the same, and the value initialises the declaration (or
// is assigned to the variable) that stands first. Values are moved, never copied.
//
// The enclosing function returns a Result of any type, a Status, or, in a handler, an Outcome: the
// error then becomes outcome_of(error), Retry where repeating can help and Fail elsewhere. A type
// of your own takes part with a specialisation of FromError. A lambda needs its return type
// written out (`-> Status`).
//
// Limits of the preprocessor, each of them an error of the compiler:
//   - the form with a declaration is two statements: not as the body of an `if` without braces;
//   - a comma outside of parentheses separates arguments: write `JOBFORGE_TRY((pair<int, int>()))`,
//     and `auto` for a declared type with a comma in it;
//   - no structured bindings: take the value first, then `auto& [a, b] = value;`.
#pragma once

#include <type_traits>
#include <utility>

#include <jobforge/error.h>

namespace jobforge {

template <typename T>
inline constexpr bool kIsResult = false;
template <typename T>
inline constexpr bool kIsResult<Result<T>> = true;

// What JOBFORGE_TRY returns: it converts to every return type that has a FromError.
class [[nodiscard]] TryError final {
public:
    explicit TryError(Error&& error) noexcept : error_(std::move(error)) {}
    template <typename T>
        requires requires(Error&& error) { FromError<T>::of(std::move(error)); }
    operator T() && {  // NOLINT(google-explicit-constructor): `return` converts implicitly
        return FromError<T>::of(std::move(error_));
    }

private:
    Error error_;
};

// The Error of a failed Result. Refuses what is not a Result when it is compiled.
template <typename T>
TryError try_error(T&& result) {
    static_assert(kIsResult<std::remove_cvref_t<T>>,
                  "JOBFORGE_TRY takes an expression of type jobforge::Result<T> or Status");
    return TryError(Error(std::forward<T>(result).error()));
}

}  // namespace jobforge

#define JOBFORGE_TRY(first, ...)                                                  \
    JOBFORGE_TRY_CALL(JOBFORGE_TRY_JOIN(JOBFORGE_TRY_STATUS, __VA_OPT__(_VALUE)), \
                      JOBFORGE_TRY_JOIN(jobforge_try_, __COUNTER__),              \
                      first __VA_OPT__(, ) __VA_ARGS__)

// Not for use: the parts of JOBFORGE_TRY.
#define JOBFORGE_TRY_JOIN(a, b) JOBFORGE_TRY_PASTE(a, b)
#define JOBFORGE_TRY_PASTE(a, b) a##b
#define JOBFORGE_TRY_CALL(form, ...) form(__VA_ARGS__)
#define JOBFORGE_TRY_STATUS(name, ...)                     \
    do {                                                   \
        auto name = (__VA_ARGS__);                         \
        if (!name.ok()) {                                  \
            return ::jobforge::try_error(std::move(name)); \
        }                                                  \
    } while (false)
#define JOBFORGE_TRY_STATUS_VALUE(name, declaration, ...) \
    auto name = (__VA_ARGS__);                            \
    if (!name.ok()) {                                     \
        return ::jobforge::try_error(std::move(name));    \
    }                                                     \
    declaration = *std::move(name)
