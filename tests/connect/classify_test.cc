// What an answer means for a job and for a breaker: one table.
#include "connect/http/classify.h"

#include <gtest/gtest.h>

#include "connect/http/governor.h"

namespace jobforge::connect {
namespace {

using Kind = Classified::Kind;
using Peer = Classified::Peer;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Sun, 06 Nov 1994 08:49:37 GMT
constexpr std::chrono::sys_seconds kNow{seconds(784111777)};

HttpResponse answered(int status, std::string retry_after = "") {
    HttpResponse response;
    response.status = status;
    if (!retry_after.empty()) {
        response.headers = {{"retry-after", std::move(retry_after)}};
    }
    return response;
}

Result<HttpResponse> failed(ErrorCode code) {
    return Error::of(code, "no");
}

TEST(Classify, every_status_has_its_class) {
    for (int status = 100; status < 600; ++status) {
        const Classified result = classify(Result<HttpResponse>(answered(status)), kNow);
        const bool retry = status >= 500 || status == 408 || status == 425 || status == 429;
        const bool fine = status >= 200 && status < 300;
        EXPECT_EQ(result.kind, fine ? Kind::ok : retry ? Kind::retry : Kind::permanent) << status;
        EXPECT_EQ(result.peer, retry ? Peer::failing : Peer::healthy) << status;
        EXPECT_EQ(result.ok(), fine);
        EXPECT_EQ(is_retryable_status(status), retry) << status;
    }
}

TEST(Classify, retry_after_counts_in_seconds_and_dates_and_only_for_what_is_retried) {
    EXPECT_EQ(classify(answered(503, "120"), kNow).retry_after, seconds(120));
    EXPECT_EQ(classify(answered(429, "Sun, 06 Nov 1994 08:50:37 GMT"), kNow).retry_after,
              seconds(60));
    EXPECT_EQ(classify(answered(429, "Sun, 06 Nov 1994 08:00:00 GMT"), kNow).retry_after,
              seconds(0));
    EXPECT_EQ(classify(answered(503, "soon"), kNow).retry_after, std::nullopt);
    EXPECT_EQ(classify(answered(503), kNow).retry_after, std::nullopt);
    for (const int status : {200, 301, 404}) {
        EXPECT_EQ(classify(answered(status, "120"), kNow).retry_after, std::nullopt) << status;
    }
}

TEST(Classify, no_answer_is_retried_unless_it_can_never_come) {
    for (const ErrorCode code : {ErrorCode::CONNECTION_FAILED, ErrorCode::TIMEOUT}) {
        const Classified result = classify(failed(code), kNow);
        EXPECT_EQ(result.kind, Kind::retry);
        EXPECT_EQ(result.peer, Peer::failing);
    }
    Error certificate = Error::of(ErrorCode::CONNECTION_FAILED, "expired");
    certificate.retryable = false;
    EXPECT_EQ(classify(certificate).kind, Kind::permanent);
    EXPECT_EQ(classify(certificate).peer, Peer::failing);
}

TEST(Classify, what_was_never_sent_says_nothing_about_the_peer) {
    for (const ErrorCode code :
         {ErrorCode::SSRF_BLOCKED, ErrorCode::VALIDATION_ERROR, ErrorCode::SOURCE_DISABLED}) {
        const Classified result = classify(failed(code), kNow);
        EXPECT_EQ(result.kind, Kind::permanent);
        EXPECT_EQ(result.peer, Peer::unknown);
    }
    for (const ErrorCode code :
         {ErrorCode::RATE_LIMITED, ErrorCode::SOURCE_PAUSED, ErrorCode::DB_UNAVAILABLE}) {
        const Classified result = classify(failed(code), kNow);
        EXPECT_EQ(result.kind, Kind::retry);
        EXPECT_EQ(result.peer, Peer::unknown);
    }
}

TEST(Classify, a_refusal_by_the_governor_says_when_to_come_back) {
    const Error error = refused({Verdict::Kind::wait, milliseconds(1500), {}, "no token"});
    EXPECT_EQ(error.code, ErrorCode::RATE_LIMITED);
    EXPECT_EQ(classify(error).retry_after, milliseconds(1500));
    const Error endless = refused({Verdict::Kind::paused, std::chrono::hours(9999), {}, ""});
    EXPECT_EQ(endless.code, ErrorCode::SOURCE_PAUSED);
    EXPECT_EQ(classify(endless).retry_after, std::chrono::hours(24));
}

TEST(Governor, a_refusal_carries_its_wait_and_its_reason) {
    const Error error = refused({Verdict::Kind::paused, milliseconds(250), {}, "by \"hand\""});
    EXPECT_TRUE(error.retryable);
    EXPECT_EQ(error.details, R"({"retry_after_ms":250,"reason":"by \"hand\""})");
    EXPECT_EQ(refused_for(error), milliseconds(250));
    EXPECT_EQ(refused_for(refused({Verdict::Kind::wait, milliseconds(-5), {}, ""})),
              milliseconds(0));

    const Error off = refused({Verdict::Kind::disabled, milliseconds(250), {}, ""});
    EXPECT_EQ(off.code, ErrorCode::SOURCE_DISABLED);
    EXPECT_FALSE(off.retryable);
    EXPECT_EQ(refused_for(off), std::nullopt);
}

TEST(Governor, other_errors_are_no_refusals) {
    EXPECT_EQ(refused_for(Error::of(ErrorCode::TIMEOUT, "")), std::nullopt);
    Error odd = Error::of(ErrorCode::RATE_LIMITED, "");
    for (const char* details : {"", "{", "{}", R"({"retry_after_ms":"5"})",
                                R"({"retry_after_ms":-5})", R"({"retry_after_ms":1.5})"}) {
        odd.details = details;
        EXPECT_EQ(refused_for(odd), std::nullopt) << details;
    }
}

}  // namespace
}  // namespace jobforge::connect
