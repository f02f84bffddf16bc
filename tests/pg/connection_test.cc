#include <sys/eventfd.h>
#include <unistd.h>

#include <thread>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "child_process.h"
#include "localpg/cluster.h"
#include "pg_fixture.h"
#include "temp_dir.h"

namespace jobforge::pg {
namespace {

using test::connect_to;
using test::expect_ok;
using test::is_running;
using test::wait_until;

class ConnectionTest : public test::PgTest {};

TEST_F(ConnectionTest, a_fresh_connection_knows_its_server) {
    EXPECT_TRUE(connection_.alive());
    EXPECT_FALSE(connection_.in_transaction());
    EXPECT_GE(connection_.server_version(), 140000);
    const auto rows = expect_ok(connection_.exec({"pid", "select pg_backend_pid()"}));
    EXPECT_EQ(rows.integer(0, 0), connection_.backend_pid());
}

TEST_F(ConnectionTest, one_that_the_server_closed_is_noticed_without_a_statement) {
    auto idle = connect_to(database_.url());
    EXPECT_FALSE(idle.closed_by_server());
    expect_ok(connection_.exec({"end", "select pg_terminate_backend($1)"},
                               Params().int4(idle.backend_pid())));
    EXPECT_TRUE(wait_until([&] { return idle.closed_by_server(); }));
}

TEST_F(ConnectionTest, the_application_name_is_seen_by_the_server) {
    ConnectOptions options;
    options.url = database_.url();
    options.application_name = "worker-7";
    auto connection = expect_ok(Connection::connect(options));
    const auto rows = expect_ok(connection.exec({"name", "show application_name"}));
    EXPECT_EQ(rows.text(0, 0), "worker-7");
}

// Over TCP, without the help of another session. The answer is larger than what the system buffers.
TEST(ConnectionOverTcp, the_server_ends_a_session_whose_client_does_not_read) {
    test::TempDir home;
    ClusterOptions server;
    server.data_dir = home.path() + "/cluster";
    server.tcp = true;
    server.port = test::free_port();
    auto cluster = PrivateCluster::start(server);
    ASSERT_TRUE(cluster.ok()) << cluster.error().describe();
    auto admin = connect_to((*cluster)->admin_url());
    expect_ok(admin.script("password", "alter role jobforge password 'secret'"));
    const std::string tcp =
        fmt::format("postgresql://jobforge:secret@127.0.0.1:{}/jobforge", server.port);
    auto frozen = Connection::connect(
        {.url = tcp, .application_name = "frozen", .client_timeout = std::chrono::seconds(1)});
    ASSERT_TRUE(frozen.ok()) << frozen.error().describe();
    ASSERT_EQ(
        PQsendQuery(frozen->native(), "select repeat('x', 10000) from generate_series(1, 100000)"),
        1);
    while (PQflush(frozen->native()) == 1) {
    }
    const auto sessions = [&](const char* state) {
        auto rows = admin.exec(
            {"test",
             "select count(*) from pg_stat_activity where application_name = 'frozen' and "
             "wait_event like $1"},
            Params().text(state));
        return rows.ok() ? rows->integer(0, 0) : -1;
    };
    EXPECT_TRUE(test::wait_until([&] { return sessions("ClientWrite") == 1; }));
    EXPECT_TRUE(test::wait_until([&] { return sessions("%") == 0; }));
}

TEST_F(ConnectionTest, a_statement_timeout_ends_a_long_statement) {
    ConnectOptions options;
    options.url = database_.url();
    options.statement_timeout = std::chrono::milliseconds(50);
    auto connection = expect_ok(Connection::connect(options));
    const auto rows = connection.exec({"sleep", "select pg_sleep(60)"});
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().code, ErrorCode::TIMEOUT);
    EXPECT_EQ(rows.error().statement, "sleep");
    EXPECT_TRUE(connection.alive());
}

TEST_F(ConnectionTest, cancel_from_another_thread_ends_the_running_statement) {
    auto observer = database_.connect();
    std::thread canceller([&] {
        EXPECT_TRUE(wait_until(
            [&] { return is_running(observer, connection_.backend_pid(), "pg_sleep(60)"); }));
        connection_.cancel();
    });
    const auto rows = connection_.exec({"sleep", "select pg_sleep(60)"});
    canceller.join();
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().code, ErrorCode::TIMEOUT);
    EXPECT_EQ(rows.error().sqlstate, "57014");
    EXPECT_TRUE(connection_.exec({"again", "select 1"}).ok());
}

