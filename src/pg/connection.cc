#include "pg/connection.h"

#include <poll.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "pg/await.h"
#include "pg/connect.h"
#include "pg/connection_state.h"
#include "pg/errors.h"
#include "pg/pipeline.h"
#include "pg/session_settings.h"

namespace jobforge::pg {

namespace {

using Clock = std::chrono::steady_clock;

void ignore_notice(void* /*argument*/, const PGresult* /*result*/) {}

bool starts_with_word(std::string_view sql, std::string_view word) {
    while (!sql.empty() && std::isspace(static_cast<unsigned char>(sql.front())) != 0) {
        sql.remove_prefix(1);
    }
    if (sql.size() < word.size()) {
        return false;
    }
    return std::equal(word.begin(), word.end(), sql.begin(), [](char a, char b) {
        return a == std::tolower(static_cast<unsigned char>(b));
    });
}

}  // namespace

Status Connection::State::configure() {
    PQsetNoticeReceiver(native, &ignore_notice, nullptr);
    PQsetnonblocking(native, 1);  // AnswerWait does the waiting
    const std::string sql = session_settings(native, options);
    const OwnedResult result = collect_answer(*this, PQsendQuery(native, sql.c_str()));
    if (PQresultStatus(result.get()) != PGRES_TUPLES_OK) {
        return failure(result.get(), "session_settings");
    }
    prepares = options.prepare_statements && PQntuples(result.get()) == 1;
    return ok_status();
}

bool may_have_happened(const Error& error) noexcept {
    return error.connection_lost && error.sqlstate != kReadOnly;
}

bool ends_transaction(std::string_view sql) {
    return starts_with_word(sql, "commit") || starts_with_word(sql, "end");
}

bool is_success(const PGresult* result) noexcept {
    switch (PQresultStatus(result)) {
        case PGRES_COMMAND_OK:
        case PGRES_TUPLES_OK:
        case PGRES_EMPTY_QUERY:
            return true;
        default:
            return false;
    }
}

namespace {

// COPY has no place here (nothing would feed it); ends it so that the session stays usable.
void abandon_copy(PGconn* native, ExecStatusType status, AnswerWait& wait) {
    if (status == PGRES_COPY_IN || status == PGRES_COPY_BOTH) {
        PQputCopyEnd(native, "COPY is not supported by this call");
        return;
    }
    char* row = nullptr;
    int size = PQgetCopyData(native, &row, /*async=*/1);
    while (size > 0 || (size == 0 && wait.for_input())) {
        PQfreemem(row);
        size = PQgetCopyData(native, &row, /*async=*/1);
    }
}

}  // namespace

OwnedResult collect_answer(Connection::State& state, int sent) {
    OwnedResult answer;
    if (sent == 0) {
        return answer;
    }
    AnswerWait wait(state);
    while (true) {
        wait.for_result();
        OwnedResult next{PQgetResult(state.native)};
        if (!next) {
            return answer;
        }
        const ExecStatusType status = PQresultStatus(next.get());
        if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH) {
            abandon_copy(state.native, status, wait);
        }
        if (!answer || is_success(answer.get())) {
            answer = std::move(next);
        }
    }
}

bool is_outdated(const Error& error) noexcept {
    return error.sqlstate == "0A000" || error.sqlstate == "26000";
}

Error outdated_is_retryable(Error error) {
    if (is_outdated(error)) {
        error.code = ErrorCode::DB_UNAVAILABLE;
        error.retryable = true;
    }
    return error;
}

Connection::State::~State() {
    release();
}

void Connection::State::adopt(PGconn* connection, bool is_owned) {
    const std::lock_guard guard(cancel_mutex);
    native = connection;
    owned = is_owned;
    cancel_handle.reset(PQgetCancel(connection));
}

void Connection::State::release() noexcept {
    const std::lock_guard guard(cancel_mutex);
    cancel_handle.reset();
    prepared.clear();
    queued.clear();
    under_way.reset();
    pinged = false;
    gave_up.clear();
    if (owned) {
        PQfinish(native);
    }
    native = nullptr;
}

Error Connection::State::failure(const PGresult* result, std::string_view statement) {
    Error error = error_from_result(native, result, statement);
    if (!gave_up.empty()) {
        error.message = gave_up;
    }
    if (error.sqlstate == kReadOnly && owned) {
        release();
    }
    return error;
}

Error Connection::State::unusable(std::string_view statement) const {
    Error error = Error::of(ErrorCode::DB_UNAVAILABLE, "the connection to Postgres is lost");
    error.connection_lost = true;
    error.statement = statement;
    return error;
}

std::string Connection::State::prepared_key(const Statement& statement, const Params& params) {
    std::string key(statement.name);
    key.push_back('\0');
    key.append(statement.sql);
    key.append(reinterpret_cast<const char*>(params.types()),
               static_cast<std::size_t>(params.count()) * sizeof(unsigned));
    return key;
}

std::string Connection::State::new_prepared_name(std::string_view statement) {
    ++prepared_count;
    return fmt::format("{}_{}", statement, prepared_count);
}

