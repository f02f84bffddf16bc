// Workers that die, freeze or are killed by their job: nothing is lost, nothing happens twice.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>

#include "fault_world.h"
#include "test_cluster.h"

namespace jobforge::test {
namespace {

class WorkerFaults : public testing::Test {
protected:
    // The id of a worker process that holds a running job at this moment, or empty.
    std::string busy_worker() {
        for (const auto& id : world.alive()) {
            if (world.count(fmt::format("select count(*) from jobforge.jobs where status = "
                                        "'RUNNING' and lease_owner = '{}'",
                                        id)) > 0) {
                return id;
            }
        }
        return {};
    }

    TestDatabase database;
    FaultWorld world{database.url()};
};

TEST_F(WorkerFaults, killed_in_the_middle_of_jobs_others_finish_them_within_a_lease) {
    constexpr int kJobs = 60;
    constexpr int kKills = 5;
    world.enqueue("effect", kJobs, 150, 20);
    world.start_worker();
    world.start_worker();
    int hits = 0;
    while (hits < kKills) {
        std::string victim;
        ASSERT_TRUE(wait_until([&] { return !(victim = busy_worker()).empty(); }))
            << "no worker is busy any more";
        world.worker(victim).send_signal(SIGSTOP);  // so that what we see is what we kill
        const int held = world.count(fmt::format(
            "select count(*) from jobforge.jobs where status = 'RUNNING' and lease_owner = '{}'",
            victim));
        world.worker(victim).send_signal(SIGKILL);
        ASSERT_TRUE(world.worker(victim).wait());
        hits += held > 0 ? 1 : 0;
        world.start_worker();
    }
    ASSERT_TRUE(wait_until([&] { return world.finished() == kJobs; }, std::chrono::seconds(90)));
    world.stop_workers();
    world.expect_exactly_once(kJobs);
    EXPECT_GE(world.count("select count(*) from jobforge.job_attempts where outcome = 'CRASHED'"),
              kKills);
    // Taken over within one lease of the last renewal: twice that leaves room for a busy machine.
    EXPECT_EQ(world.count(fmt::format(
                  "select count(*) from jobforge.job_attempts where outcome = 'CRASHED' and "
                  "ended_at - started_at > interval '{} s'",
                  3 * kLeaseSeconds)),
              0);
}

TEST_F(WorkerFaults, ten_worker_processes_and_a_hundred_jobs_without_a_duplicate) {
    world.enqueue("effect", 100, 10);
    for (int worker = 0; worker < 10; ++worker) {
        world.start_worker();
    }
    ASSERT_TRUE(wait_until([&] { return world.finished() == 100; }, std::chrono::seconds(60)));
    world.stop_workers();
    world.expect_exactly_once(100);
    EXPECT_EQ(world.count("select count(*) from jobforge.job_attempts"), 100);
}

TEST_F(WorkerFaults,
       a_job_that_kills_its_worker_reaches_the_dead_letter_and_its_neighbours_succeed) {
    constexpr int kNeighbours = 12;
    world.enqueue("effect", kNeighbours / 2, 300, 3);
    world.enqueue("poison", 1, 0, 3);
    world.enqueue("effect", kNeighbours / 2, 300, 3);
    world.start_worker();
    ASSERT_TRUE(wait_until(
        [&] {
            if (world.alive().empty()) {
                world.start_worker();  // what a supervisor does
            }
            return world.finished() == kNeighbours + 1;
        },
        std::chrono::seconds(90)));
    world.stop_workers();
    EXPECT_EQ(world.one("select status || ' ' || (last_error ->> 'code') || ' ' || attempts from "
                        "jobforge.finished_jobs where type = 'poison'"),
              "DEAD_LETTER LEASE_EXPIRED 3");
    world.expect_exactly_once(kNeighbours);
    // No neighbour loses more than two attempts to it.
    EXPECT_LE(world.count("select max(attempts) from jobforge.finished_jobs where type = 'effect'"),
              3);
}

// Four workers with 64 slots have room for 16 interrupted jobs each: all 64 run again at once.
TEST_F(WorkerFaults, the_jobs_of_a_killed_worker_run_again_together_where_slots_are_free) {
    constexpr int kJobs = 64;
    world.enqueue("busy", kJobs, 8000);
    const auto first = world.start_worker(kJobs);
    const std::string running = "select count(*) from jobforge.jobs where status = 'RUNNING' and ";
    ASSERT_TRUE(wait_until(
        [&] { return world.count(running + "lease_owner = '" + first + "'") == kJobs; }));
    for (int worker = 0; worker < 4; ++worker) {
        world.start_worker(kJobs);
    }
    ASSERT_TRUE(wait_until([&] {
        return world.count("select count(*) from jobforge.workers where state = 'ACTIVE'") == 5;
    }));
    const std::string killed_at = world.one("select clock_timestamp()");
    world.worker(first).send_signal(SIGKILL);
    ASSERT_TRUE(wait_until(
        [&] { return world.count(running + "lease_owner <> '" + first + "'") == kJobs; }));
    // One lease and two seconds, by the database's clock.
    EXPECT_LE(world.count(fmt::format("select extract(epoch from max(started_at) - '{}')::int from "
                                      "jobforge.jobs",
                                      killed_at)),
              kLeaseSeconds + 2);
    // Other work is not held up by them.
    world.enqueue("effect", 20, 0);
    EXPECT_TRUE(wait_until([&] {
        return world.count("select count(*) from jobforge.finished_jobs where type = 'effect'") ==
               20;
    }));
    ASSERT_TRUE(wait_until([&] { return world.finished() == kJobs + 20; }));
    world.stop_workers();
    EXPECT_EQ(world.count("select max(attempts) from jobforge.finished_jobs"), 2);
}

TEST_F(WorkerFaults, frozen_past_its_lease_the_woken_zombie_can_commit_nothing) {
    world.enqueue("freeze", 1, 1000);
    const auto zombie = world.start_worker();
    ASSERT_TRUE(world.worker(zombie).wait_for_output("in transaction"));
    world.worker(zombie).send_signal(SIGSTOP);
    const auto heir = world.start_worker();
    ASSERT_TRUE(world.worker(heir).wait_for_output("in transaction", std::chrono::seconds(30)));
    world.worker(zombie).send_signal(SIGCONT);
    ASSERT_TRUE(wait_until([&] { return world.finished() == 1; }));
    world.stop_workers();
    world.expect_exactly_once(1);
    EXPECT_EQ(world.one("select lease_owner || ' ' || lease_token from jobforge.finished_jobs"),
              heir + " 2");
    EXPECT_EQ(world.one("select outcome from jobforge.job_attempts where lease_token = 1"),
              "CRASHED");
}

// A claim that sends its rows has not committed. 210 payloads of 940 bytes are sent at once and do
// not fit into the socket's buffer; 64 of 20,000 are read by a second statement. The URL's own
// application_name must not hide the worker's sessions from end_frozen_sessions.
TEST_F(WorkerFaults,
       frozen_while_a_claim_is_answered_it_stops_a_limited_type_for_four_leases_at_most) {
    struct Claim {
        int jobs;
        std::size_t bytes;
        const char* reached;
    };
    const std::string dispatcher =
        "select count(*) from pg_stat_activity where datname = current_database() and "
        "application_name = 'jobforge worker dispatcher' and ";
    world.use_url(database.url() + " application_name=mine");
    (void)world.one("select jobforge.set_job_type('busy', '{\"concurrency_limit\": 210}')");
    int done = 0;
    for (const Claim& claim :
         {Claim{210, 940, "wait_event = 'ClientWrite'"}, Claim{64, 20000, "state = 'idle'"}}) {
        SCOPED_TRACE(claim.bytes);
        world.enqueue("busy", claim.jobs, 0, 5, std::string(claim.bytes, 'x'));
        pg::Connection lock = database.connect();
        ASSERT_TRUE(lock.script("lock", "begin; lock table jobforge.jobs in share mode"));
        const auto frozen = world.start_worker(claim.jobs);
        ASSERT_TRUE(
            wait_until([&] { return world.count(dispatcher + "wait_event_type = 'Lock'") == 1; }));
        world.worker(frozen).send_signal(SIGSTOP);
        ASSERT_TRUE(lock.script("unlock", "commit"));
        ASSERT_TRUE(wait_until([&] { return world.count(dispatcher + claim.reached) == 1; }));
        const auto heir = world.start_worker(claim.jobs);
        done += claim.jobs;
        // What the frozen worker holds goes within a lease. The rest is for a busy machine, which
        // starts the heir's process and runs the jobs.
        EXPECT_TRUE(wait_until([&] { return world.finished() == done; },
                               std::chrono::seconds(4 * kLeaseSeconds)));
        world.worker(frozen).send_signal(SIGCONT);
        world.stop_workers();
    }
    EXPECT_EQ(world.count("select count(*) from jobforge.finished_jobs where status = 'SUCCEEDED'"),
              done);
}

TEST_F(WorkerFaults,
       drained_by_sigterm_what_is_unfinished_is_released_and_its_attempt_not_counted) {
    world.enqueue("effect", 30, 400);
    const auto first = world.start_worker();
    ASSERT_TRUE(wait_until([&] { return world.finished() > 2; }));
    world.worker(first).send_signal(SIGTERM);
    EXPECT_EQ(world.worker(first).wait(), 0);
    EXPECT_EQ(world.count("select count(*) from jobforge.jobs where status = 'RUNNING'"), 0);
    EXPECT_EQ(world.count("select count(*) from jobforge.jobs where attempts <> 0"), 0);
    EXPECT_EQ(world.one("select state from jobforge.workers"), "STOPPED");
    world.start_worker();
    ASSERT_TRUE(wait_until([&] { return world.finished() == 30; }));
    world.stop_workers();
    world.expect_exactly_once(30);
    EXPECT_EQ(world.count("select count(*) from jobforge.job_attempts where outcome = 'CRASHED'"),
              0);
}

}  // namespace
}  // namespace jobforge::test
