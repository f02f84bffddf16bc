// One tenant's jobs beside another's in one worker.
#include <jobforge/worker.h>

#include <atomic>
#include <latch>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "worker_world.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class WorkerNeighbours : public WorkerWorld {
protected:
    // 1e131071, many times: few bytes where it is stored, 131,072 digits each when it is sent.
    static std::string enormous(int count) {
        return fmt::format(
            "jsonb_build_object('a', (select jsonb_agg('1e131071'::jsonb) from "
            "generate_series(1, {})))",
            count);
    }
};

TEST_F(WorkerNeighbours, long_jobs_of_one_tenant_leave_slots_for_the_others) {
    type("long");
    type("short");
    for (int i = 0; i < 20; ++i) {
        enqueue("long");
    }
    const std::string other = one("select jobforge.create_tenant('other')");
    std::latch release(1);
    std::atomic<int> running{0};
    auto wide = options();
    wide.slots = 8;
    Worker worker(wide);
    worker.on("long", [&](JobContext&) -> Outcome {
        running.fetch_add(1);
        release.wait();
        return Done{};
    });
    worker.on("short", [](JobContext&) -> Outcome { return Done{}; });
    expect_ok(worker.start());
    ASSERT_TRUE(wait_until([&] { return running.load() == 6; }));  // 0.8 of 8
    run(fmt::format("select set_config('app.tenant_id', '{}', false)", other));
    const Uuid late = enqueue("short");
    EXPECT_TRUE(becomes(late, "SUCCEEDED"));
    EXPECT_EQ(running.load(), 6);
    release.count_down();
    EXPECT_TRUE(
        wait_until([&] { return one("select count(*) from jobforge.finished_jobs") == "21"; }));
}

// A type's duration may depend on the payload: nothing that was short so far says how long the next
// job is, and a slot cannot be taken back.
TEST_F(WorkerNeighbours, a_short_type_that_turns_long_leaves_slots_for_the_others) {
    type("t");
    const std::string other = one("select jobforge.create_tenant('other')");
    const std::string hostile = one("select current_setting('app.tenant_id')");
    for (int i = 0; i < 50; ++i) {
        enqueue("t");
    }
    std::latch release(1);
    std::atomic<int> running{0};
    std::atomic<int> ended{0};
    auto wide = options();
    wide.slots = 8;
    Worker worker(wide);
    worker.on("t", [&](JobContext& context) -> Outcome {
        if (context.job().payload.find("long") != nullptr) {
            running.fetch_add(1);
            release.wait();
        }
        ended.fetch_add(1);
        return Done{};
    });
    expect_ok(worker.start());
    ASSERT_TRUE(wait_until([&] { return ended.load() == 50; }));  // of its own tenant, too
    for (int round = 0; round < 3; ++round) {
        run(fmt::format("select set_config('app.tenant_id', '{}', false); begin", hostile));
        for (int i = 0; i < 100; ++i) {
            enqueue("t", R"({"long":true})");
        }
        run("commit");
        ASSERT_TRUE(wait_until([&] { return running.load() == 6; }));  // 0.8 of 8
        run(fmt::format("select set_config('app.tenant_id', '{}', false)", other));
        const Uuid late = enqueue("t");
        EXPECT_TRUE(becomes(late, "SUCCEEDED"));
        EXPECT_EQ(running.load(), 6);
    }
    release.count_down();
    EXPECT_TRUE(
        wait_until([&] { return one("select count(*) from jobforge.finished_jobs") == "353"; }));
}

TEST_F(WorkerNeighbours,
       a_large_payload_arrives_whole_and_one_that_cannot_be_read_now_costs_no_attempt) {
    type("t");
    const Uuid large = enqueue("t", R"({"x": ")" + std::string(3000000, 'x') + R"("})");
    run("alter function jobforge.read_payload(uuid, uuid, uuid) rename to hidden");
    std::atomic<std::size_t> length{0};
    Worker worker(options());
    worker.on("t", [&](JobContext& context) -> Outcome {
        length = context.job().payload.find("x")->as_string()->size();
        return Done{};
    });
    expect_ok(worker.start());
    ASSERT_TRUE(wait_until([&] {
        return job(large, "status || attempts") == "QUEUED0" && job(large, "lease_token") != "0";
    }));
    run("alter function jobforge.hidden(uuid, uuid, uuid) rename to read_payload");
    EXPECT_TRUE(becomes(large, "SUCCEEDED"));
    EXPECT_EQ(length.load(), 3000000U);
    EXPECT_EQ(job(large, "attempts"), "1");
}

