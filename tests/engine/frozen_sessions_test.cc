// Sessions of workers whose client has stopped: what they hold is given free, and what works, or
// holds nothing, is left alone.
#include <jobforge/worker.h>

#include <atomic>
#include <thread>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "worker_world.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;

constexpr char kDispatcher[] = "jobforge worker dispatcher";
constexpr char kHandler[] = "jobforge worker handler";
// More than a socket takes from a client that does not read.
constexpr char kLongAnswer[] = "select repeat('x', 1000) from generate_series(1, 100000)";

class FrozenSessions : public WorkerWorld {
protected:
    // A session of the worker's login that does not read its answers.
    struct Deaf {
        explicit Deaf(const std::string& url, const std::string& name)
            : native(PQconnectdb((url + " application_name='" + name + "'").c_str())) {
            EXPECT_EQ(PQstatus(native), CONNECTION_OK) << PQerrorMessage(native);
        }
        Deaf(const Deaf&) = delete;
        Deaf& operator=(const Deaf&) = delete;
        ~Deaf() { PQfinish(native); }
        void exec(const std::string& sql) const { PQclear(PQexec(native, sql.c_str())); }
        // Begins a transaction that holds something.
        void hold() const { exec("begin; select pg_current_xact_id()"); }
        void send(const std::string& sql) const { EXPECT_EQ(PQsendQuery(native, sql.c_str()), 1); }
        // Statements of which the last one's parameters have not arrived, as far as the server
        // sees.
        void send_the_first_part(const std::vector<const char*>& statements) const {
            PQenterPipelineMode(native);
            for (const char* sql : statements) {
                EXPECT_EQ(PQsendQueryParams(native, sql, 0, nullptr, nullptr, nullptr, nullptr, 0),
                          1);
            }
            EXPECT_EQ(PQsendFlushRequest(native), 1);
            EXPECT_EQ(PQflush(native), 0);
        }
        [[nodiscard]] int pid() const { return PQbackendPID(native); }
        PGconn* native;
    };
    [[nodiscard]] std::string login_url() const { return database_.url("test_world_worker"); }
    int end_frozen(const std::string& seconds = "") {
        auto rows = colleague.exec({"end", "select jobforge.end_frozen_sessions(" + seconds + ")"});
        return rows.ok() ? static_cast<int>(rows->integer(0, 0)) : -1;
    }
    void wait_until_it_waits(const Deaf& deaf, const std::string& time = "0 s") {
        EXPECT_TRUE(wait_until([&] {
            return one(fmt::format("select count(*) from pg_stat_activity where pid = {} and "
                                   "wait_event_type = 'Client' and query_start < "
                                   "clock_timestamp() - interval '{}'",
                                   deaf.pid(), time)) == "1";
        }));
    }
    bool lives(const Deaf& deaf) {
        return one(fmt::format("select count(*) from pg_stat_activity where pid = {}",
                               deaf.pid())) == "1";
    }
    // What a session is called that is lent to the job's handler.
    std::string name_of(const Uuid& id) {
        return one(
            fmt::format("select 'jobforge job ' || left(encode(sha256(convert_to(claim_id::text || "
                        "job_id, 'UTF8')), 'hex'), 32) from jobforge.jobs where job_id = '{}'",
                        id.to_string()));
    }
    void expire(const Uuid& id) {
        run("update jobforge.jobs set lease_expires_at = clock_timestamp() - interval '1 s' where "
            "job_id = '" +
            id.to_string() + "'");
    }

    pg::Connection colleague = database_.connect("test_world_worker");
};

// The rows of the answer do not fit into the socket: a claim that sends them first is not committed
// while its client is frozen.
TEST_F(FrozenSessions, a_claim_has_committed_before_a_large_answer_is_read) {
    type("t");
    for (int i = 0; i < 64; ++i) {
        enqueue("t", fmt::format(R"({{"x": "{}"}})", std::string(20000, 'x')));
    }
    run("alter table jobforge.jobs alter payload set storage external");
    const Deaf frozen(login_url(), "jobforge worker frozen");
    frozen.send("select * from jobforge.claim_jobs('w', 64, array['t'], p_by_reference => true)");
    EXPECT_TRUE(wait_until([&] {
        return one("select count(*) from jobforge.jobs where status = 'RUNNING'") == "64";
    }));
    const auto rows =
        one("select count(*) from jobforge.jobs j, lateral jobforge.read_claimed(j.claim_id, "
            "array[j.ctid]) r where r.job_id = j.job_id and length(r.payload ->> 'x') = 20000");
    EXPECT_EQ(rows, "64");
}

TEST_F(FrozenSessions, that_hold_something_are_ended) {
    type("t");
    const Uuid expired = enqueue("t");
    const Uuid leased = enqueue("t");
    run("select from jobforge.claim_jobs('w', 2, array['t'])");
    expire(expired);
    const Deaf deaf(login_url(), kDispatcher);
    deaf.hold();
    deaf.send(kLongAnswer);
    const Deaf node(login_url(), "jobforge api");
    node.hold();
    node.send(kLongAnswer);
    const Deaf other(login_url(), "somebody else");
    other.hold();
    other.send(kLongAnswer);
    const Deaf lost(login_url(), name_of(expired));
    const Deaf live(login_url(), name_of(leased));
    const Deaf copying(login_url(), name_of(expired));
    // A worker of the version before names the job.
    const Deaf old(login_url(), "jobforge job " + leased.to_string());
    for (const Deaf* one : {&lost, &live, &copying, &old}) {
        one->exec("begin");
    }
    copying.exec("create temporary table lines (line text)");
    copying.exec("copy lines from stdin");
    EXPECT_TRUE(wait_until([&] {
        EXPECT_GE(end_frozen("0"), 0);
        return !lives(deaf) && !lives(node) && !lives(lost) && !lives(copying);
    }));
    EXPECT_TRUE(lives(other));
    EXPECT_TRUE(lives(live));
    EXPECT_TRUE(lives(old));
    // Another claim has the job: its lease is not the one of this session.
    run("update jobforge.jobs set status = 'QUEUED', lease_owner = null, lease_expires_at = null, "
        "claim_id = null, heartbeat_at = null");
    run("select from jobforge.claim_jobs('heir', 2, array['t'])");
    EXPECT_TRUE(wait_until([&] {
        EXPECT_GE(end_frozen("0"), 0);
        return !lives(live);
    }));
}

