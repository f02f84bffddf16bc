// What a Connection holds, shared by connection.cc and pipeline.cc. Private to src/pg.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <libpq-fe.h>

#include "pg/connection.h"

namespace jobforge::pg {

inline constexpr int kTextResult = 0;
inline constexpr int kBinaryResult = 1;
// Writes are refused: a standby, or a primary that was demoted or fenced.
inline constexpr std::string_view kReadOnly = "25006";

struct ClearResult {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using OwnedResult = std::unique_ptr<PGresult, ClearResult>;

struct FreeCancel {
    void operator()(PGcancel* cancel) const noexcept { PQfreeCancel(cancel); }
};

struct Queued {
    Statement statement;
    Params params;
};

class Pipeline;  // pipeline.cc
struct DeletePipeline {
    void operator()(Pipeline* pipeline) const noexcept;
};

struct Connection::State {
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State();

    void adopt(PGconn* connection, bool is_owned);
    void release() noexcept;
    // What a new session needs before its first statement.
    [[nodiscard]] Status configure();
    [[nodiscard]] Error unusable(std::string_view statement) const;
    // The error of this answer. A server that is read-only now is no longer the one to write to
    // (25006): the connection is closed, so that the next one finds the server that is.
    [[nodiscard]] Error failure(const PGresult* result, std::string_view statement);
    [[nodiscard]] Result<Rows> exec_unnamed(const Statement& statement, const Params& params);
    [[nodiscard]] Result<Rows> exec_prepared(const Statement& statement, const Params& params);

    // A statement is prepared once per list of parameter types: a NULL of unknown type and an
    // int8 lead the server to different plans.
    [[nodiscard]] static std::string prepared_key(const Statement& statement, const Params& params);
    // A name never used on this connection, so that a dropped statement cannot be in the way.
    [[nodiscard]] std::string new_prepared_name(std::string_view statement);

    ConnectOptions options;
    bool prepares = false;  // options.prepare_statements, and there is no pooler between
    PGconn* native = nullptr;
    bool owned = true;
    std::unordered_map<std::string, std::string> prepared;  // prepared_key -> name on the server
    int prepared_count = 0;
    bool pinged = false;  // the answer of a ping has not been taken
    std::string gave_up;  // why we ended the connection ourselves; empty: we did not
    std::vector<Queued> queued;
    std::unique_ptr<Pipeline, DeletePipeline> under_way;  // after start_flush()
    std::mutex cancel_mutex;  // cancel() comes from other threads, also during reconnect()
    std::unique_ptr<PGcancel, FreeCancel> cancel_handle;
};

// Waits for the answer to what PQsend... sent: the first failure, else the last result. Not
// PQexec: when the server says why it ends a session and then closes the socket, that returns only
// the second half, and the SQLSTATE is lost. `sent` is PQsend...'s own result.
[[nodiscard]] OwnedResult collect_answer(Connection::State& state, int sent);
[[nodiscard]] bool is_success(const PGresult* result) noexcept;
// A migration may change what a statement returns, and Postgres then refuses the prepared plan
// (0A000); DISCARD ALL may have dropped it (26000). Nothing was done: the call may be repeated.
[[nodiscard]] bool is_outdated(const Error& error) noexcept;
[[nodiscard]] Error outdated_is_retryable(Error error);
// Whether this statement is a COMMIT or END.
[[nodiscard]] bool ends_transaction(std::string_view sql);
// Whether a statement that failed so may have been carried out all the same.
[[nodiscard]] bool may_have_happened(const Error& error) noexcept;

}  // namespace jobforge::pg
