#include <jobforge/error.h>

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include <jobforge/json.h>

namespace jobforge {
namespace {

std::vector<ErrorCode> all_codes() {
    return {
#define JOBFORGE_ERROR(name, sqlstate, http, retryable) ErrorCode::name,
#include <jobforge/error_codes.def>
#undef JOBFORGE_ERROR
    };
}

TEST(ErrorCodes, every_code_is_found_by_its_word_and_by_its_sqlstate) {
    for (const ErrorCode code : all_codes()) {
        EXPECT_EQ(error_code_from_string(to_string(code)), code) << to_string(code);
        EXPECT_EQ(error_code_from_sqlstate(sqlstate_of(code)), code) << to_string(code);
    }
}

TEST(ErrorCodes, sqlstates_are_five_characters_and_unique) {
    std::set<std::string_view> states;
    for (const ErrorCode code : all_codes()) {
        EXPECT_EQ(sqlstate_of(code).size(), 5U);
        EXPECT_TRUE(states.insert(sqlstate_of(code)).second) << sqlstate_of(code);
    }
}

TEST(ErrorCodes, released_numbers_keep_their_meaning) {
    EXPECT_EQ(sqlstate_of(ErrorCode::CONFIG_MISSING), "JF001");
    EXPECT_EQ(sqlstate_of(ErrorCode::LEASE_LOST), "JF012");
    EXPECT_EQ(sqlstate_of(ErrorCode::SOURCE_DISABLED), "JF051");
    EXPECT_EQ(http_status_of(ErrorCode::IDEMPOTENCY_CONFLICT), 409);
    EXPECT_EQ(http_status_of(ErrorCode::LEASE_EXPIRED), 0);
    EXPECT_TRUE(retryable_by_default(ErrorCode::DB_UNAVAILABLE));
    EXPECT_FALSE(retryable_by_default(ErrorCode::VALIDATION_ERROR));
}

TEST(ErrorCodes, unknown_words_and_states_are_nothing) {
    EXPECT_EQ(error_code_from_string("lease_lost"), std::nullopt);
    EXPECT_EQ(error_code_from_string(""), std::nullopt);
    EXPECT_EQ(error_code_from_sqlstate("JF000"), std::nullopt);
    EXPECT_EQ(error_code_from_sqlstate("40001"), std::nullopt);
}

TEST(Error, takes_the_answer_to_retryable_from_the_table) {
    EXPECT_TRUE(Error::of(ErrorCode::TIMEOUT, "slow").retryable);
    EXPECT_FALSE(Error::of(ErrorCode::NOT_FOUND, "gone").retryable);
}

TEST(Error, its_json_has_code_message_and_retryable) {
    EXPECT_EQ(Error::of(ErrorCode::LEASE_LOST, "it said \"no\"\n").to_json(),
              R"({"code":"LEASE_LOST","message":"it said \"no\"\n","retryable":false})");
}

TEST(Error, its_json_holds_details_as_json) {
    Error error = Error::of(ErrorCode::TIMEOUT, "slow");
    error.details = R"({ "limit_ms": 30000 })";
    EXPECT_EQ(
        error.to_json(),
        R"({"code":"TIMEOUT","message":"slow","retryable":true,"details":{"limit_ms":30000}})");
}

TEST(Error, its_json_stays_json_whatever_a_handler_put_into_it) {
    Error error = Error::of(ErrorCode::INTERNAL_ERROR, std::string("\xFF\0 \x01", 4));
    error.details = "{broken";
    const Result<Json> parsed = Json::parse(error.to_json());
    ASSERT_TRUE(parsed.ok()) << error.to_json();
    EXPECT_EQ(*parsed->find("details")->as_string(), "{broken");
    EXPECT_EQ(*parsed->find("message")->as_string(), "\uFFFD\uFFFD \x01");
}

TEST(Error, describes_itself_in_one_line) {
    Error error = Error::of(ErrorCode::LEASE_LOST, "the lease is\ngone");
    error.statement = "complete_jobs";
    error.sqlstate = "JF012";
    EXPECT_EQ(error.describe(),
              "LEASE_LOST: the lease is gone (statement complete_jobs, SQLSTATE JF012)");
    error.outcome_unknown = true;
    error.hint = "look the job up";
    EXPECT_EQ(error.describe(),
              "LEASE_LOST: the lease is gone (statement complete_jobs, SQLSTATE JF012); whether it "
              "took effect is unknown; hint: look the job up");
}

TEST(Result, holds_a_value_or_an_error) {
    const Result<int> good(7);
    ASSERT_TRUE(good.ok());
    EXPECT_EQ(*good, 7);
    const Result<int> bad(Error::of(ErrorCode::NOT_FOUND, "gone"));
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().code, ErrorCode::NOT_FOUND);
    EXPECT_THROW(static_cast<void>(bad.value()), std::bad_variant_access);
}

}  // namespace
}  // namespace jobforge
