// The error envelope, and answers as text.
#include "http/parse/http_message.h"

#include <gtest/gtest.h>

#include <jobforge/json.h>

#include "http/parse/response_text.h"

namespace jobforge::test {
namespace {

using http::Response;

http::RequestHead head() {
    http::RequestHead result;
    result.correlation_id = "the-id";
    return result;
}

TEST(HttpMessage, an_error_below_500_says_what_is_wrong_and_what_to_do) {
    Error error = Error::of(ErrorCode::VALIDATION_ERROR, "limit is 1 to 200");
    error.details = R"({"field":"limit"})";
    error.hint = "leave it out";
    const Response response = error_response(error, head());
    EXPECT_EQ(response.status, 422);
    EXPECT_EQ(response.body,
              R"({"error":{"code":"VALIDATION_ERROR","message":"limit is 1 to 200",)"
              R"("correlation_id":"the-id","details":{"field":"limit","hint":"leave it out"}}})");
}

TEST(HttpMessage, no_code_of_500_and_above_shows_internals) {
#define JOBFORGE_ERROR(name, sqlstate, http, retryable)                                       \
    {                                                                                         \
        Error error = Error::of(ErrorCode::name, "pl4nted message");                          \
        error.details = R"({"pl4nted":1})";                                                   \
        error.hint = "pl4nted hint";                                                          \
        const Response response = error_response(error, head());                              \
        EXPECT_EQ(response.status, (http) == 0 ? 500 : (http));                               \
        EXPECT_EQ(response.body.find("pl4nted") == std::string::npos, response.status >= 500) \
            << #name;                                                                         \
    }
#include <jobforge/error_codes.def>
#undef JOBFORGE_ERROR
}

TEST(HttpMessage, some_statuses_bring_a_header) {
    const auto header = [](ErrorCode code, const char* name) {
        const Response response = error_response(Error::of(code, ""), head());
        const std::string* value = find_header(response, name);
        return value == nullptr ? "" : *value;
    };
    EXPECT_EQ(header(ErrorCode::UNAUTHORIZED, "www-authenticate"), "Bearer");
    EXPECT_EQ(header(ErrorCode::API_KEY_REVOKED, "www-authenticate"), "Bearer");
    EXPECT_EQ(header(ErrorCode::RATE_LIMITED, "retry-after"), "1");
    EXPECT_EQ(header(ErrorCode::DB_UNAVAILABLE, "retry-after"), "1");
    EXPECT_EQ(header(ErrorCode::NOT_FOUND, "retry-after"), "");
}

TEST(HttpMessage, details_that_are_no_object_are_left_out) {
    Error error = Error::of(ErrorCode::NOT_FOUND, "x");
    for (const char* details : {"[1]", "{broken", "7"}) {
        error.details = details;
        EXPECT_NE(error_response(error, head()).body.find(R"("details":{})"), std::string::npos);
    }
}

TEST(HttpMessage, setting_a_header_replaces_it_whatever_its_case) {
    Response response;
    set_header(response, "ETag", "a");
    set_header(response, "etag", "b");
    ASSERT_EQ(response.headers.size(), 1u);
    EXPECT_EQ(*find_header(response, "ETAG"), "b");
}

TEST(ResponseText, is_one_head_exactly) {
    Response response;
    response.status = 201;
    response.body = "{}";
    response.headers = {{"Location", "/v1/jobs/1"}, {"content-length", "99"}, {"Date", "never"}};
    EXPECT_EQ(response_head(response, "the-id", {.keep_alive = false, .now = 784111777}),
              "HTTP/1.1 201 Created\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
              "Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n"
              "X-Correlation-Id: the-id\r\nX-Content-Type-Options: nosniff\r\n"
              "Cache-Control: no-store\r\nLocation: /v1/jobs/1\r\n\r\n");
}

TEST(ResponseText, refuses_what_would_be_another_message) {
    const auto sendable = [](const std::string& name, const std::string& value) {
        Response response;
        response.headers = {{name, value}};
        return is_sendable(response);
    };
    EXPECT_TRUE(sendable("X-Good", "any text"));
    EXPECT_FALSE(sendable("X-Bad", "a\r\nb: c"));
    EXPECT_FALSE(sendable("X-Bad", "a\nb"));
    EXPECT_FALSE(sendable("X Bad", "a"));
    EXPECT_FALSE(sendable("", "a"));
    Response response;
    response.status = 100;
    EXPECT_FALSE(is_sendable(response)) << "no answer at all";
}

}  // namespace
}  // namespace jobforge::test
