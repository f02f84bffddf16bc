// What a worker's claims find between two looks.
#include <gtest/gtest.h>
#include <jobforge/worker.h>

#include <atomic>

#include "engine/worker/claimer.h"
#include "wait_until.h"
#include "worker_world.h"

namespace jobforge::engine {
namespace {

class ClaimerTest : public test::WorkerWorld {
protected:
    ClaimerTest() {
        type("t");
        types_.add("t", [](JobContext&) -> Outcome { return Done{}; }, {});
    }
    // The jobs of the next claim, in its order.
    std::vector<Uuid> claim(Claimer& claimer, int limit) {
        std::vector<Uuid> ids;
        auto batch = claimer.claim(admin_, limit, claimer.claimable());
        EXPECT_TRUE(batch) << batch.error().message;
        if (batch && *batch) {
            for (const HeldJob& job : (*batch)->jobs()) {
                ids.push_back(job.job_id);
            }
        }
        return ids;
    }

    JobTypes types_;
};

TEST_F(ClaimerTest, a_back_dated_job_is_in_the_claim_after_it_came_without_a_look) {
    enqueue_many("t", 20);
    Claimer::Options options;
    options.worker_id = "w";
    Claimer claimer(options, types_);
    ASSERT_TRUE(claimer.look(admin_));
    ASSERT_EQ(claim(claimer, 10).size(), 10U);
    const auto floor = claimer.lanes().due(claimer.now_us()).at(0)->floor_us;
    const Uuid late = enqueue("t", "{}", "p_scheduled_at => '2020-01-01'");
    const auto got = claim(claimer, 5);
    ASSERT_EQ(got.size(), 5U);
    EXPECT_EQ(got[0], late);
    EXPECT_GE(claimer.lanes().due(claimer.now_us()).at(0)->floor_us, floor)
        << "a job from below does not move the floor";
    EXPECT_EQ(claim(claimer, 100).size(), 6U) << "the rest of the lane is not hidden by it";
}

TEST_F(ClaimerTest, a_large_payload_is_not_in_the_answer) {
    const Uuid large = enqueue("t", R"({"x": ")" + std::string(300000, 'x') + R"("})");
    const Uuid small = enqueue("t");
    Claimer::Options options;
    options.worker_id = "w";
    Claimer claimer(options, types_);
    ASSERT_TRUE(claimer.look(admin_));
    auto batch = claimer.claim(admin_, 2, claimer.claimable());
    ASSERT_TRUE(batch) << batch.error().message;
    ASSERT_EQ((*batch)->jobs().size(), 2U);
    for (const HeldJob& job : (*batch)->jobs()) {
        EXPECT_TRUE(job.job_id == large || job.job_id == small);
        EXPECT_EQ((*batch)->has_payload(job.row), job.job_id == small);
    }
}

// The bound of PROTOCOL.md: one claim. Looks come every 100 ms at most, some hundred of these jobs.
TEST_F(ClaimerTest, a_busy_worker_runs_a_back_dated_job_next) {
    enqueue_many("t", 300);
    WorkerOptions options = this->options();
    options.slots = 1;
    options.prefetch = 0;
    Worker worker(options);
    std::atomic<int> runs = 0;
    std::atomic<int> late_run = 0;
    worker.on("t", [&](JobContext& context) -> Outcome {
        const int run = ++runs;
        if (run % 50 == 25) {
            (void)enqueue("t", R"({"late": true})", "p_scheduled_at => '2020-01-01'");
            late_run = run + 1;
        } else if (context.job().payload.find("late") != nullptr) {
            EXPECT_EQ(run, late_run.exchange(0));
        }
        return Done{};
    });
    test::expect_ok(worker.start());
    EXPECT_TRUE(test::wait_until([&] { return runs == 306; }));
    EXPECT_EQ(late_run, 0);
}

}  // namespace
}  // namespace jobforge::engine
