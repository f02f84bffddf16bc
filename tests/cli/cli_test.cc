// The program as people meet it: a child process, its output and its exit code.
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli_world.h"
#include "temp_dir.h"
#include "test_paths.h"

namespace jobforge::cli {
namespace {

using test::Finished;
using test::TestDatabase;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kSecret = "hunter2-very-secret";

class CliTest : public CliWorld {
protected:
    std::string jobs() { return one("select count(*) from jobforge.all_jobs"); }
};

TEST_F(CliTest, a_job_is_enqueued_listed_shown_cancelled_and_retried) {
    tenant();
    const std::string id =
        trimmed(run({"enqueue", "test.echo", R"({"n": 75.50})", "--key", "k"}).output);
    EXPECT_EQ(id.size(), 36U);
    EXPECT_THAT(run({"jobs", "list", "--status", "QUEUED"}).output, HasSubstr(id));
    const Json shown = json({"jobs", "show", id});
    EXPECT_EQ(shown.find("payload")->dump(), R"({"n":75.50})");
    EXPECT_EQ(*shown.find("status")->as_string(), "QUEUED");
    EXPECT_EQ(run({"jobs", "cancel", id, "--reason", "test"}).exit_code, 0);
    EXPECT_EQ(*json({"jobs", "show", id}).find("status")->as_string(), "CANCELLED");
    EXPECT_EQ(run({"jobs", "retry", id}).exit_code, 0);
    EXPECT_EQ(*json({"jobs", "show", id}).find("status")->as_string(), "QUEUED");
    EXPECT_EQ(run({"jobs", "reschedule", id, "--in", "2h"}).exit_code, 0);
    EXPECT_THAT(run({"explain", id}).output, HasSubstr("not due yet"));
}

TEST_F(CliTest, a_job_that_lost_its_worker_is_shown_in_quarantine) {
    tenant();
    const std::string id = trimmed(run({"enqueue", "test.echo"}).output);
    EXPECT_THAT(run({"jobs", "show", id}).output, Not(HasSubstr("quarantine")));
    EXPECT_EQ(one("select count(*) from jobforge.claim_jobs('dead', 1, array['test.echo'])"), "1");
    auto connection = database_.connect();
    EXPECT_TRUE(connection.script("expire",
                                  "update jobforge.jobs set lease_expires_at = clock_timestamp()"));
    EXPECT_EQ(one("select jobforge.reclaim_expired()"), "1");
    EXPECT_THAT(run({"jobs", "show", id}).output,
                HasSubstr("QUEUED (in quarantine: it lost 1 worker)"));
    EXPECT_EQ(run({"jobs", "cancel", id}).exit_code, 0);
    EXPECT_THAT(run({"jobs", "show", id}).output, HasSubstr("CANCELLED (it lost 1 worker)"));
}

TEST_F(CliTest, the_same_key_gives_the_same_job_and_another_payload_a_conflict) {
    tenant();
    const Json first = json({"enqueue", "test.echo", R"({"a": 1})", "--key", "k"});
    const Json again = json({"enqueue", "test.echo", R"({"a": 1})", "--key", "k"});
    EXPECT_EQ(*again.find("job_id"), *first.find("job_id"));
    EXPECT_EQ(again.find("deduplicated")->as_bool(), true);
    const Finished other = run({"enqueue", "test.echo", R"({"a": 2})", "--key", "k"});
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_THAT(other.error_output, StartsWith("jobforge: IDEMPOTENCY_CONFLICT: "));
}

TEST_F(CliTest, many_jobs_are_retried_by_filter) {
    tenant();
    for (int i = 0; i < 3; ++i) {
        const std::string id = trimmed(run({"enqueue", "test.echo"}).output);
        ASSERT_EQ(run({"jobs", "cancel", id}).exit_code, 0);
    }
    EXPECT_EQ(json({"jobs", "retry", "--status", "CANCELLED", "--since", "1h"})
                  .find("retried")
                  ->as_int64(),
              3);
    EXPECT_EQ(run({"jobs", "retry"}).exit_code, 2);
    EXPECT_EQ(run({"jobs", "retry", "--all", "--max-attempts", "9"}).exit_code, 2);
}

TEST_F(CliTest, bad_input_is_refused_with_a_reason_and_changes_nothing) {
    tenant();
    const auto refused = [this](std::vector<std::string> arguments, int exit_code,
                                const char* text) {
        const Finished done = run(arguments);
        EXPECT_EQ(done.exit_code, exit_code) << arguments.back();
        EXPECT_THAT(done.error_output, HasSubstr(text));
        EXPECT_THAT(done.error_output, StartsWith("jobforge: "));
        EXPECT_THAT(done.output, IsEmpty());
    };
    refused({"no-such-command"}, 2, "there is no command \"no-such-command\"");
    refused({"jobs", "explode"}, 2, "there is no command \"explode\"");
    refused({"enqueue"}, 2, "TYPE");
    refused({"enqueue", "no.such.type"}, 1, "UNKNOWN_JOB_TYPE");
    refused({"enqueue", "test.echo", "{\"a\":\n  oops}"}, 1, "line 2, column 3");
    refused({"enqueue", "test.echo", "[1]"}, 1, "must be a JSON object");
    refused({"enqueue", "test.echo", "{}", "--priority", "9"}, 2, "--priority");
    refused({"enqueue", "test.echo", "{}", "--at", "tomorrow"}, 2, "is not a time");
    refused({"enqueue", "test.echo", "{}", "--at", "2027-02-30T00:00:00Z"}, 2,
            "--at: \"2027-02-30T00:00:00Z\" is not a time: February 2027 has 28 days\n");
    refused({"jobs", "show", "42"}, 2, "is not a job id");
    refused({"jobs", "show", "00000000-0000-0000-0000-000000000000"}, 1, "NOT_FOUND");
    refused({"types", "set", "test.echo", "max_attemps=3"}, 1, "no setting");
    refused({"types", "set", "test.echo", "max_attempts=0"}, 1,
            "job type test.echo: max_attempts is 1 to 1000\n");
    refused({"types", "set", "test.echo", "lease_seconds=soon"}, 1, "lease_seconds: invalid input");
    refused({"types", "show", "nope"}, 1, "UNKNOWN_JOB_TYPE");
    refused({"tenants", "set", "nobody", "status=SUSPENDED"}, 1, "there is no tenant");
    EXPECT_EQ(jobs(), "0");
}

TEST_F(CliTest, attempts_of_a_job_that_does_not_say_are_those_of_the_environment) {
    tenant();
    const Variables three{{"BPC_JOBS_MAX_ATTEMPTS_DEFAULT", "3"}};
    const auto attempts = [this](const Finished& done) {
        EXPECT_EQ(done.exit_code, 0) << done.error_output;
        return one("select max_attempts from jobforge.all_jobs where job_id = '" +
                   done.output.substr(0, 36) + "'");
    };
    EXPECT_EQ(attempts(run({"enqueue", "test.echo", "{}"})), "5");
    EXPECT_EQ(attempts(run({"enqueue", "test.echo", "{}"}, three)), "3");
    EXPECT_EQ(attempts(run({"enqueue", "test.echo", "{}", "--max-attempts", "7"}, three)), "7");
}

TEST_F(CliTest, the_help_names_every_exit_code) {
    const Finished help = run({"--help"});
    EXPECT_EQ(help.exit_code, 0);
    for (const char* code :
         {"0 ok", "1 failed", "2 bad", "3 database", "4 program", "5 a worker", "6 an audit"}) {
        EXPECT_THAT(help.output, HasSubstr(code));
    }
}

TEST_F(CliTest, bad_environment_values_stop_it_before_anything_is_touched) {
    const Finished number = run({"stats"}, {{"BPC_JOBS_LEASE_SECONDS", "soon"}});
    EXPECT_EQ(number.exit_code, 2);
    EXPECT_THAT(number.error_output,
                HasSubstr("CONFIG_MISSING: BPC_JOBS_LEASE_SECONDS is \"soon\""));
    const Finished half =
        run({"stats"}, {{"BPC_JOBS_LEASE_SECONDS", "10"}, {"BPC_JOBS_LEASE_RENEW_SECONDS", "6"}});
    EXPECT_EQ(half.exit_code, 2);
    EXPECT_THAT(half.error_output, HasSubstr("more than half the lease"));
}

TEST_F(CliTest, several_tenants_need_a_choice) {
    EXPECT_EQ(run({"stats"}).exit_code, 2);  // none yet
    tenant();
    ASSERT_EQ(run({"tenants", "create", "other"}).exit_code, 0);
    const Finished unsure = run({"stats"});
    EXPECT_EQ(unsure.exit_code, 2);
    EXPECT_THAT(unsure.error_output, HasSubstr("--tenant"));
    EXPECT_EQ(run({"stats", "--tenant", "other"}).exit_code, 0);
    EXPECT_EQ(run({"stats"}, {{"JOBFORGE_TENANT", "acme"}}).exit_code, 0);
}

TEST_F(CliTest, tenants_and_types_are_changed_and_show_it) {
    tenant();
    EXPECT_EQ(
        json({"tenants", "set", "acme", "max_waiting_jobs=1"}).find("max_waiting_jobs")->as_int64(),
        1);
    ASSERT_EQ(run({"enqueue", "test.echo"}).exit_code, 0);
    EXPECT_THAT(run({"enqueue", "test.echo"}).error_output, HasSubstr("QUOTA_EXCEEDED"));
    EXPECT_EQ(json({"types", "set", "my.type", "max_attempts=3"}).find("max_attempts")->as_int64(),
              3);
    EXPECT_THAT(run({"types", "list"}).output, HasSubstr("my.type"));
}

TEST_F(CliTest, migrate_stores_the_lease_of_price_collection_where_every_worker_reads_it) {
    const std::string lease =
        "select lease_seconds from jobforge.job_types where type = 'COLLECT_PRICES'";
    EXPECT_EQ(one(lease), "300");
    ASSERT_EQ(run({"migrate", "--dry-run"}, {{"JOB_LOCK_TIMEOUT_SECONDS", "120"}}).exit_code, 0);
    EXPECT_EQ(one(lease), "300") << "a dry run changes nothing";
    ASSERT_EQ(run({"migrate"}, {{"JOB_LOCK_TIMEOUT_SECONDS", "120"}}).exit_code, 0);
    EXPECT_EQ(one(lease), "120");
    ASSERT_EQ(run({"migrate"}).exit_code, 0);
    EXPECT_EQ(one(lease), "120") << "without the variable the policy stays as it is";
    EXPECT_EQ(run({"migrate"}, {{"JOB_LOCK_TIMEOUT_SECONDS", "1"}}).exit_code, 2);
}

TEST_F(CliTest, doctor_finds_nothing_wrong_and_then_what_we_broke) {
    const Finished well = run({"doctor"});
    EXPECT_EQ(well.exit_code, 0) << well.output;
    tenant();
    ASSERT_EQ(run({"enqueue", "test.echo", "{}", "--at", "2020-01-01T00:00:00Z"}).exit_code, 0);
    const Finished stuck = run({"doctor"});
    EXPECT_EQ(stuck.exit_code, 1);
    EXPECT_THAT(stuck.output, HasSubstr("no live worker has a handler"));
}

TEST_F(CliTest, a_worker_runs_jobs_and_drains_on_a_signal) {
    tenant();
    const std::string id = trimmed(run({"enqueue", "test.echo", R"({"x": 1})"}).output);
    test::ChildProcess worker({JOBFORGE_PROGRAM, "worker", "--slots", "2"},
                              {{"DATABASE_URL", database_.url()}});
    ASSERT_TRUE(test::wait_until([&] {
        return *json({"jobs", "show", id}).find("status")->as_string() == "SUCCEEDED";
    })) << worker.error_output();
    EXPECT_EQ(json({"jobs", "show", id}).find("result")->dump(), R"({"x":1})");
    EXPECT_THAT(run({"workers"}).output, HasSubstr("ACTIVE"));
    worker.send_signal(SIGTERM);
    EXPECT_EQ(worker.wait(), 0) << worker.error_output();
    EXPECT_THAT(run({"workers"}).output, HasSubstr("STOPPED"));
}

TEST(CliErrors, an_empty_database_is_told_to_migrate_with_exit_code_4) {
    TestDatabase empty;
    const Variables environment{{"DATABASE_URL", empty.url()}};
    const Finished refused = run_program({"stats"}, environment);
    EXPECT_EQ(refused.exit_code, 4);
    EXPECT_THAT(refused.error_output, HasSubstr("jobforge migrate"));
    EXPECT_THAT(run_program({"migrate", "--dry-run"}, environment).output,
                HasSubstr("would apply"));
    EXPECT_EQ(run_program({"stats"}, environment).exit_code, 4);
    EXPECT_EQ(run_program({"migrate"}, environment).exit_code, 0);
    EXPECT_THAT(run_program({"migrate"}, environment).output, HasSubstr("nothing to do"));
}

TEST(CliErrors, a_database_that_cannot_be_reached_is_exit_code_3_and_shows_no_password) {
    const std::string url = "postgresql://postgres:" + std::string(kSecret) + "@127.0.0.1:1/x";
    for (const char* command : {"stats", "migrate", "doctor", "worker"}) {
        const Finished refused = run_program({command}, {{"DATABASE_URL", url}});
        EXPECT_EQ(refused.exit_code, 3) << command << refused.error_output;
        EXPECT_THAT(refused.output + refused.error_output, Not(HasSubstr(kSecret)));
    }
}

TEST(CliErrors, without_a_database_it_says_how_to_get_one) {
    const test::TempDir home;
    const Finished refused = run_program({"stats", "--data", home.path()}, {{"DATABASE_URL", ""}});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.error_output, HasSubstr("jobforge up"));
}

TEST_F(CliTest, a_worker_in_production_does_not_start_without_a_signing_key) {
    const test::TempDir home;
    const Finished refused =
        run({"worker", "--data", home.path() + "/data"}, {{"BPC_ENV", "prod"}});
    EXPECT_EQ(refused.exit_code, 2) << refused.error_output;
    EXPECT_THAT(refused.error_output, HasSubstr("there is no signing key"));
    EXPECT_FALSE(std::filesystem::exists(home.path() + "/data/keys"));
}

TEST_F(CliTest, a_worker_in_production_that_leaves_signing_to_others_needs_no_key) {
    tenant();
    const test::TempDir home;
    test::ChildProcess worker(
        {JOBFORGE_PROGRAM, "worker", "--no-signing", "--data", home.path() + "/data"},
        {{"DATABASE_URL", database_.url()}, {"BPC_ENV", "prod"}});
    ASSERT_TRUE(worker.wait_for_output("worker started")) << worker.error_output();
    EXPECT_EQ(one("select 'SIGN_PASSPORT' = any(types) from jobforge.workers"), "false");
    EXPECT_EQ(one("select 'COMPILE_PASSPORT' = any(types) from jobforge.workers"), "true");
    worker.send_signal(SIGTERM);
    EXPECT_EQ(worker.wait(), 0) << worker.error_output();
    EXPECT_FALSE(std::filesystem::exists(home.path() + "/data/keys"));
}

TEST_F(CliTest, a_tenant_is_deleted_with_its_data_only_when_its_name_is_repeated) {
    tenant();
    EXPECT_EQ(run({"tenants", "create", "acme"}).exit_code, 1) << "the name is taken";
    ASSERT_EQ(run({"enqueue", "test.echo"}).exit_code, 0);
    ASSERT_EQ(run({"tenants", "set", "acme", "status=SUSPENDED"}).exit_code, 0);
    const Finished refused = run({"tenants", "delete", "acme"});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.error_output, HasSubstr("jobs: 1"));
    EXPECT_THAT(refused.error_output, HasSubstr("--with-data NAME"));
    EXPECT_EQ(jobs(), "1");
    EXPECT_THAT(run({"tenants", "delete", "acme", "--with-data", "acme"}).output,
                HasSubstr("is deleted with its data: jobs: 1"));
    EXPECT_EQ(jobs(), "0");
    EXPECT_EQ(one("select count(*) from jobforge.tenants"), "0");
}