Connection::Connection(std::unique_ptr<State> state) : state_(std::move(state)) {}
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;
Connection::~Connection() = default;

Result<Connection> Connection::connect(const ConnectOptions& options) {
    auto state = std::make_unique<State>();
    state->options = options;
    Connection connection(std::move(state));
    if (auto connected = connection.reconnect(); !connected.ok()) {
        return connected.error();
    }
    return connection;
}

Connection Connection::borrow(PGconn* connection) {
    auto state = std::make_unique<State>();
    state->adopt(connection, /*is_owned=*/false);
    return Connection(std::move(state));
}

Status Connection::reconnect() {
    if (state_->native != nullptr && !state_->owned) {
        return Error::of(ErrorCode::INTERNAL_ERROR,
                         "a borrowed connection can only be reconnected by its owner");
    }
    state_->release();
    auto native = open_connection(state_->options);
    if (!native.ok()) {
        return native.error();
    }
    state_->adopt(*native, /*is_owned=*/true);
    return state_->configure();
}

Result<Rows> Connection::exec(const Statement& statement, const Params& params) {
    await_ping();
    if (!alive()) {
        return state_->unusable(statement.name);
    }
    const bool commits = !in_transaction() || ends_transaction(statement.sql);
    auto rows = state_->prepares ? state_->exec_prepared(statement, params)
                                 : state_->exec_unnamed(statement, params);
    if (!rows.ok()) {
        Error error = rows.error();
        error.outcome_unknown = commits && may_have_happened(error);
        return error;
    }
    return rows;
}

Result<Rows> Connection::exec_text(const Statement& statement,
                                   const std::vector<const char*>& parameters) {
    await_ping();
    if (!alive()) {
        return state_->unusable(statement.name);
    }
    const bool commits = !in_transaction() || ends_transaction(statement.sql);
    const std::string sql(statement.sql);
    OwnedResult result = collect_answer(
        *state_, PQsendQueryParams(state_->native, sql.c_str(), static_cast<int>(parameters.size()),
                                   nullptr, parameters.data(), nullptr, nullptr, kTextResult));
    if (is_success(result.get())) {
        return Rows(result.release());
    }
    Error error = state_->failure(result.get(), statement.name);
    error.outcome_unknown = commits && may_have_happened(error);
    return error;
}

Result<Rows> Connection::State::exec_unnamed(const Statement& statement, const Params& params) {
    const std::string sql(statement.sql);
    OwnedResult result =
        collect_answer(*this, PQsendQueryParams(native, sql.c_str(), params.count(), params.types(),
                                                params.values(), params.lengths(), params.formats(),
                                                kBinaryResult));
    if (!is_success(result.get())) {
        return failure(result.get(), statement.name);
    }
    return Rows(result.release());
}

// An outdated statement is cured by preparing it again: at once outside a transaction, by the
// caller's retry inside one.
Result<Rows> Connection::State::exec_prepared(const Statement& statement, const Params& params) {
    for (bool retried = false;; retried = true) {
        const std::string key = prepared_key(statement, params);
        auto entry = prepared.find(key);
        if (entry == prepared.end()) {
            const std::string name = new_prepared_name(statement.name);
            const std::string sql(statement.sql);
            const OwnedResult result = collect_answer(
                *this,
                PQsendPrepare(native, name.c_str(), sql.c_str(), params.count(), params.types()));
            if (!is_success(result.get())) {
                return failure(result.get(), statement.name);
            }
            entry = prepared.emplace(key, name).first;
        }
        OwnedResult result =
            collect_answer(*this, PQsendQueryPrepared(native, entry->second.c_str(), params.count(),
                                                      params.values(), params.lengths(),
                                                      params.formats(), kBinaryResult));
        if (is_success(result.get())) {
            return Rows(result.release());
        }
        const Error error = outdated_is_retryable(failure(result.get(), statement.name));
        if (!is_outdated(error)) {
            return error;
        }
        prepared.erase(entry);
        if (retried || PQtransactionStatus(native) != PQTRANS_IDLE) {
            return error;
        }
    }
}

Status Connection::script(std::string_view name, std::string_view sql) {
    await_ping();
    if (!alive()) {
        return state_->unusable(name);
    }
    const std::string text(sql);
    const OwnedResult result = collect_answer(*state_, PQsendQuery(state_->native, text.c_str()));
    if (is_success(result.get())) {
        return ok_status();
    }
    Error error = state_->failure(result.get(), name);
    error.outcome_unknown = may_have_happened(error);  // the text may hold any number of commits
    return error;
}

void Connection::queue(const Statement& statement, Params params) {
    state_->queued.push_back(Queued{statement, std::move(params)});
}

Result<std::vector<Rows>> Connection::flush() {
    std::vector<Queued> queued = std::move(state_->queued);
    state_->queued.clear();
    if (queued.empty()) {
        return std::vector<Rows>();
    }
    await_ping();
    if (!alive()) {
        return state_->unusable(queued.front().statement.name);
    }
    const bool was_idle = !in_transaction();
    const bool commits = was_idle || std::any_of(queued.begin(), queued.end(), [](const auto& one) {
                             return ends_transaction(one.statement.sql);
                         });
    auto rows = run_pipeline(*state_, std::move(queued));
    if (rows.ok()) {
        return rows;
    }
    Error error = rows.error();
    error.outcome_unknown = commits && may_have_happened(error);
    if (was_idle && alive() && in_transaction()) {
        (void)script("rollback", "rollback");
    }
    return error;
}

