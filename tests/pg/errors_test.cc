#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include "child_process.h"
#include "localpg/cluster.h"
#include "pg/errors.h"
#include "pg_fixture.h"
#include "temp_dir.h"

namespace jobforge::pg {
namespace {

using test::expect_ok;

struct Expectation {
    const char* sqlstate;
    ErrorCode code;
    bool retryable;
    bool connection_lost;
};

TEST(SqlStates, mean_what_the_table_in_the_header_says) {
    const Expectation expectations[] = {
        {"JF012", ErrorCode::LEASE_LOST, false, false},
        {"JF014", ErrorCode::QUOTA_EXCEEDED, true, false},
        {"08006", ErrorCode::DB_UNAVAILABLE, true, true},
        {"57P01", ErrorCode::DB_UNAVAILABLE, true, true},
        {"57P02", ErrorCode::DB_UNAVAILABLE, true, true},
        {"57P03", ErrorCode::DB_UNAVAILABLE, true, true},
        {"40001", ErrorCode::DB_UNAVAILABLE, true, false},
        {"40P01", ErrorCode::DB_UNAVAILABLE, true, false},
        {"55P03", ErrorCode::DB_UNAVAILABLE, true, false},
        {"53300", ErrorCode::DB_UNAVAILABLE, true, false},
        {"25006", ErrorCode::DB_UNAVAILABLE, true, true},
        {"28P01", ErrorCode::UNAUTHORIZED, false, false},
        {"28000", ErrorCode::UNAUTHORIZED, false, false},
        {"3D000", ErrorCode::NOT_FOUND, false, false},
        {"57014", ErrorCode::TIMEOUT, true, false},
        {"42501", ErrorCode::FORBIDDEN, false, false},
        {"22P02", ErrorCode::VALIDATION_ERROR, false, false},
        {"23505", ErrorCode::VALIDATION_ERROR, false, false},
        {"42P01", ErrorCode::INTERNAL_ERROR, false, false},
        {"XX000", ErrorCode::INTERNAL_ERROR, false, false},
        {"JF999", ErrorCode::INTERNAL_ERROR, false, false},
    };
    for (const Expectation& expected : expectations) {
        const Error error = error_from_sqlstate(expected.sqlstate, "message");
        EXPECT_EQ(error.code, expected.code) << expected.sqlstate;
        EXPECT_EQ(error.retryable, expected.retryable) << expected.sqlstate;
        EXPECT_EQ(error.connection_lost, expected.connection_lost) << expected.sqlstate;
        EXPECT_EQ(error.sqlstate, expected.sqlstate);
    }
}

TEST(Scrubbing, removes_passwords_in_every_form_libpq_prints) {
    EXPECT_EQ(scrub_secrets("password=hunter2 host=x", ""), "password=*** host=x");
    EXPECT_EQ(scrub_secrets("password='a b c' host=x", ""), "password=*** host=x");
    EXPECT_EQ(scrub_secrets("at postgresql://me:hunter2@db/x failed", ""),
              "at postgresql://me:***@db/x failed");
    EXPECT_EQ(scrub_secrets("postgres://me:p@ss@db/x", ""), "postgres://me:***@db/x");
    EXPECT_EQ(scrub_secrets("it was hunter2, hunter2", "hunter2"), "it was ***, ***");
    EXPECT_EQ(scrub_secrets("a server at last", "a"), "a server at last");
    EXPECT_EQ(scrub_secrets("postgres://me:a@db/x", "a"), "postgres://me:***@db/x");
    EXPECT_EQ(scrub_secrets("ends with password=", ""), "ends with password=***");
    EXPECT_EQ(scrub_secrets("postgresql://db:5432/x", ""), "postgresql://db:5432/x");
}

class ServerErrors : public test::PgTest {
protected:
    Error fail(std::string_view sql, const Params& params = {}) {
        auto rows = connection_.exec({"failing", sql}, params);
        if (rows.ok()) {
            throw std::runtime_error("no error");
        }
        return rows.error();
    }
};

TEST_F(ServerErrors, our_own_codes_carry_details_and_hint) {
    expect_ok(
        connection_.script("make",
                           "create function refuse() returns void language plpgsql as $$ begin"
                           " raise exception 'lease is gone' using errcode = 'JF012',"
                           " detail = '{\"job\": 7}', hint = 'stop'; end $$"));
    const Error error = fail("select refuse()");
    EXPECT_EQ(error.code, ErrorCode::LEASE_LOST);
    EXPECT_EQ(error.message, "lease is gone");
    EXPECT_EQ(error.details, R"({"job": 7})");
    EXPECT_EQ(error.hint, "stop");
    EXPECT_EQ(error.statement, "failing");
    EXPECT_FALSE(error.retryable);
}

TEST_F(ServerErrors, a_violated_constraint_is_named) {
    expect_ok(connection_.script("make",
                                 "create table t (n int constraint n_is_positive check (n > 0))"));
    const Error error = fail("insert into t values (-1)");
    EXPECT_EQ(error.code, ErrorCode::VALIDATION_ERROR);
    EXPECT_EQ(error.sqlstate, "23514");
    EXPECT_NE(error.message.find("n_is_positive"), std::string::npos);
    EXPECT_TRUE(error.details.empty());  // Postgres's own DETAIL is a sentence with row contents
}

TEST_F(ServerErrors, bad_input_is_the_callers_fault_and_a_missing_table_is_ours) {
    EXPECT_EQ(fail("select $1::text::int4", Params().text("x")).code, ErrorCode::VALIDATION_ERROR);
    const Error error = fail("select * from missing");
    EXPECT_EQ(error.code, ErrorCode::INTERNAL_ERROR);
    EXPECT_FALSE(error.retryable);
    EXPECT_FALSE(error.connection_lost);
}

TEST_F(ServerErrors, a_lock_that_cannot_be_had_is_retryable) {
    expect_ok(connection_.script("make", "create table t (n int)"));
    auto other = database_.connect();
    expect_ok(other.script("lock", "begin; lock table t"));
    const Error error = fail("lock table t nowait");
    // Outside a transaction LOCK itself is refused; inside one it is the lock that is missing.
    EXPECT_EQ(error.sqlstate, "25P01");
    auto transaction = expect_ok(Transaction::begin(connection_));
    const auto locked = transaction.exec({"lock", "lock table t nowait"});
    ASSERT_FALSE(locked.ok());
    EXPECT_EQ(locked.error().sqlstate, "55P03");
    EXPECT_TRUE(locked.error().retryable);
    EXPECT_FALSE(locked.error().connection_lost);
}

TEST_F(ServerErrors, writing_to_a_read_only_server_is_retryable_because_of_failovers) {
    expect_ok(connection_.script("read_only", "set default_transaction_read_only = on"));
    const Error error = fail("create table t (n int)");
    EXPECT_EQ(error.sqlstate, "25006");
    EXPECT_TRUE(error.retryable);
    EXPECT_TRUE(error.connection_lost) << "it is no longer the server to write to";
    EXPECT_FALSE(error.outcome_unknown) << "it was refused";
    EXPECT_FALSE(connection_.alive());
    EXPECT_NE(error.hint.find("default_transaction_read_only"), std::string::npos);
}

Error connect_error(const std::string& url,
                    std::chrono::milliseconds timeout = std::chrono::milliseconds(5000)) {
    ConnectOptions options;
    options.url = url;
    options.connect_timeout = timeout;
    auto connection = Connection::connect(options);
    if (connection.ok()) {
        throw std::runtime_error("connected");
    }
    return connection.error();
}

TEST_F(ServerErrors, a_missing_database_is_not_found) {
    const Error error =
        connect_error(test::TestCluster::instance().url("postgres", "no_such_database"));
    EXPECT_EQ(error.code, ErrorCode::NOT_FOUND);
    EXPECT_EQ(error.sqlstate, "3D000");
    EXPECT_FALSE(error.retryable);
    EXPECT_EQ(error.message, "database \"no_such_database\" does not exist");
}

TEST_F(ServerErrors, a_missing_role_is_unauthorized) {
    const Error error = connect_error(database_.url("no_such_role"));
    EXPECT_EQ(error.code, ErrorCode::UNAUTHORIZED);
    EXPECT_FALSE(error.retryable);
}

TEST(ConnectErrors, a_port_where_nobody_listens_is_retryable) {
    const Error error =
        connect_error(fmt::format("postgresql://me:hunter2@127.0.0.1:{}/x", test::free_port()));
    EXPECT_EQ(error.code, ErrorCode::DB_UNAVAILABLE);
    EXPECT_TRUE(error.retryable);
    EXPECT_EQ(error.describe().find("hunter2"), std::string::npos);
}

TEST(ConnectErrors, a_malformed_url_is_refused_without_quoting_it) {
    for (const std::string url : {"postgresql://me:hunter2@[bad/x", "hunter2 nonsense",
                                  "postgresql://me:hunter@2@db/x", "dbname=x nokey=hunter2"}) {
        const Error error = connect_error(url);
        EXPECT_EQ(error.code, ErrorCode::VALIDATION_ERROR) << url;
        EXPECT_FALSE(error.retryable);
        EXPECT_EQ(error.describe().find("hunter"), std::string::npos) << error.describe();
    }
}

// A socket that accepts connections (the kernel does) and never says anything.
class SilentServer final {
public:
    SilentServer() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (::bind(fd_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
            ::listen(fd_, 8) != 0 ||
            ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
            std::abort();
        }
        port_ = ntohs(address.sin_port);
    }
    SilentServer(const SilentServer&) = delete;
    SilentServer& operator=(const SilentServer&) = delete;
    ~SilentServer() { ::close(fd_); }
    [[nodiscard]] int port() const { return port_; }

private:
    int fd_;
    int port_ = 0;
};

TEST(ConnectErrors, a_server_that_never_answers_is_given_up_after_the_timeout) {
    const SilentServer silent;
    const auto began = std::chrono::steady_clock::now();
    const Error error =
        connect_error(fmt::format("postgresql://127.0.0.1:{}/x?sslmode=disable", silent.port()),
                      std::chrono::milliseconds(1000));
    EXPECT_EQ(error.code, ErrorCode::DB_UNAVAILABLE);
    EXPECT_TRUE(error.retryable);
    EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(1000));
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(15));
}

