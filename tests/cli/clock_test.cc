// Times are the database's: a machine whose clock is wrong enqueues, filters and works as if it
// were right.
#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli_world.h"
#include "test_paths.h"

namespace jobforge::cli {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

// An hour ahead of the server.
Variables skewed() {
    return {{"LD_PRELOAD", JOBFORGE_SKEWED_CLOCK},
            {"JOBFORGE_TEST_CLOCK_SKEW", "3600"},
            // The sanitizer's runtime wants to be loaded first; the clock needs nothing of it.
            {"ASAN_OPTIONS", "verify_asan_link_order=0"}};
}

class WrongClock : public CliWorld {
protected:
    WrongClock() { tenant(); }
    // Minutes from the server's now until the job is due.
    std::string minutes_until_due(const std::string& job) {
        return one(
            fmt::format("select round(extract(epoch from scheduled_at - now()) / 60) from "
                        "jobforge.all_jobs where job_id = '{}'",
                        job));
    }
};

TEST_F(WrongClock, is_wrong_indeed) {
    const auto next_hour = [this] {
        return one(
            "select to_char(now() at time zone 'UTC' + interval '1 hour', "
            "'YYYY-MM-DD\"T\"HH24')");
    };
    const std::string before = next_hour();
    Variables environment = skewed();
    environment.emplace("DATABASE_URL", database_.url());
    test::ChildProcess worker({JOBFORGE_PROGRAM, "worker"}, environment);
    ASSERT_TRUE(worker.wait_for_output("worker started"));
    // A log line carries the program's own time.
    EXPECT_THAT(worker.error_output(), AnyOf(HasSubstr(before), HasSubstr(next_hour())));
    worker.send_signal(SIGTERM);
    EXPECT_EQ(worker.wait(), 0);
}

TEST_F(WrongClock, a_span_from_now_is_counted_from_the_databases_now) {
    const std::string job =
        trimmed(run({"enqueue", "test.echo", "{}", "--in", "10m"}, skewed()).output);
    EXPECT_EQ(minutes_until_due(job), "10");
    ASSERT_EQ(run({"jobs", "reschedule", job, "--in", "30m"}, skewed()).exit_code, 0);
    EXPECT_EQ(minutes_until_due(job), "30");
}

TEST_F(WrongClock, a_span_back_and_an_age_are_counted_from_the_databases_now) {
    const std::string job = trimmed(run({"enqueue", "test.echo"}).output);
    EXPECT_THAT(run({"jobs", "list", "--since", "10m"}, skewed()).output, HasSubstr(job));
    EXPECT_THAT(run({"jobs", "list", "--until", "10m"}, skewed()).output, Not(HasSubstr(job)));
    EXPECT_THAT(run({"jobs", "list"}, skewed()).output, Not(HasSubstr("1 h")));
}

TEST_F(WrongClock, a_worker_runs_what_is_due_and_nothing_before) {
    const std::string due = trimmed(run({"enqueue", "test.echo"}).output);
    const std::string later = trimmed(run({"enqueue", "test.echo", "{}", "--in", "30m"}).output);
    Variables environment = skewed();
    environment.emplace("DATABASE_URL", database_.url());
    test::ChildProcess worker({JOBFORGE_PROGRAM, "worker"}, environment);
    const auto status = [this](const std::string& job) {
        return one(fmt::format("select status from jobforge.all_jobs where job_id = '{}'", job));
    };
    ASSERT_TRUE(test::wait_until([&] { return status(due) == "SUCCEEDED"; }))
        << worker.error_output();
    EXPECT_EQ(one(fmt::format("select completed_at <= now() from jobforge.all_jobs where "
                              "job_id = '{}'",
                              due)),
              "true");
    worker.send_signal(SIGTERM);
    EXPECT_EQ(worker.wait(), 0);
    EXPECT_EQ(status(later), "QUEUED");
}

TEST_F(CliWorld, the_build_and_the_environment_are_shown) {
    const Variables named{{"BPC_COMPILER_BUILD_ID", "build-4711"}, {"BPC_ENV", "test"}};
    EXPECT_THAT(run({"version"}, named).output, HasSubstr("build-4711"));
    EXPECT_EQ(*json({"version"}, named).find("build_id")->as_string(), "build-4711");
    Variables environment = named;
    environment.emplace("DATABASE_URL", database_.url());
    test::ChildProcess worker({JOBFORGE_PROGRAM, "worker"}, environment);
    EXPECT_TRUE(worker.wait_for_output(R"("environment":"test")"));
    EXPECT_TRUE(worker.wait_for_output(R"("build_id":"build-4711")"));
}

}  // namespace
}  // namespace jobforge::cli