TEST_F(FrozenSessions, end_within_the_shortest_lease_of_a_type) {
    type("t", "lease_seconds = 2");
    const Deaf deaf(login_url(), kDispatcher);
    deaf.hold();
    deaf.send(kLongAnswer);
    EXPECT_TRUE(wait_until([&] { return end_frozen() == 1; }, 10s))
        << "after one second, not after the 15 that are the default";
}

TEST_F(FrozenSessions, of_a_handler_that_reads_a_long_answer_live_for_the_longest_lease) {
    type("t", "lease_seconds = 2");
    const Deaf reader(login_url(), kHandler);
    reader.hold();
    reader.send(kLongAnswer);
    wait_until_it_waits(reader, "1200 ms");
    EXPECT_EQ(end_frozen(), 0);
    EXPECT_TRUE(lives(reader));
    // All types have a short lease; a running job got a longer one before.
    enqueue("t");
    run("select from jobforge.claim_jobs('w', 1, array['t'])");
    run("update jobforge.job_types set lease_seconds = 1; update jobforge.jobs set "
        "lease_expires_at = heartbeat_at + interval '1 hour'");
    EXPECT_EQ(end_frozen(), 0);
    run("update jobforge.jobs set lease_expires_at = heartbeat_at + interval '1 s'");
    EXPECT_EQ(end_frozen(), 1);
}

// Its client reads now and then: at most moments the server waits for it, and it works between
// them.
TEST_F(FrozenSessions, that_work_between_their_waits_are_left_alone) {
    type("t", "lease_seconds = 2");
    const Deaf slow(login_url(), kDispatcher);
    slow.hold();
    slow.send("select repeat('x', 3000000), pg_sleep(0.15) from generate_series(1, 1000)");
    std::atomic<bool> enough{false};
    std::thread reader([&] {
        while (!enough) {
            std::this_thread::sleep_for(20ms);
            PQconsumeInput(slow.native);
        }
    });
    wait_until_it_waits(slow, "1 s");
    int ended = 0;
    for (int look = 0; look < 10 && ended == 0; ++look) {
        wait_until_it_waits(slow);
        ended = end_frozen();
    }
    EXPECT_EQ(ended, 0);
    enough = true;
    reader.join();
    if (ended == 0) {  // now it is frozen
        EXPECT_TRUE(wait_until([&] { return end_frozen() == 1; }));
    }
}

// A batch that is still being sent to the server: nothing is locked yet.
TEST_F(FrozenSessions, that_hold_nothing_are_left_alone) {
    type("t", "lease_seconds = 2");
    const Deaf sending(login_url(), "jobforge worker completer");
    sending.send_the_first_part({"begin", "select set_config('lock_timeout', '20', true)"});
    const Deaf holding(login_url(), "jobforge worker completer");
    holding.send_the_first_part({"begin", "select pg_current_xact_id()"});
    wait_until_it_waits(sending, "1200 ms");
    EXPECT_TRUE(wait_until([&] { return end_frozen() == 1; }));
    EXPECT_TRUE(wait_until([&] { return !lives(holding); }));
    EXPECT_TRUE(lives(sending));
    // One that reads holds a snapshot, which keeps dead rows: for the longest lease.
    const Deaf reading(login_url(), kDispatcher);
    reading.send(kLongAnswer);
    wait_until_it_waits(reading, "1200 ms");
    EXPECT_EQ(end_frozen(), 0);
    run("update jobforge.job_types set lease_seconds = 1");
    EXPECT_EQ(end_frozen(), 1);
    EXPECT_TRUE(lives(sending));
}

// Every login of the server reads the names of all sessions.
TEST_F(FrozenSessions, that_are_lent_to_a_handler_have_names_that_tell_nobody_the_job) {
    type("t");
    const Uuid id = enqueue("t");
    std::string names;
    std::string leased;
    Worker worker(options());
    worker.on("t", [&](JobContext& context) -> Outcome {
        auto transaction = context.transaction();
        EXPECT_NE((*transaction)->native(), nullptr);
        // By a connection that no other thread uses.
        auto rows = colleague.exec(
            {"names",
             "select n, jobforge.job_is_leased(substr(n, 14))::text from (select "
             "string_agg(application_name, ' ') n from pg_stat_activity where "
             "application_name like 'jobforge job %' and datname = current_database()) x"});
        EXPECT_TRUE(rows.ok());
        names = rows.ok() ? std::string(rows->text(0, 0)) : "";
        leased = rows.ok() ? std::string(rows->text(0, 1)) : "";
        return Done{};
    });
    expect_ok(worker.start());
    EXPECT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(names.size(), 13U + 32U) << names;
    EXPECT_EQ(names.find(id.to_string()), std::string::npos) << names;
    EXPECT_EQ(leased, "true") << names;
}

}  // namespace
}  // namespace jobforge::test
