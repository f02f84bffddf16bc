// Answers that do not come: from a slow server, a hung one, and for a caller that is in a hurry.
#include <atomic>
#include <csignal>
#include <thread>

#include "localpg/cluster.h"
#include "pg_fixture.h"
#include "temp_dir.h"

namespace jobforge::pg {
namespace {

using namespace std::chrono_literals;
using test::expect_ok;
using test::wait_until;

class Answers : public test::PgTest {
protected:
    [[nodiscard]] ConnectOptions impatient() const {
        ConnectOptions options;
        options.url = database_.url();
        options.answer_timeout = 100ms;
        return options;
    }
};

TEST_F(Answers, of_a_slow_statement_are_waited_for_while_the_server_lives) {
    auto connection = expect_ok(Connection::connect(impatient()));
    EXPECT_TRUE(connection.exec({"slow", "select pg_sleep(1)"}).ok());
    connection.queue({"slow", "select pg_sleep(0.5)"}, {});
    EXPECT_TRUE(connection.flush().ok());
}

TEST_F(Answers, have_a_longest_time_sign_of_life_or_not) {
    ConnectOptions options = impatient();
    options.longest_answer = 300ms;
    auto connection = expect_ok(Connection::connect(options));
    const auto rows = connection.exec({"stuck", "select pg_sleep(63)"});
    ASSERT_FALSE(rows.ok());
    EXPECT_TRUE(rows.error().connection_lost);
    EXPECT_TRUE(rows.error().outcome_unknown);
    EXPECT_NE(rows.error().message.find("no answer from Postgres"), std::string::npos);
    expect_ok(connection.reconnect());
}

// Rows of a COPY are not results, and are waited for elsewhere.
TEST_F(Answers, of_a_copy_have_it_too) {
    ConnectOptions options = impatient();
    options.longest_answer = 300ms;
    auto connection = expect_ok(Connection::connect(options));
    const auto copied = connection.script(
        "copy", "copy (select repeat('x', 100000) union all select pg_sleep(63)::text) to stdout");
    ASSERT_FALSE(copied.ok());
    EXPECT_TRUE(copied.error().connection_lost);
}

TEST_F(Answers, are_given_up_when_the_caller_no_longer_wants_them) {
    std::atomic<bool> enough = false;
    ConnectOptions options;
    options.url = database_.url();
    options.give_up = [&] { return enough.load(); };
    auto connection = expect_ok(Connection::connect(options));
    auto observer = database_.connect();
    std::thread hurry([&] {
        EXPECT_TRUE(wait_until(
            [&] { return test::is_running(observer, connection.backend_pid(), "pg_sleep(63)"); }));
        enough = true;
    });
    const auto rows = connection.exec({"sleep", "select pg_sleep(63)"});
    hurry.join();
    ASSERT_FALSE(rows.ok());
    EXPECT_TRUE(rows.error().connection_lost);
}

TEST_F(Answers, of_a_ping_are_taken_by_the_next_statement) {
    expect_ok(connection_.script("begin", "begin"));
    connection_.ping();
    connection_.ping();
    EXPECT_TRUE(connection_.exec({"one", "select 1"}).ok());
    connection_.ping();
    connection_.queue({"one", "select 1"}, {});
    EXPECT_TRUE(connection_.flush().ok());
    connection_.ping();
    connection_.await_ping();
    EXPECT_TRUE(connection_.in_transaction());
    expect_ok(connection_.script("end", "rollback"));
}

TEST_F(Answers, larger_than_every_buffer_arrive_whole) {
    const std::string text(8UL << 20U, 'x');
    auto rows = connection_.exec({"echo", "select $1::text || $1::text"}, Params().text(text));
    ASSERT_TRUE(rows.ok());
    EXPECT_EQ(rows->text(0, 0).size(), 2 * text.size());
}

// The kernel accepts connections for a frozen server: nothing but the missing answer tells.
TEST(HungServer, is_left_after_the_answer_and_the_sign_of_life_did_not_come) {
    const test::TempDir dir;
    ClusterOptions cluster_options;
    cluster_options.data_dir = dir.path() + "/cluster";
    auto cluster = expect_ok(PrivateCluster::start(cluster_options));
    ConnectOptions options;
    options.url = cluster->admin_url();
    options.answer_timeout = 200ms;
    options.connect_timeout = 1000ms;
    auto connection = expect_ok(Connection::connect(options));
    const pid_t backend = connection.backend_pid();
    ASSERT_EQ(::kill(backend, SIGSTOP), 0);
    cluster->kill_for_test(SIGSTOP);
    const auto rows = connection.exec({"one", "select 1"});
    cluster->kill_for_test(SIGCONT);
    ASSERT_EQ(::kill(backend, SIGCONT), 0);
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().code, ErrorCode::DB_UNAVAILABLE);
    EXPECT_TRUE(rows.error().connection_lost);
    EXPECT_NE(rows.error().message.find("no sign of life"), std::string::npos);
    EXPECT_TRUE(wait_until([&] { return connection.reconnect().ok(); }));
}

}  // namespace
}  // namespace jobforge::pg