Status Connection::start_flush() {
    std::vector<Queued> queued = std::move(state_->queued);
    state_->queued.clear();
    if (!alive()) {
        return state_->unusable("start_flush");
    }
    if (queued.empty() || !state_->owned || PQtransactionStatus(state_->native) != PQTRANS_IDLE) {
        return Error::of(ErrorCode::INTERNAL_ERROR,
                         "nothing is queued, or something else is under way");
    }
    // What is decrypted already waits in a library's buffer, and the socket says nothing of it.
    if (PQsslInUse(state_->native) != 0 || PQgssEncInUse(state_->native) != 0) {
        return Error::of(ErrorCode::INTERNAL_ERROR, "the connection is encrypted");
    }
    return start_pipeline(*state_, std::move(queued));
}

std::optional<Result<std::vector<Rows>>> Connection::take_flushed() {
    if (!state_->under_way) {
        return Result<std::vector<Rows>>(state_->unusable("take_flushed"));
    }
    auto rows = take_pipeline(*state_);
    if (!rows || rows->ok()) {
        return rows;
    }
    Error error = std::move(*rows).error();
    // An error without SQLSTATE is libpq's own, about an answer that has come: it may well be done.
    error.outcome_unknown = error.connection_lost || error.sqlstate.empty();
    return Result<std::vector<Rows>>(std::move(error));
}

std::chrono::milliseconds Connection::limit_answers(std::chrono::milliseconds longest) noexcept {
    return std::exchange(state_->options.longest_answer, longest);
}

Result<std::optional<Notification>> Connection::wait_notification(std::chrono::milliseconds timeout,
                                                                  int wake_fd) {
    const auto deadline = Clock::now() + timeout;
    while (true) {
        if (!alive()) {
            return state_->unusable("listen");
        }
        PGconn* native = state_->native;
        if (PQconsumeInput(native) == 0) {
            return error_from_connection(native, "listen");
        }
        if (PGnotify* raw = PQnotifies(native); raw != nullptr) {
            Notification notification{raw->relname, raw->extra, raw->be_pid};
            PQfreemem(raw);
            return std::optional(std::move(notification));
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) {
            return std::optional<Notification>();
        }
        // poll() skips negative descriptors, so a missing wake_fd needs no case of its own.
        pollfd entries[2] = {{PQsocket(native), POLLIN, 0}, {wake_fd, POLLIN, 0}};
        const int ready =
            ::poll(entries, 2, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
        if (ready > 0 && entries[1].revents != 0) {
            return std::optional<Notification>();
        }
        if (ready < 0 && errno != EINTR) {
            return Error::of(ErrorCode::INTERNAL_ERROR, "poll() failed on a Postgres socket");
        }
    }
}

void Connection::ping() noexcept {
    if (!alive()) {
        return;
    }
    PGconn* native = state_->native;
    if (state_->pinged) {
        if (PQconsumeInput(native) == 0 || PQisBusy(native) != 0) {
            return;
        }
        while (PQisBusy(native) == 0) {
            const OwnedResult result(PQgetResult(native));
            if (!result) {
                state_->pinged = false;
                break;
            }
        }
    }
    if (!state_->pinged && PQsendQuery(native, "select 1") == 1) {
        state_->pinged = true;
        (void)PQflush(native);
    }
}

void Connection::await_ping() {
    if (std::exchange(state_->pinged, false)) {
        (void)collect_answer(*state_, 1);
    }
}

void Connection::cancel() noexcept {
    const std::lock_guard guard(state_->cancel_mutex);
    if (state_->cancel_handle) {
        char message[256];
        (void)PQcancel(state_->cancel_handle.get(), message, sizeof message);
    }
}

bool Connection::alive() const noexcept {
    return state_->native != nullptr && PQstatus(state_->native) == CONNECTION_OK;
}

bool Connection::closed_by_server() noexcept {
    while (alive()) {
        pollfd entry{PQsocket(state_->native), POLLIN, 0};
        if (::poll(&entry, 1, 0) <= 0) {
            return false;
        }
        // First the server's reason, if it gave one, then the end.
        if (PQconsumeInput(state_->native) == 0) {
            return true;
        }
    }
    return true;
}

bool Connection::in_transaction() const noexcept {
    const PGTransactionStatusType status = PQtransactionStatus(state_->native);
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

int Connection::server_version() const noexcept {
    return PQserverVersion(state_->native);
}

int Connection::backend_pid() const noexcept {
    return PQbackendPID(state_->native);
}

int Connection::socket() const noexcept {
    return state_->native == nullptr ? -1 : PQsocket(state_->native);
}

PGconn* Connection::native() noexcept {
    return state_->native;
}

}  // namespace jobforge::pg
