// How runs end early: cancelled, drained, taken away.
#include <jobforge/worker.h>

#include <latch>

#include <gmock/gmock.h>

#include "worker_world.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;

class WorkerStops : public WorkerWorld {};

TEST_F(WorkerStops, a_running_job_at_once_when_it_is_cancelled) {
    type("t");
    const Uuid id = enqueue("t");
    std::latch began(1);
    std::atomic<StopReason> reason = StopReason::none;
    Worker worker(options());  // its renewals come every 5 s: the message must be what stops it
    worker.on("t", [&](JobContext& context) -> Outcome {
        began.count_down();
        wait_for_stop(context);
        reason = context.stop_reason();
        return Done{};
    });
    expect_ok(worker.start());
    began.wait();
    const auto cancelled = std::chrono::steady_clock::now();
    run("select jobforge.cancel_job('" + id.to_string() + "', 'wrong address')");
    EXPECT_TRUE(wait_until([&] { return reason == StopReason::cancelled; }));
    EXPECT_LT(std::chrono::steady_clock::now() - cancelled, 4s);
    EXPECT_TRUE(wait_until([&] { return worker.numbers().running == 0; }));
    EXPECT_EQ(job(id, "status"), "CANCELLED");
    EXPECT_EQ(worker.numbers().succeeded, 0U);
}

TEST_F(WorkerStops, a_cancelled_job_by_its_next_renewal_without_messages) {
    type("t", "lease_seconds = 2");
    const Uuid id = enqueue("t");
    std::latch began(1);
    std::atomic<StopReason> reason = StopReason::none;
    WorkerOptions quiet = options();
    quiet.listen = false;
    Worker worker(quiet);
    worker.on("t", [&](JobContext& context) -> Outcome {
        began.count_down();
        wait_for_stop(context);
        reason = context.stop_reason();
        return Done{};
    });
    expect_ok(worker.start());
    began.wait();
    run("select jobforge.cancel_job('" + id.to_string() + "')");
    EXPECT_TRUE(wait_until([&] { return reason == StopReason::cancelled; }));
}

TEST_F(WorkerStops, renewing_a_lease_shorter_than_its_own_in_time) {
    type("t", "lease_seconds = 1");
    const Uuid id = enqueue("t");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        work_for(context, 2500ms);
        return Done{};
    });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(attempts(id), "SUCCEEDED");
    EXPECT_GE(worker.numbers().lease_renewals, 2U);
}

TEST_F(WorkerStops, gracefully_what_runs_ends_and_what_waits_is_released_uncounted) {
    type("t");
    WorkerOptions narrow = options();
    narrow.slots = 1;
    const Uuid running = enqueue("t");
    std::latch began(1);
    Worker worker(narrow);
    worker.on("t", [&](JobContext& context) -> Outcome {
        began.count_down();
        wait_for_stop(context);
        EXPECT_EQ(context.stop_reason(), StopReason::draining);
        return Done{};
    });
    expect_ok(worker.start());
    began.wait();
    const Uuid waiting = enqueue("t");
    worker.stop();
    worker.wait();
    EXPECT_EQ(job(running, "status"), "SUCCEEDED");
    EXPECT_EQ(job(waiting, "status || attempts"), "QUEUED0");
    EXPECT_EQ(one("select state from jobforge.workers"), "STOPPED");
}

TEST_F(WorkerStops, a_handler_that_gives_up_on_request_keeps_its_attempt) {
    type("t");
    const Uuid id = enqueue("t");
    std::latch began(1);
    Worker worker(options());
    worker.on("t", [&](JobContext& context) -> Outcome {
        began.count_down();
        wait_for_stop(context);
        throw std::runtime_error("interrupted");
    });
    expect_ok(worker.start());
    began.wait();
    worker.stop();
    worker.wait();
    EXPECT_EQ(job(id, "status || attempts"), "QUEUED0");
    EXPECT_EQ(attempts(id), "RELEASED");
}

TEST_F(WorkerStops, a_handler_that_ignores_it_and_releases_its_job) {
    type("t");
    const Uuid id = enqueue("t");
    std::latch began(1);
    std::latch leave(1);
    WorkerOptions impatient = options();
    impatient.drain_grace = 0s;
    Worker worker(impatient);
    worker.on("t", [&](JobContext&) -> Outcome {
        began.count_down();
        leave.wait();
        return Done{};
    });
    expect_ok(worker.start());
    began.wait();
    worker.stop();
    worker.wait();
    EXPECT_EQ(job(id, "status || attempts"), "QUEUED0");
    leave.count_down();
    EXPECT_TRUE(wait_until([&] { return worker.numbers().running == 0; }));
    EXPECT_EQ(job(id, "status"), "QUEUED") << "its late answer counts for nothing";
}

TEST_F(WorkerStops, within_its_grace_although_a_handler_does_not_return) {
    type("t");
    const Uuid id = enqueue("t");
    std::latch began(1);
    std::latch leave(1);
    WorkerOptions patient = options();
    patient.drain_grace = 4s;
    Worker worker(patient);
    worker.on("t", [&](JobContext&) -> Outcome {
        began.count_down();
        leave.wait();
        return Done{};
    });
    expect_ok(worker.start());
    began.wait();
    const auto asked = std::chrono::steady_clock::now();
    worker.stop();
    worker.wait();
    EXPECT_LT(std::chrono::steady_clock::now() - asked, 4s)
        << "giving the job back has its time inside of the grace";
    EXPECT_EQ(worker.numbers().running, 1) << "what a program asks before it ends without it";
    EXPECT_EQ(job(id, "status || attempts"), "QUEUED0");
    leave.count_down();
}

TEST_F(WorkerStops, jobs_claimed_ahead_are_released_too) {
    type("t");
    enqueue_many("t", 500);
    WorkerOptions narrow = options();
    narrow.slots = 1;
    std::atomic<int> runs = 0;
    std::latch stuck(1);
    Worker worker(narrow);
    worker.on("t", [&](JobContext& context) -> Outcome {
        if (++runs == 20) {
            stuck.count_down();
            wait_for_stop(context);
        }
        return Done{};
    });
    expect_ok(worker.start());
    stuck.wait();
    worker.stop();
    worker.wait();
    EXPECT_EQ(one("select count(*) from jobforge.jobs where status = 'RUNNING'"), "0");
    EXPECT_EQ(one("select count(*) from jobforge.jobs where attempts > 0"), "0");
    EXPECT_EQ(one("select count(*) from jobforge.finished_jobs"), std::to_string(runs.load()));
}

}  // namespace
}  // namespace jobforge::test