TEST_F(CliTest, misspelt_variables_are_named_with_the_nearest_one) {
    const Finished done = run({"types", "list"}, {{"BPC_LOG_LEVL", "debug"},
                                                  {"JOBFORGE_SECRET_MINE", "x"},
                                                  {"BPC_DATA", "elsewhere"},
                                                  {"JOBFORGE_NOTHING_LIKE_IT", "1"}});
    EXPECT_EQ(done.exit_code, 0);
    EXPECT_THAT(done.error_output,
                HasSubstr("jobforge: warning: BPC_LOG_LEVL is not a variable of this program: did "
                          "you mean BPC_LOG_LEVEL?"));
    EXPECT_THAT(done.error_output, HasSubstr("BPC_DATA is not a variable of this program: did you "
                                             "mean JOBFORGE_DATA?"));
    EXPECT_THAT(done.error_output,
                HasSubstr("JOBFORGE_NOTHING_LIKE_IT is not a variable of this program\n"));
    EXPECT_THAT(done.error_output, Not(HasSubstr("MINE")));
    EXPECT_THAT(run({"types", "list"}).error_output, IsEmpty());
}

TEST(CliUp, it_brings_everything_and_a_second_run_finds_it_again) {
    const test::TempDir home;
    const Variables environment{{"DATABASE_URL", ""}, {"BPC_DB_HOST", ""}};
    const std::string data = home.path() + "/data";
    for (const bool first : {true, false}) {
        test::ChildProcess up({JOBFORGE_PROGRAM, "up", "--demo", "--data", data}, environment);
        ASSERT_TRUE(up.wait_for_output("demo: all have ended", std::chrono::seconds(90)))
            << up.output() << up.error_output();
        const Finished stats = run_program({"stats", "--data", data, "--json"}, environment);
        EXPECT_EQ(stats.exit_code, 0) << stats.error_output;
        EXPECT_THAT(stats.output, HasSubstr(first ? "\"enqueued\":3" : "\"enqueued\":6"));
        EXPECT_EQ(run_program({"doctor", "--data", data}, environment).exit_code, 0);
        up.send_signal(SIGINT);
        EXPECT_EQ(up.wait(std::chrono::seconds(60)), 0) << up.error_output();
        EXPECT_THAT(up.output(), HasSubstr("stopped"));
    }
}

