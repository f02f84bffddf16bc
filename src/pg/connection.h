// One connection to Postgres: statements with names, binary parameters and results, pipelines.
//
// Every statement has a name: it is the log key and metric label and stands in each error. With
// `prepare_statements` on, it is also prepared under that name on first use, but only if the
// connection reaches its server directly: PgBouncer 1.18 in transaction mode breaks named
// statements, unnamed ones work everywhere. A pooler gives itself away by the process id it
// announces, which is not that of the server process behind it.
//
// Sessions of our own run at READ COMMITTED, with row_security on, without synchronous_commit = off
// and without inherited timeouts, whatever the defaults of the role or the database are
// (session_settings.h; not through a pooler, whose sessions are shared). An answer is waited for
// with a limit of our own: await.h.
//
// Ownership: a Connection owns its socket. Threads: one thread at a time; cancel() alone may be
// called from another thread. Failures: see errors.h; after an error with connection_lost the
// object stays usable only for reconnect() and destruction.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>

#include "pg/params.h"
#include "pg/rows.h"
#include "pg/statement.h"

typedef struct pg_conn PGconn;

namespace jobforge::pg {

struct ConnectOptions {
    // URI or keyword string. Several hosts are allowed (libpq); without target_session_attrs the
    // first one that takes writes is used, because after a failover the first one may be a standby.
    std::string url;
    std::string application_name = "jobforge";
    // Whether it also wins over the URL's: end_frozen_sessions knows a worker's sessions by it.
    bool force_application_name = false;
    std::chrono::milliseconds connect_timeout{5000};  // 1000..60000, per host
    std::chrono::milliseconds statement_timeout{0};  // 0: none; SET on connect, not under PgBouncer
    // When this client has not read for so long what the server sends, the server ends the session
    // (tcp_user_timeout; not on Unix sockets, not under PgBouncer), and its locks with it. 0:
    // never.
    std::chrono::milliseconds client_timeout{0};
    // For sessions whose login has none. 0: none. SET on connect, not under PgBouncer.
    std::chrono::milliseconds lock_timeout{0};
    // When no answer has come for this long, the server is asked for a sign of life by a second
    // connection; without one the connection counts as lost. 0: waits for ever.
    std::chrono::milliseconds answer_timeout{5000};
    // No answer may take longer than this, sign of life or not. 0: no such limit.
    std::chrono::milliseconds longest_answer{0};
    // Asked about ten times a second while an answer or a connection is awaited; true: the
    // connection is given up. Called on the waiting thread.
    std::function<bool()> give_up = {};
    // Named prepared statements, on direct connections. Saves a third of a short call's time. Not
    // for connections that run texts from outside: what is prepared is kept.
    bool prepare_statements = false;
};

struct Notification {
    std::string channel;
    std::string payload;
    int backend_pid = 0;
};

class Connection final {
public:
    // Connects (blocking, bounded by connect_timeout; hosts are tried one after the other).
    // DB_UNAVAILABLE (retryable) when the server cannot be reached; UNAUTHORIZED (permanent) for a
    // wrong password or missing role; NOT_FOUND (permanent) for a missing database. The password
    // never appears in a message.
    [[nodiscard]] static Result<Connection> connect(const ConnectOptions& options);

    // Wraps a PGconn that the caller owns (the caller's own transaction). Never closes it.
    [[nodiscard]] static Connection borrow(PGconn* connection);

    Connection(Connection&&) noexcept;
    Connection& operator=(Connection&&) noexcept;
    ~Connection();

    // Runs one statement and waits. Rows are binary. Outside a transaction the statement commits
    // by itself, so a connection that breaks before the answer leaves the outcome unknown.
    [[nodiscard]] Result<Rows> exec(const Statement& statement, const Params& params = {});
    // The same for texts from outside: never prepared, parameters and results as text (NULL:
    // nullptr).
    [[nodiscard]] Result<Rows> exec_text(const Statement& statement,
                                         const std::vector<const char*>& parameters);
    // Runs plain SQL text with the simple protocol (several statements allowed; migrations, BEGIN).
    [[nodiscard]] Status script(std::string_view name, std::string_view sql);
    [[nodiscard]] Status script(const Statement& statement) {
        return script(statement.name, statement.sql);
    }

    // Pipeline: queue() any number of statements, then flush() sends them in one round trip and
    // returns one result per statement, in order. After the first failure the rest are skipped by
    // the server and reported as the same error. All run in one implicit transaction unless a
    // BEGIN/COMMIT is queued too; if a pipeline that queued its own BEGIN fails, it is rolled back
    // before flush() returns. An empty flush() does nothing.
    void queue(const Statement& statement, Params params);
    [[nodiscard]] Result<std::vector<Rows>> flush();

    // flush() in two halves, for a thread that must not wait: start_flush() sends, and whenever the
    // socket is readable take_flushed() takes what has come; nullopt: that is not all. In between
    // nothing else may be done with the connection; to give the answer up, destroy it.
    // Not in a transaction, not with a BEGIN, not on a borrowed or encrypted connection
    // (INTERNAL_ERROR, and nothing was sent), and for what the system takes at once (some 100 KB):
    // else the connection is lost, and nothing was done.
    [[nodiscard]] Status start_flush();
    [[nodiscard]] std::optional<Result<std::vector<Rows>>> take_flushed();

    // Waits up to `timeout` for a notification (LISTEN must have been issued), or for wake_fd (if
    // >= 0) to become readable, which ends the wait early. nullopt: nothing came.
    [[nodiscard]] Result<std::optional<Notification>> wait_notification(
        std::chrono::milliseconds timeout, int wake_fd = -1);

    // Sends a statement that does nothing, without waiting: an open transaction is not idle then.
    // The next call on the connection takes its answer first. Nothing when one is under way.
    void ping() noexcept;
    // Takes the answer of a ping, if one is under way.
    void await_ping();

    // options.longest_answer from now on. Answers what it was.
    std::chrono::milliseconds limit_answers(std::chrono::milliseconds longest) noexcept;

    // Asks the server to cancel what runs now. Any thread.
    void cancel() noexcept;
    // Drops the socket and connects again with the same options.
    [[nodiscard]] Status reconnect();

    [[nodiscard]] bool alive() const noexcept;  // as far as libpq knows
    // Whether the server has closed it meanwhile. Does not wait. Precondition: nothing under way.
    [[nodiscard]] bool closed_by_server() noexcept;
    [[nodiscard]] bool in_transaction() const noexcept;
    [[nodiscard]] int server_version() const noexcept;  // e.g. 150020
    [[nodiscard]] int backend_pid() const noexcept;
    [[nodiscard]] int socket() const noexcept;  // -1: lost
    [[nodiscard]] PGconn* native() noexcept;

    struct State;  // connection_state.h: for this room only

private:
    explicit Connection(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// BEGIN ... COMMIT, rolled back on destruction unless committed. Holds a pointer to the connection,
// which must outlive it. begin() refuses a connection that already is in a transaction.
// commit() errors with outcome_unknown when the connection broke after COMMIT was sent, and with
// INTERNAL_ERROR when an earlier failed statement made the server answer it with a rollback.
class Transaction final {
public:
    [[nodiscard]] static Result<Transaction> begin(Connection& connection);
    Transaction(Transaction&&) noexcept;
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();
    [[nodiscard]] Result<Rows> exec(const Statement& statement, const Params& params = {});
    [[nodiscard]] Status commit();
    void rollback() noexcept;
    [[nodiscard]] Connection& connection() noexcept;

private:
    explicit Transaction(Connection* connection);
    Connection* connection_;
};

}  // namespace jobforge::pg
