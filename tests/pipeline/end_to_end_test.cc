// The scenario of the whole pipeline with four workers, and the same with workers killed at random.
#include <random>

#include <fmt/format.h>

#include "pipeline_world.h"
#include "services/passport/passports.h"
#include "services/passport/stored_passport.h"
#include "wait_until.h"

namespace jobforge::test {

namespace {

constexpr int kWorkers = 4;
constexpr int kKills = 200;

void start_workers(PipelineWorld& world) {
    while (static_cast<int>(world.alive().size()) < kWorkers) {
        world.start_worker();
    }
}

bool finishes(PipelineWorld& world) {
    return wait_until([&] { return world.open_jobs() == 0; }, std::chrono::seconds(240));
}

// Those of the living workers that run something at this moment.
std::vector<std::string> at_work(PipelineWorld& world) {
    std::vector<std::string> ids = world.alive();
    std::erase_if(ids, [&](const std::string& id) {
        return world.number(fmt::format("select count(*) from jobforge.jobs "
                                        "where status = 'RUNNING' and lease_owner = '{}'",
                                        id)) == 0;
    });
    return ids;
}

}  // namespace

TEST(Pipeline, four_workers_take_documents_to_signed_replayable_passports) {
    PipelineWorld world;
    constexpr int kCount = 12;
    for (int n = 0; n < kCount; ++n) {
        world.request(n);
    }
    start_workers(world);
    ASSERT_TRUE(finishes(world));
    world.expect_complete(kCount);

    const Uuid version = PipelineWorld::version_id(3);
    auto activated = services::activate_passport_version(world.calls(), version, "tester");
    ASSERT_TRUE(activated.ok()) << activated.error().describe();
    EXPECT_FALSE(activated->has_value());
    const auto record = services::load_passport(world.calls(), version);
    ASSERT_TRUE(record.ok()) << record.error().describe();
    const auto replayed = services::replay_record(*record);
    EXPECT_TRUE(replayed.ok()) << replayed.error().describe();
    world.stop_workers();
}

TEST(Pipeline, two_hundred_killed_workers_change_no_byte) {
    PipelineWorld world;
    std::mt19937 random(20261116);
    int requested = 0;
    int hits = 0;
    for (int kills = 0; hits < kKills;) {
        ASSERT_LT(kills, 10 * kKills) << "most kills hit idle workers";
        while (world.open_jobs() < 3 * kWorkers) {
            world.request(requested++);
        }
        start_workers(world);
        if (const auto ids = at_work(world); !ids.empty()) {
            hits += world.kill(ids.at(random() % ids.size())) > 0 ? 1 : 0;
            ++kills;
        }
    }
    start_workers(world);
    ASSERT_TRUE(finishes(world));
    world.stop_workers();
    RecordProperty("kills_that_hit_a_running_job", hits);
    EXPECT_GE(hits, kKills);
    EXPECT_GE(world.number("select count(*) from jobforge.job_attempts where outcome = 'CRASHED'"),
              kKills);
    world.expect_complete(requested);

    PipelineWorld calm;
    for (int n = 0; n < requested; ++n) {
        calm.request(n);
    }
    start_workers(calm);
    ASSERT_TRUE(finishes(calm));
    calm.stop_workers();
    calm.expect_complete(requested);
    for (int n = 0; n < requested; ++n) {
        EXPECT_EQ(world.fingerprint(n), calm.fingerprint(n)) << "passport " << n;
    }
    fmt::print("{} kills hit a running job; {} passports, all as without kills\n", hits, requested);
}

}  // namespace jobforge::test
