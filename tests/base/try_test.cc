#include <jobforge/try.h>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <jobforge/outcome.h>

namespace jobforge {
namespace {

Error refused() {
    Error error = Error::of(ErrorCode::LEASE_LOST, "gone");
    error.hint = "start again";
    return error;
}

Result<int> number(int value) {
    return value < 0 ? Result<int>(refused()) : Result<int>(value);
}

Status check(bool good) {
    return good ? ok_status() : Status(refused());
}

Result<std::pair<int, int>> pair_of(int first, int second) {
    return std::pair(first, second);
}

template <typename A, typename B>
Status check_types() {
    return check(sizeof(A) == sizeof(B));
}

Result<int> sum(int a, int b) {
    JOBFORGE_TRY(const int first, number(a));
    JOBFORGE_TRY(auto second, number(b));
    return first + second;
}

TEST(Try, gives_the_value_or_returns_the_whole_error) {
    EXPECT_EQ(*sum(1, 2), 3);
    const auto failed = sum(1, -1);
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().code, ErrorCode::LEASE_LOST);
    EXPECT_EQ(failed.error().message, "gone");
    EXPECT_EQ(failed.error().hint, "start again");
}

TEST(Try, of_a_status_goes_on_or_returns_from_a_function_of_any_result_type) {
    const auto text = [](bool good) -> Result<std::string> {
        JOBFORGE_TRY(check(good));
        return std::string("went on");
    };
    EXPECT_EQ(*text(true), "went on");
    EXPECT_EQ(text(false).error().code, ErrorCode::LEASE_LOST);
    const auto status = [](int value) -> Status {
        JOBFORGE_TRY(number(value));  // the value is dropped
        return ok_status();
    };
    EXPECT_TRUE(status(1).ok());
    EXPECT_FALSE(status(-1).ok());
}

TEST(Try, evaluates_its_expression_once) {
    int calls = 0;
    const auto once = [&]() -> Status {
        JOBFORGE_TRY((++calls, check(true)));
        JOBFORGE_TRY(auto value, (++calls, number(7)));
        EXPECT_EQ(value, 7);
        return ok_status();
    };
    EXPECT_TRUE(once().ok());
    EXPECT_EQ(calls, 2);
}

TEST(Try, moves_values_that_cannot_be_copied) {
    const auto make = [](bool good) -> Result<std::unique_ptr<int>> {
        JOBFORGE_TRY(check(good));
        return std::make_unique<int>(5);
    };
    const auto use = [&](bool good) -> Result<int> {
        JOBFORGE_TRY(auto owned, make(good));
        auto named = make(good);
        JOBFORGE_TRY(auto again, std::move(named));
        return *owned + *again;
    };
    EXPECT_EQ(*use(true), 10);
    EXPECT_FALSE(use(false).ok());
}

TEST(Try, assigns_to_what_exists_and_binds_references) {
    const auto use = []() -> Result<int> {
        int value = 0;
        std::vector<int> values(1);
        JOBFORGE_TRY(value, number(1));
        JOBFORGE_TRY(values[0], number(2));
        JOBFORGE_TRY(const auto& both, pair_of(value, values[0]));
        return both.first + both.second;
    };
    EXPECT_EQ(*use(), 3);
}

TEST(Try, takes_calls_with_several_arguments) {
    const auto use = []() -> Result<int> {
        JOBFORGE_TRY(auto both, pair_of(3, 4));
        JOBFORGE_TRY(pair_of(3, 4));
        JOBFORGE_TRY((check_types<int, unsigned>()));
        return both.first * both.second;
    };
    EXPECT_EQ(*use(), 12);
}

TEST(Try, is_one_statement_without_a_declaration) {
    const auto use = [](bool first) -> Status {
        if (first)
            JOBFORGE_TRY(check(true));
        else
            JOBFORGE_TRY(check(false));
        return ok_status();
    };
    EXPECT_TRUE(use(true).ok());
    EXPECT_FALSE(use(false).ok());
}

TEST(Try, may_stand_inside_of_another_one) {
    const auto use = [](int value) -> Result<int> {
        JOBFORGE_TRY(auto outer, std::invoke([&]() -> Result<int> {
                         JOBFORGE_TRY(auto inner, number(value));
                         JOBFORGE_TRY(check(inner < 10));
                         return inner + 1;
                     }));
        return outer;
    };
    EXPECT_EQ(*use(1), 2);
    EXPECT_FALSE(use(-1).ok());
    EXPECT_FALSE(use(10).ok());
}

TEST(Try, in_a_handler_answers_by_the_retry_table) {
    const auto handler = [](const Error& error) -> Outcome {
        JOBFORGE_TRY(Status(error));
        return Done{};
    };
    const Outcome failed = handler(Error::of(ErrorCode::VALIDATION_ERROR, "never"));
    ASSERT_TRUE(std::holds_alternative<Fail>(failed));
    EXPECT_EQ(std::get<Fail>(failed).error.code, "VALIDATION_ERROR");
    const Outcome later = handler(Error::of(ErrorCode::DB_UNAVAILABLE, "away"));
    ASSERT_TRUE(std::holds_alternative<Retry>(later));
    EXPECT_EQ(std::get<Retry>(later).error.message, "away");
}

struct ExitCode {
    int code = 0;
};

}  // namespace

template <>
struct FromError<ExitCode> {
    static ExitCode of(Error&& error) { return {error.retryable ? 75 : 1}; }
};

namespace {

TEST(Try, takes_return_types_of_the_users_own) {
    const auto run = [](bool good) -> ExitCode {
        JOBFORGE_TRY(check(good));
        return {};
    };
    EXPECT_EQ(run(true).code, 0);
    EXPECT_EQ(run(false).code, 1);
}

// What does not fit is refused by the compiler, not at run time.
static_assert(std::is_convertible_v<TryError, Status>);
static_assert(std::is_convertible_v<TryError, Result<std::unique_ptr<int>>>);
static_assert(std::is_convertible_v<TryError, Outcome>);
static_assert(!std::is_convertible_v<TryError, int>);
static_assert(!std::is_convertible_v<TryError, bool>);
static_assert(!std::is_convertible_v<TryError, std::string>);

}  // namespace
}  // namespace jobforge