TEST_F(ConnectionTest, a_script_may_hold_several_statements) {
    expect_ok(connection_.script("setup", "create table t (n int); insert into t values (1), (2)"));
    EXPECT_EQ(expect_ok(connection_.exec({"count", "select count(*) from t"})).integer(0, 0), 2);
}

TEST_F(ConnectionTest, named_statements_are_prepared_once_per_list_of_types) {
    auto connection = connect_to(database_.url(), /*prepare_statements=*/true);
    const Statement statement{"add_one", "select $1::int8 + 1"};
    EXPECT_EQ(expect_ok(connection.exec(statement, Params().int8(1))).integer(0, 0), 2);
    EXPECT_EQ(expect_ok(connection.exec(statement, Params().int8(2))).integer(0, 0), 3);
    EXPECT_TRUE(expect_ok(connection.exec(statement, Params().null())).is_null(0, 0));
    EXPECT_EQ(expect_ok(connection.exec(statement, Params().int4(3))).integer(0, 0), 4);
    auto rows = expect_ok(connection.exec(
        {"prepared", "select count(*) from pg_prepared_statements where name like 'add_one%'"}));
    EXPECT_EQ(rows.integer(0, 0), 3);  // int8, unknown, int4
}

TEST_F(ConnectionTest, unnamed_statements_leave_nothing_prepared) {
    expect_ok(connection_.exec({"one", "select 1"}));
    auto rows =
        expect_ok(connection_.exec({"prepared", "select count(*) from pg_prepared_statements"}));
    EXPECT_EQ(rows.integer(0, 0), 0);
}

TEST_F(ConnectionTest, a_prepared_statement_survives_a_change_of_its_result_type) {
    auto connection = connect_to(database_.url(), /*prepare_statements=*/true);
    expect_ok(connection.script("make", "create table t (n int); insert into t values (1)"));
    EXPECT_EQ(expect_ok(connection.exec({"all", "select * from t"})).integer(0, 0), 1);
    expect_ok(connection_.script("change", "alter table t add column extra text default 'x'"));
    EXPECT_EQ(expect_ok(connection.exec({"all", "select * from t"})).text(0, 1), "x");
}

TEST_F(ConnectionTest, a_dropped_prepared_statement_is_prepared_again) {
    auto connection = connect_to(database_.url(), /*prepare_statements=*/true);
    expect_ok(connection.exec({"one", "select 1"}));
    expect_ok(connection.script("discard", "discard all"));
    EXPECT_TRUE(connection.exec({"one", "select 1"}).ok());
}

TEST_F(ConnectionTest, an_outdated_statement_in_a_pipeline_may_be_sent_again) {
    auto connection = connect_to(database_.url(), /*prepare_statements=*/true);
    expect_ok(connection.script("make", "create table t (n int); insert into t values (1)"));
    const Statement all{"all", "select * from t"};
    connection.queue(all, {});
    EXPECT_EQ(expect_ok(connection.flush()).front().integer(0, 0), 1);
    expect_ok(connection_.script("change", "alter table t add column extra text default 'x'"));
    connection.queue(all, {});
    const auto outdated = connection.flush();
    ASSERT_FALSE(outdated.ok());
    EXPECT_EQ(outdated.error().code, ErrorCode::DB_UNAVAILABLE);
    EXPECT_TRUE(outdated.error().retryable);
    EXPECT_FALSE(outdated.error().outcome_unknown);
    connection.queue(all, {});
    EXPECT_EQ(expect_ok(connection.flush()).front().text(0, 1), "x");
}

TEST_F(ConnectionTest, a_borrowed_connection_works_in_the_callers_transaction_and_stays_open) {
    PGconn* native = PQconnectdb(database_.url().c_str());
    ASSERT_EQ(PQstatus(native), CONNECTION_OK);
    PQclear(PQexec(native, "begin; create table t (n int)"));
    {
        Connection borrowed = Connection::borrow(native);
        EXPECT_TRUE(borrowed.in_transaction());
        expect_ok(borrowed.exec({"insert", "insert into t values ($1)"}, Params().int4(1)));
        EXPECT_FALSE(borrowed.reconnect().ok());
    }
    EXPECT_EQ(PQstatus(native), CONNECTION_OK);
    EXPECT_EQ(PQtransactionStatus(native), PQTRANS_INTRANS);
    PQclear(PQexec(native, "commit"));
    PQfinish(native);
    EXPECT_EQ(expect_ok(connection_.exec({"count", "select count(*) from t"})).integer(0, 0), 1);
}