// One server with passwords for all of this: it takes seconds to make.
TEST(ConnectErrors, passwords_are_checked_never_shown_and_the_next_host_is_tried) {
    const test::TempDir dir;
    ClusterOptions options;
    options.data_dir = dir.path() + "/cluster";
    options.tcp = true;
    options.port = test::free_port();
    auto cluster = expect_ok(PrivateCluster::start(options));
    auto admin = test::connect_to(cluster->admin_url());
    expect_ok(admin.script("make", "create role guarded login password 'correct-horse'"));

    const auto url = [&](std::string_view password, std::string_view hosts) {
        return fmt::format("postgresql://guarded{}@{}:{}/jobforge?sslmode=disable", password, hosts,
                           options.port);
    };
    const Error wrong = connect_error(url(":wrong-horse", "127.0.0.1"));
    EXPECT_EQ(wrong.code, ErrorCode::UNAUTHORIZED);
    EXPECT_EQ(wrong.sqlstate, "28P01");
    EXPECT_FALSE(wrong.retryable);
    EXPECT_EQ(wrong.describe().find("wrong-horse"), std::string::npos);

    const Error missing = connect_error(url("", "127.0.0.1"));
    EXPECT_EQ(missing.code, ErrorCode::UNAUTHORIZED);

    const SilentServer silent;
    ConnectOptions several;
    several.url = url(":correct-horse", fmt::format("127.0.0.1:{},127.0.0.1", silent.port()));
    several.connect_timeout = std::chrono::milliseconds(1000);
    auto connection = expect_ok(Connection::connect(several));
    EXPECT_EQ(expect_ok(connection.exec({"who", "select current_user"})).text(0, 0), "guarded");

    several.url += "&target_session_attrs=prefer-standby";
    EXPECT_TRUE(Connection::connect(several).ok());
    several.url = url(":correct-horse", "127.0.0.1") + "&target_session_attrs=standby";
    EXPECT_FALSE(Connection::connect(several).ok());
}

}  // namespace
}  // namespace jobforge::pg
