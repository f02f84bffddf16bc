// A database that is killed and restarted under load, and connections cut at random: nothing
// acknowledged is lost, nothing happens twice, and workers come back by themselves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "fault_world.h"
#include "localpg/cluster.h"
#include "temp_dir.h"
#include "test_cluster.h"

namespace jobforge::test {
namespace {

// Enqueues with keys until told to stop, and remembers what was acknowledged.
class Enqueuer final {
public:
    explicit Enqueuer(const FaultWorld& world)
        : client_(world.client()), thread_([this] { loop(); }) {}
    int stop() {
        stop_ = true;
        thread_.join();
        return acknowledged_;
    }
    [[nodiscard]] int acknowledged() const { return acknowledged_; }

private:
    void loop() {
        for (int n = 0; !stop_; ++n) {
            // The client repeats by itself after a lost connection: the key makes that safe.
            if (client_.enqueue({.type = "effect", .idempotency_key = fmt::format("k{}", n)})) {
                ++acknowledged_;
            }
        }
    }

    Client client_;
    std::atomic<bool> stop_ = false;
    std::atomic<int> acknowledged_ = 0;
    std::thread thread_;
};

TEST(DatabaseFaults, postgres_killed_and_restarted_under_load_loses_nothing_and_repeats_nothing) {
    TempDir home;
    auto cluster = pg::PrivateCluster::start(
        {.data_dir = home.path() + "/cluster", .bin_dir = {}, .settings = {}, .on_event = {}});
    ASSERT_TRUE(cluster) << cluster.error().describe();
    FaultWorld world((*cluster)->admin_url());
    world.start_worker();
    world.start_worker();
    Enqueuer enqueuer(world);
    for (int round = 0; round < 3; ++round) {
        const int before = world.count("select count(*) from jobforge.finished_jobs");
        ASSERT_TRUE(
            wait_until([&] { return world.finished() > before + 20; }, std::chrono::seconds(60)));
        const int restarts = (*cluster)->status().restarts;
        (*cluster)->kill_for_test(round == 1 ? SIGINT : SIGKILL);
        ASSERT_TRUE(wait_until(
            [&] {
                return (*cluster)->status().restarts > restarts && (*cluster)->status().accepting;
            },
            std::chrono::seconds(60)));
    }
    const int acknowledged = enqueuer.stop();
    // A commit whose answer was lost may have happened: the key says it is one job at most.
    const int jobs = world.count("select count(*) from jobforge.all_jobs");
    EXPECT_GE(jobs, acknowledged);
    ASSERT_TRUE(wait_until([&] { return world.finished() == jobs; }, std::chrono::seconds(60)));
    world.stop_workers();
    world.expect_exactly_once(jobs);
    EXPECT_EQ(world.alive().size(), 0U);
    (*cluster)->stop();
}

TEST(DatabaseFaults, backends_terminated_at_random_cost_retries_never_jobs) {
    TestDatabase database;
    FaultWorld world(database.url());
    constexpr int kJobs = 400;
    world.enqueue("effect", kJobs, 5, 50);
    world.start_worker();
    world.start_worker();
    // One cut after every few finished jobs: often enough to hit every kind of statement, and the
    // workers must make progress in between or this never ends.
    int terminated = 0;
    for (int done = 0; done < kJobs; done += 8) {
        ASSERT_TRUE(wait_until([&] { return world.finished() >= done; }, std::chrono::seconds(60)));
        terminated += world.count(
            "select count(pg_terminate_backend(pid)) from (select pid from pg_stat_activity "
            "where datname = current_database() and pid <> pg_backend_pid() order by random() "
            "limit 1) x");
    }
    ASSERT_TRUE(wait_until([&] { return world.finished() == kJobs; }, std::chrono::seconds(60)));
    world.stop_workers();
    EXPECT_GT(terminated, 40);
    world.expect_exactly_once(kJobs);
}

}  // namespace
}  // namespace jobforge::test
