// Sources that must be waited for: limits between pages, pauses, breakers, Retry-After. A job that
// waits is snoozed: it spends no attempt and loses nothing.
#include <fmt/format.h>

#include "price_world.h"
#include "tcp_server.h"

namespace jobforge::test {
namespace {

using SourceWaits = PriceWorld;

TEST_F(SourceWaits, AJobWithoutATokenForItsNextPageKeepsThePagesItHas) {
    const auto marketplace = market();
    // One token each 100 ms: pages two and three have to wait for theirs.
    const std::string job =
        enqueue(intake(), source(*marketplace, R"({"rate_limit_per_minute":600,"burst":1})"));
    ASSERT_EQ(end_of(job), "SUCCEEDED") << message_of(job);
    EXPECT_EQ(marketplace->arrivals().size(), 3U);  // no page was read twice
    EXPECT_EQ(result(job, "pages"), "3");
    EXPECT_EQ(result(job, "inserted"), "41");
    EXPECT_EQ(this->job(job, "attempts"), "1");
    EXPECT_EQ(one("select count(*) from jobforge.collections where progress is not null"), "0");
}

TEST_F(SourceWaits, ProgressForAnotherQuestionIsNotUsed) {
    const auto marketplace = market();
    const std::string from = source(*marketplace, R"({"rate_limit_per_minute":1,"burst":1})");
    const std::string to = intake();
    const std::string job = enqueue(to, from);
    start();
    ASSERT_TRUE(wait_until([&] {
        return one("select count(*) from jobforge.collections where progress is not null") == "1";
    }));
    stop();
    // The source is asked in another way from now on: what was read is not a part of that answer.
    Json config = cli::DemoMarketplace::source_config();
    config.set("keep_raw", false);
    source(*marketplace,
           Json::object({{"rate_limit_per_minute", 60'000}, {"config", config}}).dump());
    run(
        fmt::format("update jobforge.governors set next_free_at = clock_timestamp(); "
                    "select jobforge.reschedule_job('{}')",
                    job));
    ASSERT_EQ(end_of(job), "SUCCEEDED") << message_of(job);
    EXPECT_EQ(marketplace->arrivals().size(), 4U);  // 1 before, 3 anew
    EXPECT_EQ(points(to, "count(raw)"), "0");
    EXPECT_EQ(result(job, "items"), "42");
}

TEST_F(SourceWaits, APausedSourcesJobsResumeByThemselvesAndKeepTheirAttempts) {
    const auto marketplace = market();
    const std::string from = source(*marketplace);
    run(fmt::format("select jobforge.pause_source('{}', 'infinity', 'stocktaking')", from));
    std::vector<std::string> jobs;
    for (int i = 0; i < 4; ++i) {
        jobs.push_back(collect(intake(fmt::format(R"({{"title":"{}"}})", i)), from));
    }
    start();
    for (const std::string& one_job : jobs) {
        ASSERT_TRUE(wait_until([&] {
            return job(one_job,
                       "status = 'QUEUED' and scheduled_at > clock_timestamp() + "
                       "interval '1 minute'") == "true";
        })) << job(one_job, "row_to_json(all_jobs)");
        EXPECT_EQ(job(one_job, "attempts"), "0");
    }
    EXPECT_TRUE(marketplace->arrivals().empty());
    run(fmt::format("select jobforge.resume_source('{}')", from));
    for (const std::string& one_job : jobs) {
        ASSERT_EQ(end_of(one_job), "SUCCEEDED");
        EXPECT_EQ(job(one_job, "attempts"), "1");
    }
}

TEST_F(SourceWaits, APauseThatEndsNeedsNobody) {
    const auto marketplace = market();
    const std::string from = source(*marketplace);
    run(fmt::format("select jobforge.pause_source('{}', clock_timestamp() + interval '1 second')",
                    from));
    const std::string job = enqueue(intake(), from);
    ASSERT_EQ(end_of(job), "SUCCEEDED");
    EXPECT_EQ(this->job(job, "attempts || ' ' || (completed_at - created_at > interval '0.9 s')"),
              "1 true");
}

TEST_F(SourceWaits, FailuresAreRetriedCountedAndOpenTheBreaker) {
    const auto marketplace = market();
    marketplace->fail(-1, "503 Service Unavailable");
    const std::string from = source(*marketplace);
    start(1);
    for (int i = 1; i <= 5; ++i) {
        const std::string job = enqueue(intake(fmt::format(R"({{"title":"{}"}})", i)), from);
        EXPECT_EQ(retry_of(job), "QUEUED HTTP_STATUS_UNEXPECTED");
        EXPECT_EQ(message_of(job), "the source answered 503");
        EXPECT_EQ(governor(from, "format('%s %s', state, failure_streak)"),
                  i < 5 ? fmt::format("CLOSED {}", i) : "OPEN 5");
    }
    const std::string sixth = collect(intake(R"({"title":"6"})"), from);
    ASSERT_TRUE(wait_until([&] {
        return job(sixth, "status = 'QUEUED' and scheduled_at > clock_timestamp()") == "true";
    }));
    EXPECT_EQ(job(sixth, "attempts || coalesce(last_error::text, '')"), "0");
    EXPECT_EQ(marketplace->arrivals().size(), 5U);
    marketplace->recover();
    run(fmt::format("select jobforge.resume_source('{}')", from));  // closes it, too
    EXPECT_EQ(end_of(sixth), "SUCCEEDED");
    EXPECT_EQ(governor(from, "format('%s %s', state, failure_streak)"), "CLOSED 0");
}

TEST_F(SourceWaits, RetryAfterPausesTheWholeSource) {
    const auto marketplace = market();
    marketplace->fail(1, "429 Too Many Requests", "Retry-After: 2\r\n");
    const std::string from = source(*marketplace);
    start(1);
    const std::string first = enqueue(intake(), from);
    EXPECT_EQ(retry_of(first), "QUEUED HTTP_STATUS_UNEXPECTED");
    const std::string second = enqueue(intake(R"({"title":"another"})"), from);
    EXPECT_EQ(end_of(second), "SUCCEEDED");
    const auto arrivals = marketplace->arrivals();
    ASSERT_GE(arrivals.size(), 2U);
    EXPECT_GE(arrivals[1] - arrivals[0], std::chrono::milliseconds(1900));
    EXPECT_EQ(job(second, "attempts"), "1");
}

TEST_F(SourceWaits, AListingThatIsNotThereIsNoFaultOfTheSource) {
    const auto marketplace = market();
    Json config = cli::DemoMarketplace::source_config();
    config.set("path", "/gone?q={query}");
    const std::string from = source(*marketplace, Json::object({{"config", config}}).dump());
    const std::string job = enqueue(intake(), from);
    EXPECT_EQ(end_of(job), "FAILED HTTP_STATUS_UNEXPECTED");
    EXPECT_EQ(message_of(job), "the source answered 404");
    EXPECT_EQ(governor(from, "failure_streak"), "0");
}

TEST_F(SourceWaits, AnAnswerThatCannotBeUsedCountsAgainstTheSource) {
    const auto marketplace = market();
    const std::string from = source(*marketplace);
    for (int i = 1; i <= 5; ++i) {
        marketplace->fail(1, "200 OK\r\nX-Note: this is not a list");
        const std::string job = enqueue(intake(fmt::format(R"({{"title":"{}"}})", i)), from);
        EXPECT_EQ(end_of(job), "FAILED VALIDATION_ERROR");
        EXPECT_EQ(governor(from, "failure_streak"), std::to_string(i));
    }
    EXPECT_EQ(governor(from, "state"), "OPEN");
    EXPECT_EQ(one("select count(*) from jobforge.price_points"), "0");
    EXPECT_EQ(one("select count(*) from jobforge.valuations"), "0");
}

TEST_F(SourceWaits, APageThatFailsInTheMiddleIsTriedAgainWithoutTheOnesBefore) {
    const auto marketplace = market();
    const std::string from = source(*marketplace, R"({"rate_limit_per_minute":600,"burst":1})");
    const std::string job = enqueue(intake(), from);
    start();
    ASSERT_TRUE(wait_until([&] { return !marketplace->arrivals().empty(); }));
    marketplace->fail(1, "500 Internal Server Error");
    EXPECT_EQ(retry_of(job), "QUEUED HTTP_STATUS_UNEXPECTED");
    run(fmt::format("select jobforge.reschedule_job('{}')", job));
    ASSERT_EQ(end_of(job), "SUCCEEDED");
    EXPECT_EQ(marketplace->arrivals().size(), 4U);  // three pages, one of them twice
    EXPECT_EQ(result(job, "inserted"), "41");
}

}  // namespace
}  // namespace jobforge::test
