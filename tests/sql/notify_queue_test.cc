// The server's one queue of notifications, filled by a tenant's login. A commit that notifies fails
// while it is full, so ours do not notify any more when it is half full.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>

#include <libpq-fe.h>

#include "sql_session.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

class NotifyQueue : public testing::Test {
protected:
    // The distance is shortened: 40 pages of 8 KiB stand for four of its eight gigabytes.
    void SetUp() override {
        sql.run(
            "create or replace function jobforge.notify_limit() returns double precision language "
            "sql immutable as 'select 40 / 1048576.0::double precision'");
        listener.run("listen jobforge_wake; listen jobforge_cancel");
        sql.run("select jobforge.ask_for_wake(array['a'], 60000)");
    }
    // A session that listens and stays in a transaction keeps everything that is sent behind it.
    void fill_the_queue() {
        keeper->run("listen hostile");
        keeper->run("begin; select 1");
        filler.run(
            "select pg_notify('hostile', lpad(i::text, 7900, 'x')) from generate_series(1, 200) i");
    }
    // What the listener was sent up to now.
    std::string heard() {
        sql.run("notify jobforge_wake, 'end'");
        PGconn* connection = listener.connection().native();
        std::string text;
        EXPECT_TRUE(wait_until([&] {
            PQconsumeInput(connection);
            while (PGnotify* notice = PQnotifies(connection)) {
                text += std::string(notice->relname) + "(" + notice->extra + ") ";
                PQfreemem(notice);
            }
            return text.find("(end)") != std::string::npos;
        }));
        return text;
    }
    // An enqueue for a sleeping worker and the cancel of a running job.
    void notify_twice() {
        const auto job = sql.one("select job_id from jobforge.enqueue_job('a')");
        sql.run("select from jobforge.claim_jobs('w', 1, array['a'])");
        sql.run(fmt::format("select jobforge.cancel_job('{}')", job));
    }

    EngineDatabase database;
    Session sql = database.session();
    Session listener = database.session();
    std::optional<Session> keeper = database.tenant_login(kTenantB);
    Session filler = database.tenant_login(kTenantA);
};

TEST_F(NotifyQueue, that_a_tenant_fills_gets_no_more_from_us_and_fails_no_commit) {
    fill_the_queue();
    notify_twice();
    EXPECT_EQ(heard(), "jobforge_wake(end) ");
    EXPECT_EQ(sql.one("select count(*) from jobforge.finished_jobs where status = 'CANCELLED'"),
              "1");
    // The session ends, and so does the silence.
    keeper.reset();
    EXPECT_TRUE(wait_until([&] {
        notify_twice();
        return heard() == "jobforge_wake() jobforge_cancel() jobforge_wake(end) ";
    }));
}

TEST_F(NotifyQueue, may_be_half_full) {
    sql.run(
        "create or replace function jobforge.notify_limit() returns double precision language sql "
        "immutable as 'select 0.5::double precision'");
    fill_the_queue();
    notify_twice();
    EXPECT_EQ(heard(), "jobforge_wake() jobforge_cancel() jobforge_wake(end) ");
}

}  // namespace
}  // namespace jobforge::test