TEST(CliUp, the_demonstration_issues_a_passport_and_the_second_one_supersedes_it) {
    const test::TempDir home;
    const Variables environment{{"DATABASE_URL", ""}, {"BPC_DB_HOST", ""}};
    for (const char* end : {"the first version of this passport", "supersedes "}) {
        const Finished demo = test::run({JOBFORGE_PROGRAM, "demo", "--data", home.path() + "/data"},
                                        environment, std::chrono::seconds(120));
        ASSERT_EQ(demo.exit_code, 0) << demo.output << demo.error_output;
        EXPECT_THAT(demo.output, HasSubstr(end));
        EXPECT_THAT(demo.output, HasSubstr("every byte is the same"));
        // It stops its database: no command can be tried before another start.
        EXPECT_THAT(demo.output, HasSubstr("start the database again with `jobforge --data " +
                                           home.path() + "/data up`, then:"));
        EXPECT_THAT(demo.output, Not(HasSubstr("look at it:\n")));
        EXPECT_THAT(demo.output, Not(HasSubstr("Ctrl-C stops it")));
        EXPECT_THAT(demo.output, HasSubstr("PASSPORT_SIGNED"));
        EXPECT_THAT(demo.output, HasSubstr("PASSPORT_ACTIVATED"));
        EXPECT_THAT(demo.output, HasSubstr("signatures verified by the receiver"));
        const std::size_t picture = demo.output.find(home.path() + "/data/passport-");
        ASSERT_NE(picture, std::string::npos) << demo.output;
        const std::string file =
            demo.output.substr(picture, demo.output.find(".png", picture) + 4 - picture);
        EXPECT_TRUE(std::filesystem::exists(file)) << file;
    }
}

TEST(CliUp, a_signal_during_the_demonstration_ends_it_at_once) {
    const test::TempDir home;
    test::ChildProcess up({JOBFORGE_PROGRAM, "up", "--demo", "--data", home.path() + "/data"},
                          {{"DATABASE_URL", ""}, {"BPC_DB_HOST", ""}});
    ASSERT_TRUE(up.wait_for_output("jobforge is up", std::chrono::seconds(90)))
        << up.error_output();
    up.send_signal(SIGINT);
    EXPECT_EQ(up.wait(std::chrono::seconds(60)), 0) << up.error_output();
    EXPECT_THAT(up.output(), Not(HasSubstr("demo: all have ended")));
    EXPECT_THAT(up.output(), HasSubstr("stopped"));
}

}  // namespace
}  // namespace jobforge::cli