// The claim's answer leaves it out: its own thread finds that it cannot be sent.
TEST_F(WorkerNeighbours, a_large_payload_that_cannot_be_sent_ends_its_job) {
    type("t");
    const Uuid bad = enqueue("t");
    run(fmt::format(
        "update jobforge.jobs set payload = {}, payload_bytes = 300000 where job_id = '{}'",
        enormous(8300), bad.to_string()));
    Worker worker(options());
    worker.on("t", [](JobContext&) -> Outcome { return Done{}; });
    expect_ok(worker.start());
    EXPECT_TRUE(becomes(bad, "FAILED"));
    EXPECT_EQ(job(bad, "last_error ->> 'code'"), "JOB_PAYLOAD_INVALID");
}

// A row as the version before stored it: the claim fails on the server while its answer is written.
TEST_F(WorkerNeighbours, a_payload_that_cannot_be_sent_ends_its_job_and_stops_no_worker) {
    type("t");
    const Uuid bad = enqueue("t", "{}", "p_priority => 0");
    const Uuid good = enqueue("t");
    run(fmt::format("update jobforge.jobs set payload = {} where job_id = '{}'", enormous(8300),
                    bad.to_string()));
    Worker worker(options());
    worker.on("t", [](JobContext&) -> Outcome { return Done{}; });
    expect_ok(worker.start());
    EXPECT_TRUE(becomes(good, "SUCCEEDED"));
    EXPECT_TRUE(becomes(bad, "FAILED"));
    EXPECT_THAT(job(bad, "last_error ->> 'message'"), HasSubstr("400 digits"));
}

TEST_F(WorkerNeighbours, a_result_that_cannot_be_stored_fails_its_job_and_no_other_of_the_batch) {
    type("t");
    std::vector<Uuid> good;
    const Uuid bad = enqueue("t", R"({"bad": true})");
    for (int i = 0; i < 20; ++i) {
        good.push_back(enqueue("t"));
    }
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        if (context.job().payload.find("bad") == nullptr) {
            return Done{};
        }
        return Done{*Json::parse(R"({"n": [1e131071, 1e131071]})")};
    });
    expect_ok(worker.start());
    for (const Uuid& id : good) {
        EXPECT_TRUE(becomes(id, "SUCCEEDED"));
    }
    EXPECT_TRUE(becomes(bad, "FAILED"));
    EXPECT_EQ(job(bad, "last_error ->> 'code'"), "JOB_PAYLOAD_INVALID");
    EXPECT_TRUE(wait_until([&] { return worker.numbers().failed == 1; }));
}

// Every login may NOTIFY: a flood of hints brings no flood of renewals.
TEST_F(WorkerNeighbours, a_flood_of_cancel_notices_renews_at_most_ten_times_a_second) {
    type("t");
    enqueue("t");
    Worker worker(options());
    std::atomic<bool> started{false};
    worker.on("t", [&](JobContext& context) -> Outcome {
        started = true;
        wait_for_stop(context);
        return Done{};
    });
    expect_ok(worker.start());
    ASSERT_TRUE(wait_until([&] { return started.load(); }));
    const auto began = std::chrono::steady_clock::now();
    const auto before = worker.numbers().lease_renewals;
    for (int i = 0; i < 2000; ++i) {
        run("select pg_notify('jobforge_cancel', '')");
    }
    const auto tenths = (std::chrono::steady_clock::now() - began) / 100ms;
    EXPECT_LE(worker.numbers().lease_renewals - before, static_cast<std::uint64_t>(tenths) + 5);
}

}  // namespace
}  // namespace jobforge::test
