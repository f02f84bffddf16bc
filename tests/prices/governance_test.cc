// Two worker processes and one source: the limit and the breaker are the database's, so that the
// source sees one client, however many workers there are. The source itself counts.
#include <fmt/format.h>

#include "price_world.h"

namespace jobforge::test {
namespace {

using std::chrono::milliseconds;
using Arrivals = std::vector<cli::DemoMarketplace::Clock::time_point>;

class Governance : public PriceWorld {
protected:
    // A marketplace whose answers are one page, and `count` jobs with questions of their own.
    std::vector<std::string> enqueue_many(const std::string& from, int count) {
        std::vector<std::string> jobs;
        for (int i = 0; i < count; ++i) {
            jobs.push_back(enqueue(intake(fmt::format(R"({{"title":"{}"}})", i)), from));
        }
        return jobs;
    }
    // Every permit from here on, in the order in which the database gives them, with the state
    // before and after.
    void log_permits() {
        run("create table public.permits (id bigserial, before text, after text);"
            "create function public.log_permit() returns trigger language plpgsql security definer "
            "as $$ begin insert into public.permits (before, after) values (old.state, new.state); "
            "return null; end $$;"
            "create trigger log_permit after update on jobforge.governors for each row when "
            "(new.next_free_at > old.next_free_at) execute function public.log_permit()");
    }
    int permits(const std::string& condition) {
        return count("select count(*) from public.permits where " + condition);
    }
    int unfinished() { return count("select count(*) from jobforge.jobs"); }
    void two_workers(const std::string& slots = "4") {
        start_process({{"CACHE_ENABLED", "false"}, {"BPC_JOBS_CONCURRENCY", slots}});
        start_process({{"CACHE_ENABLED", "false"}, {"BPC_JOBS_CONCURRENCY", slots}});
    }
    // Every finished job succeeded at its first attempt, and both workers had their share.
    void expect_first_attempts(int jobs) {
        EXPECT_EQ(count("select count(*) from jobforge.finished_jobs where status = 'SUCCEEDED' "
                        "and attempts = 1"),
                  jobs);
        EXPECT_EQ(one("select count(distinct lease_owner) from jobforge.finished_jobs"), "2");
    }
};

// The most arrivals within any `length` of time.
int most_within(const Arrivals& arrivals, milliseconds length) {
    std::size_t most = 0;
    for (std::size_t first = 0, last = 0; last < arrivals.size(); ++last) {
        while (arrivals[last] - arrivals[first] >= length) {
            ++first;
        }
        most = std::max(most, last - first + 1);
    }
    return static_cast<int>(most);
}

// What a limit of `rate` a minute with `burst` grants within `length`: the burst, and one each
// 60 s / (rate - burst + 1) from then on.
int granted_within(int rate, int burst, milliseconds length) {
    return burst + static_cast<int>(length.count() * (rate - burst + 1) / 60'000);
}

// A permit is given at the database's clock and used a moment later: an arrival may be late by what
// the way takes, so that the one behind it seems early. Nobody comes more than this too soon.
constexpr milliseconds kWay{250};

void expect_within_limit(const Arrivals& arrivals, int rate, int burst) {
    for (const milliseconds window : {milliseconds(500), milliseconds(1000), milliseconds(2000),
                                      milliseconds(5000), milliseconds(10'000)}) {
        EXPECT_LE(most_within(arrivals, window), granted_within(rate, burst, window + kWay))
            << "within " << window.count() << " ms";
    }
}

// open_seconds of two, as the source sees it.
constexpr milliseconds kPause{1900};

// How many came before the first pause of that length; all if there was none yet.
std::size_t failures_before_pause(const Arrivals& arrivals) {
    std::size_t i = 1;
    while (i < arrivals.size() && arrivals[i] - arrivals[i - 1] < kPause) {
        ++i;
    }
    return i;
}

TEST_F(Governance, SixtyAMinuteIsNeverExceededByTwoProcessesAndNearlyReached) {
    const auto marketplace = market({.page_size = 100, .limit_per_minute = 60});
    const std::string from = source(*marketplace, R"({"rate_limit_per_minute":60})");
    // 5 at once, then one each 60 / 56 s: 12 more take 12.9 s.
    constexpr int kJobs = 17;
    enqueue_many(from, kJobs);
    two_workers();
    ASSERT_TRUE(wait_until([&] { return unfinished() == 0; }, std::chrono::seconds(60)));
    end_processes();
    const Arrivals arrivals = marketplace->arrivals();
    ASSERT_EQ(arrivals.size(), static_cast<std::size_t>(kJobs));
    expect_within_limit(arrivals, 60, 5);
    EXPECT_EQ(marketplace->refused(), 0);
    // Close to it: nine tenths of what is granted.
    const auto ideal = milliseconds(12 * 60'000 / 56);
    EXPECT_LE(arrivals.back() - arrivals.front(), ideal * 10 / 9);
    EXPECT_EQ(count("select count(*) from jobforge.finished_jobs where status = 'SUCCEEDED' and "
                    "attempts = 1"),
              kJobs);
}

TEST_F(Governance, AFastLimitIsKeptInEveryWindowAndNearlyReached) {
    const auto marketplace = market({.page_size = 100});
    const std::string from = source(*marketplace, R"({"rate_limit_per_minute":600,"burst":5})");
    // 5 at once, then one each 60 / 596 s = 101 ms: 75 more take 7.55 s.
    constexpr int kJobs = 80;
    enqueue_many(from, kJobs);
    two_workers();
    ASSERT_TRUE(wait_until([&] { return unfinished() == 0; }, std::chrono::seconds(60)));
    end_processes();
    const Arrivals arrivals = marketplace->arrivals();
    ASSERT_EQ(arrivals.size(), static_cast<std::size_t>(kJobs));
    expect_within_limit(arrivals, 600, 5);
    // Close to it: more than half of what is granted, on a machine that is busy with the tests.
    EXPECT_LE(arrivals.back() - arrivals.front(), milliseconds(2 * 7'550));
    expect_first_attempts(kJobs);
}

TEST_F(Governance, FiveFailuresStopAllWorkersAtOnceAndOneProbeGoesAheadOfTheRest) {
    const auto marketplace = market({.page_size = 100});
    marketplace->fail(-1, "503 Service Unavailable");
    const std::string from =
        source(*marketplace, R"({"rate_limit_per_minute":600,"burst":1,"open_seconds":2})");
    log_permits();
    constexpr int kJobs = 40;
    enqueue_many(from, kJobs);
    two_workers("1");
    // Failures until it opens, then a probe each two seconds that fails too.
    ASSERT_TRUE(wait_until([&] {
        const Arrivals arrivals = marketplace->arrivals();
        return arrivals.size() >= failures_before_pause(arrivals) + 2;
    }));
    marketplace->recover();
    const std::size_t failed = failures_before_pause(marketplace->arrivals());
    // Five, and what the other worker had on its way at that moment: one request. From then on the
    // database let nobody through but the probes.
    EXPECT_GE(failed, 5U);
    EXPECT_LE(failed, 6U);
    EXPECT_EQ(permits("after = 'CLOSED' and id < (select min(id) from public.permits where after = "
                      "'HALF_OPEN')"),
              static_cast<int>(failed));
    const int met_failure = static_cast<int>(failed) + 2;
    // The third probe closes the breaker; the rest follow at the limit's pace.
    ASSERT_TRUE(wait_until(
        [&] {
            return count(
                       "select count(*) from jobforge.finished_jobs where status = 'SUCCEEDED'") >=
                   kJobs - met_failure;
        },
        std::chrono::seconds(60)));
    end_processes();
    const Arrivals arrivals = marketplace->arrivals();
    for (const std::size_t probe : {failed, failed + 1, failed + 2}) {
        EXPECT_GE(arrivals[probe] - arrivals[probe - 1], kPause) << probe;
    }
    // No stampede behind the probe: the limit holds from the first moment on.
    const Arrivals rest(arrivals.begin() + static_cast<std::ptrdiff_t>(failed) + 2, arrivals.end());
    expect_within_limit(rest, 600, 1);
    EXPECT_EQ(arrivals.size(), static_cast<std::size_t>(kJobs));  // nobody else was sent
    EXPECT_EQ(permits("after = 'HALF_OPEN'"), 3);
    EXPECT_EQ(permits("true"), kJobs);
    // Who met a failure waits for its backoff; who only waited spent no attempt.
    EXPECT_EQ(count("select count(*) from jobforge.jobs where status = 'QUEUED' and attempts = 1 "
                    "and last_error ->> 'code' = 'HTTP_STATUS_UNEXPECTED'"),
              met_failure);
    expect_first_attempts(kJobs - met_failure);
    EXPECT_EQ(governor(from, "format('%s %s', state, failure_streak)"), "CLOSED 0");
}

TEST_F(Governance, AProbeWhoseWorkerDiesIsFollowedByAnother) {
    const auto marketplace = market({.page_size = 100});
    const std::string from = source(
        *marketplace, R"({"rate_limit_per_minute":60000,"open_seconds":1,"probe_seconds":1})");
    run(
        fmt::format("update jobforge.governors set state = 'OPEN', generation = 7, open_until = "
                    "clock_timestamp() - interval '1 second' where key = '{}'",
                    from));
    // Somebody becomes the probe and is never heard of again.
    EXPECT_EQ(
        one(fmt::format("select verdict || ' ' || probe from jobforge.governor_enter('source', "
                        "'{}')",
                        from)),
        "go true");
    const auto jobs = enqueue_many(from, 10);
    two_workers();
    for (const std::string& job : jobs) {
        EXPECT_EQ(end_of(job), "SUCCEEDED");
        EXPECT_EQ(this->job(job, "attempts"), "1");
    }
    end_processes();
    EXPECT_EQ(governor(from, "state"), "CLOSED");
}

TEST_F(Governance, PausedForTwoProcessesItGoesOnForBothByItself) {
    const auto marketplace = market({.page_size = 100});
    const std::string from = source(*marketplace);
    two_workers();
    run(fmt::format("select jobforge.pause_source('{}', clock_timestamp() + interval '3 seconds')",
                    from));
    const auto paused_at = cli::DemoMarketplace::Clock::now();
    const auto jobs = enqueue_many(from, 30);
    for (const std::string& job : jobs) {
        EXPECT_EQ(end_of(job), "SUCCEEDED");
        EXPECT_EQ(this->job(job, "attempts"), "1");
    }
    end_processes();
    const Arrivals arrivals = marketplace->arrivals();
    ASSERT_EQ(arrivals.size(), 30U);
    EXPECT_GE(arrivals.front() - paused_at, milliseconds(2900));
}

TEST_F(Governance, EnqueueForSeveralSourcesIsStaggered) {
    const auto marketplace = market();
    for (const char* name : {"a", "b", "c"}) {
        source({.name = name, .base_url = marketplace->base_url()});
    }
    const std::string to = intake();
    EXPECT_EQ(
        one(fmt::format(
            "select string_agg(name || ' ' || round(extract(epoch from scheduled_at - first)) "
            "|| ' ' || deduplicated, ', ' order by name) from (select *, min(scheduled_at) "
            "over () as first from jobforge.enqueue_collections('{}', null, 7)) c",
            to)),
        "a 0 false, b 7 false, c 14 false");
    EXPECT_EQ(one(fmt::format(
                  "select bool_and(deduplicated) from jobforge.enqueue_collections('{}')", to)),
              "true");
}

}  // namespace
}  // namespace jobforge::test
