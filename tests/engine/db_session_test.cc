// A worker's sessions after an outage: the first one that is back calls the others.
#include "engine/worker/db_session.h"

#include <future>

#include <fmt/format.h>

#include "worker_world.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;
using engine::DbHealth;
using engine::Signal;

Error lost() {
    Error error = Error::of(ErrorCode::DB_UNAVAILABLE, "gone");
    error.connection_lost = true;
    return error;
}

TEST(SessionThatWaits, tries_again_as_soon_as_another_one_is_connected) {
    DbHealth health{Logger()};
    Signal signal;
    health.enter(signal);
    health.down("first", lost());
    health.down("second", lost());
    const auto seen = health.reconnects();
    auto waits = std::async(std::launch::async, [&] { health.wait_for_another(signal, 1h, seen); });
    EXPECT_EQ(waits.wait_for(50ms), std::future_status::timeout);
    health.up("first");
    EXPECT_EQ(waits.wait_for(kPatience), std::future_status::ready);
    // One that connected while this one's try failed is not waited for.
    health.wait_for_another(signal, 1h, seen);
    signal.stop();
    waits.wait();
    health.leave(signal);
}

class SessionsOfAWorker : public WorkerWorld {
protected:
    // Lets the worker's login connect, or ends its sessions and refuses new ones.
    void let_in(bool open) {
        run(fmt::format("alter database \"{}\" connection limit {}", database_.name(),
                        open ? -1 : 0));
        if (!open) {
            run("select pg_terminate_backend(pid) from pg_stat_activity where "
                "datname = current_database() and usename = 'test_world_worker'");
        }
    }
};

// Ten seconds were enough for each session's waits to have grown to their longest.
TEST_F(SessionsOfAWorker, are_all_back_after_a_long_outage) {
    type("t", "lease_seconds = 2");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        work_for(context, 3s);
        return context.stop_token().stop_requested() ? Outcome(Retry{JobError("STOP", "stop")})
                                                     : Outcome(Done{});
    });
    expect_ok(worker.start());
    ASSERT_TRUE(wait_until([&] { return worker.ready(); }));
    let_in(false);
    const Uuid id = enqueue("t");
    ASSERT_TRUE(wait_until([&] { return !worker.ready(); }));
    EXPECT_FALSE(wait_until([&] { return worker.ready(); }, 10s));
    let_in(true);
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(attempts(id), "SUCCEEDED") << "claimed before its lease could be renewed";
    EXPECT_TRUE(wait_until([&] { return worker.ready(); }));
    EXPECT_TRUE(wait_until([&] {
        return one("select string_agg(substr(application_name, 17), ' ' order by application_name) "
                   "from "
                   "pg_stat_activity where datname = current_database() and application_name in "
                   "('jobforge worker completer', 'jobforge worker dispatcher', "
                   "'jobforge worker heartbeat', 'jobforge worker listener', "
                   "'jobforge worker maintenance')") ==
               "completer dispatcher heartbeat listener maintenance";
    }));
}

}  // namespace
}  // namespace jobforge::test
