// A lease is renewed while its job runs, and not a moment longer.
#include <atomic>
#include <future>

#include "worker_world.h"

namespace jobforge::test {
namespace {

class WorkerDatabaseLease : public WorkerWorld {};

TEST_F(WorkerDatabaseLease, renewals_end_with_the_job) {
    type("slow", "lease_seconds = 2");
    std::promise<void> let_go;
    auto gate = let_go.get_future().share();
    Worker worker(options());
    worker.on("slow", [gate](JobContext&) -> Outcome {
        gate.wait();
        return Done{};
    });
    expect_ok(worker.start());
    const Uuid id = enqueue("slow");
    ASSERT_TRUE(becomes(id, "RUNNING"));
    const std::string first = job(id, "lease_expires_at");
    ASSERT_TRUE(wait_until([&] { return job(id, "lease_expires_at") > first; }));
    let_go.set_value();
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    // Nothing of it is left to renew: no lease, and the worker's renewals stand still.
    EXPECT_EQ(one("select count(*) from jobforge.jobs"), "0");
    ASSERT_TRUE(wait_until([&] { return worker.numbers().running == 0; }));
    const auto renewals = worker.numbers().lease_renewals;
    const Uuid next = enqueue("slow");
    ASSERT_TRUE(becomes(next, "SUCCEEDED"));
    EXPECT_EQ(worker.numbers().lease_renewals, renewals);
    EXPECT_EQ(attempts(id), "SUCCEEDED");
}

}  // namespace
}  // namespace jobforge::test