TEST_F(ConnectionTest, a_notification_arrives_with_channel_payload_and_sender) {
    expect_ok(connection_.script("listen", "listen news"));
    auto sender = database_.connect();
    expect_ok(sender.script("notify", "notify news, 'hello'"));
    const auto notification = expect_ok(connection_.wait_notification(std::chrono::seconds(10)));
    ASSERT_TRUE(notification.has_value());
    EXPECT_EQ(notification->channel, "news");
    EXPECT_EQ(notification->payload, "hello");
    EXPECT_EQ(notification->backend_pid, sender.backend_pid());
}

TEST_F(ConnectionTest, a_notification_that_came_with_another_answer_is_not_lost) {
    expect_ok(connection_.script("listen", "listen news"));
    auto sender = database_.connect();
    expect_ok(sender.script("notify", "notify news, 'early'"));
    expect_ok(connection_.exec({"one", "select 1"}));
    const auto notification = expect_ok(connection_.wait_notification(std::chrono::seconds(10)));
    ASSERT_TRUE(notification.has_value());
    EXPECT_EQ(notification->payload, "early");
}

TEST_F(ConnectionTest, waiting_ends_empty_at_the_timeout_and_early_on_the_wake_descriptor) {
    expect_ok(connection_.script("listen", "listen news"));
    EXPECT_FALSE(
        expect_ok(connection_.wait_notification(std::chrono::milliseconds(10))).has_value());
    const int wake = ::eventfd(1, EFD_CLOEXEC);
    const auto began = std::chrono::steady_clock::now();
    EXPECT_FALSE(
        expect_ok(connection_.wait_notification(std::chrono::seconds(60), wake)).has_value());
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
    ::close(wake);
}

TEST_F(ConnectionTest, a_terminated_backend_is_a_lost_connection_and_reconnect_cures_it) {
    auto killer = database_.connect();
    expect_ok(killer.exec({"terminate", "select pg_terminate_backend($1, 10000)"},
                          Params().int4(connection_.backend_pid())));
    const auto rows = connection_.exec({"one", "select 1"});
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().code, ErrorCode::DB_UNAVAILABLE);
    EXPECT_TRUE(rows.error().retryable);
    EXPECT_TRUE(rows.error().connection_lost);
    EXPECT_FALSE(connection_.alive());
    const auto again = connection_.exec({"one", "select 1"});
    ASSERT_FALSE(again.ok());
    EXPECT_FALSE(again.error().outcome_unknown);  // it was never sent
    expect_ok(connection_.reconnect());
    EXPECT_TRUE(connection_.exec({"one", "select 1"}).ok());
}

TEST_F(ConnectionTest, waiting_for_notifications_reports_a_terminated_backend) {
    expect_ok(connection_.script("listen", "listen news"));
    auto killer = database_.connect();
    expect_ok(killer.exec({"terminate", "select pg_terminate_backend($1, 10000)"},
                          Params().int4(connection_.backend_pid())));
    const auto notification = connection_.wait_notification(std::chrono::seconds(20));
    ASSERT_FALSE(notification.ok());
    EXPECT_TRUE(notification.error().connection_lost);
}

TEST_F(ConnectionTest, a_backend_killed_in_mid_statement_leaves_the_outcome_unknown) {
    auto observer = database_.connect();
    std::thread killer([&] {
        EXPECT_TRUE(wait_until(
            [&] { return is_running(observer, connection_.backend_pid(), "pg_sleep(61)"); }));
        expect_ok(observer.exec({"terminate", "select pg_terminate_backend($1)"},
                                Params().int4(connection_.backend_pid())));
    });
    const auto rows = connection_.exec({"sleep", "select pg_sleep(61)"});
    killer.join();
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().code, ErrorCode::DB_UNAVAILABLE);
    EXPECT_EQ(rows.error().sqlstate, "57P01");
    EXPECT_TRUE(rows.error().connection_lost);
    EXPECT_TRUE(rows.error().outcome_unknown);
}

}  // namespace
}  // namespace jobforge::pg
