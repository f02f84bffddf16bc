// A pipeline in two halves: nobody waits, nothing is lost, and what goes wrong is told.
#include <poll.h>
#include <sys/socket.h>

#include <optional>
#include <string>

#include <fmt/format.h>

#include "child_process.h"
#include "localpg/cluster.h"
#include "pg/pool.h"
#include "pg_fixture.h"
#include "temp_dir.h"

namespace jobforge::pg {
namespace {

using test::expect_ok;

constexpr Statement kLock{"lock", "select pg_advisory_lock($1), 'locked'"};
constexpr Statement kText{"text", "select $1::text"};
constexpr Statement kDivide{"divide", "select 1 / $1::int"};

class StartFlush : public test::PgTest {
protected:
    // What comes of it, by looking only when there is something to read. `looks` counts.
    static Result<std::vector<Rows>> finish(Connection& connection, int* looks = nullptr) {
        for (;;) {
            pollfd entry{connection.socket(), POLLIN, 0};
            EXPECT_EQ(::poll(&entry, 1, 20'000), 1) << "nothing comes";
            if (looks != nullptr) {
                ++*looks;
            }
            if (auto rows = connection.take_flushed()) {
                return *std::move(rows);
            }
        }
    }

    Connection asker_ = test::connect_to(database_.url(), true);
};

TEST_F(StartFlush, sends_at_once_and_takes_what_has_come) {
    for (int round = 0; round < 3; ++round) {  // the first one prepares
        asker_.queue(kText, Params().text("a"));
        asker_.queue(kText, Params().text("b"));
        expect_ok(asker_.start_flush());
        const auto rows = expect_ok(finish(asker_));
        ASSERT_EQ(rows.size(), 2u);
        EXPECT_EQ(rows[0].text(0, 0), "a");
        EXPECT_EQ(rows[1].text(0, 0), "b");
    }
    EXPECT_TRUE(asker_.exec(kText, Params().text("c")).ok()) << "as any connection";
}

TEST_F(StartFlush, does_not_wait_for_a_server_that_does) {
    expect_ok(connection_.exec(kLock, Params().int8(7)));
    asker_.queue(kText, Params().text("a"));
    asker_.queue(kLock, Params().int8(7));
    expect_ok(asker_.start_flush());
    EXPECT_TRUE(test::wait_until(
        [&] { return test::is_running(connection_, asker_.backend_pid(), "lock"); }));
    EXPECT_FALSE(asker_.take_flushed().has_value());
    EXPECT_FALSE(asker_.take_flushed().has_value());
    expect_ok(connection_.exec({"unlock", "select pg_advisory_unlock(7)"}));
    EXPECT_EQ(expect_ok(finish(asker_)).at(1).text(0, 1), "locked");
}

TEST_F(StartFlush, large_answers_come_in_pieces_and_arrive_whole) {
    int looks = 0;
    asker_.queue({"large", "select repeat('x', 20000000)"}, {});
    expect_ok(asker_.start_flush());
    EXPECT_EQ(expect_ok(finish(asker_, &looks)).at(0).text(0, 0).size(), 20'000'000u);
    EXPECT_GT(looks, 1);
}

TEST_F(StartFlush, a_failed_statement_is_an_error_and_the_connection_goes_on) {
    asker_.queue(kText, Params().text("a"));
    asker_.queue(kDivide, Params().int4(0));
    asker_.queue(kText, Params().text("b"));
    expect_ok(asker_.start_flush());
    const auto failed = finish(asker_);
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().sqlstate, "22012");
    EXPECT_EQ(failed.error().statement, "divide");
    EXPECT_FALSE(failed.error().outcome_unknown);
    asker_.queue(kDivide, Params().int4(1));
    expect_ok(asker_.start_flush());
    EXPECT_TRUE(finish(asker_).ok());
}

TEST_F(StartFlush, a_lost_connection_leaves_the_outcome_unknown) {
    expect_ok(connection_.exec(kLock, Params().int8(7)));
    asker_.queue(kLock, Params().int8(7));
    expect_ok(asker_.start_flush());
    expect_ok(connection_.exec({"terminate", "select pg_terminate_backend($1, 10000)"},
                               Params().int4(asker_.backend_pid())));
    const auto lost = finish(asker_);
    ASSERT_FALSE(lost.ok());
    EXPECT_TRUE(lost.error().connection_lost);
    EXPECT_TRUE(lost.error().outcome_unknown);
    EXPECT_FALSE(asker_.take_flushed()->ok()) << "nothing is under way any more";
    asker_.queue(kText, Params().text("a"));
    const auto again = asker_.start_flush();
    ASSERT_FALSE(again.ok());
    EXPECT_TRUE(again.error().connection_lost);
}

TEST_F(StartFlush, refuses_what_it_could_not_end) {
    EXPECT_EQ(asker_.start_flush().error().code, ErrorCode::INTERNAL_ERROR) << "nothing is queued";
    expect_ok(asker_.script("begin", "begin"));
    asker_.queue(kText, Params().text("a"));
    EXPECT_EQ(asker_.start_flush().error().code, ErrorCode::INTERNAL_ERROR);
    EXPECT_TRUE(asker_.in_transaction());
    EXPECT_FALSE(asker_.take_flushed()->ok()) << "nothing is under way";
}

// Not even by libpq's farewell, which would first send what is left: sizes around what the system
// takes, so that the server is about to make room for the rest.
TEST_F(StartFlush, what_the_system_does_not_take_at_once_is_not_done) {
    expect_ok(connection_.script("table", "create table kept (body text)"));
    int refused = 0;
    constexpr int kRoom = 32768;  // of the socket; whatever this system's own choice is
    for (std::size_t size = 10'000; size < 400'000; size += 5'000) {
        Connection asker = test::connect_to(database_.url());
        const int pid = asker.backend_pid();
        ASSERT_EQ(::setsockopt(asker.socket(), SOL_SOCKET, SO_SNDBUF, &kRoom, sizeof kRoom), 0);
        asker.queue({"keep", "insert into kept values ($1)"},
                    Params().text(std::string(size, 'x')));
        const auto sent = asker.start_flush();
        if (sent.ok()) {
            expect_ok(finish(asker));
            expect_ok(connection_.script("again", "truncate kept"));
            continue;
        }
        ++refused;
        EXPECT_TRUE(sent.error().connection_lost);
        EXPECT_EQ(asker.socket(), -1);
        EXPECT_TRUE(test::wait_until([&] {
            return expect_ok(
                       connection_.exec({"gone", "select 1 from pg_stat_activity where pid = $1"},
                                        Params().int4(pid)))
                .empty();
        }));
        EXPECT_EQ(expect_ok(connection_.exec({"count", "select count(*) from kept"})).integer(0, 0),
                  0);
    }
    EXPECT_GT(refused, 10);
}

TEST_F(StartFlush, a_borrowed_connection_is_not_for_it) {
    Connection borrowed = Connection::borrow(asker_.native());
    borrowed.queue(kText, Params().text("a"));
    EXPECT_EQ(borrowed.start_flush().error().code, ErrorCode::INTERNAL_ERROR);
    EXPECT_TRUE(asker_.exec(kText, Params().text("b")).ok());
}

TEST_F(StartFlush, who_gives_up_on_the_answer_leaves_no_half_answered_connection_behind) {
    PoolOptions options;
    options.connect.url = database_.url();
    Pool pool(options);
    {
        auto connection = expect_ok(pool.acquire());
        connection->queue(kText, Params().text("a"));
        expect_ok(connection->start_flush());
    }
    EXPECT_EQ(pool.idle(), 0);
    EXPECT_EQ(pool.in_use(), 0);
    auto next = expect_ok(pool.acquire());
    EXPECT_EQ(expect_ok(next->exec(kText, Params().text("b"))).text(0, 0), "b");
}

// What TLS has decrypted already does not make the socket readable: one would wait for ever.
TEST(StartFlushEncrypted, is_refused_and_harms_nothing) {
    const test::TempDir dir;
    ClusterOptions options;
    options.data_dir = dir.path() + "/cluster";
    options.tcp = true;
    options.port = test::free_port();
    const auto cluster = expect_ok(PrivateCluster::start(options));
    auto admin = test::connect_to(cluster->admin_url());
    expect_ok(admin.script("role", "create role guarded login password 'x'"));
    expect_ok(admin.script(
        "certificate",
        "copy (select 1) to program 'cat >/dev/null; openssl req -x509 -nodes -newkey ec -pkeyopt "
        "ec_paramgen_curve:prime256v1 -keyout server.key -out server.crt -subj /CN=test 2>&1'"));
    expect_ok(admin.script("tls", "alter system set ssl = on"));
    expect_ok(admin.script("reload", "select pg_reload_conf()"));
    const ConnectOptions encrypted{
        .url = fmt::format("postgresql://guarded:x@127.0.0.1:{}/jobforge?sslmode=require",
                           options.port)};
    std::optional<Connection> connection;
    ASSERT_TRUE(test::wait_until([&] {
        auto opened = Connection::connect(encrypted);
        if (opened.ok()) {
            connection = *std::move(opened);
        }
        return opened.ok();
    }));
    connection->queue(kText, Params().text("a"));
    const auto refused = connection->start_flush();
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::INTERNAL_ERROR);
    EXPECT_EQ(expect_ok(connection->exec(kText, Params().text("b"))).text(0, 0), "b");
}

}  // namespace
}  // namespace jobforge::pg
