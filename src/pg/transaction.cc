#include <utility>

#include "pg/connection.h"
#include "statements/session.h"

namespace jobforge::pg {

Transaction::Transaction(Connection* connection) : connection_(connection) {}

Transaction::Transaction(Transaction&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

Transaction::~Transaction() {
    rollback();
}

Result<Transaction> Transaction::begin(Connection& connection) {
    if (connection.in_transaction()) {
        return Error::of(ErrorCode::INTERNAL_ERROR, "the connection already is in a transaction");
    }
    if (auto begun = connection.script(statements::session::kBegin); !begun.ok()) {
        Error error = std::move(begun).error();
        error.outcome_unknown = false;  // nothing was done yet that could have happened
        return error;
    }
    return Transaction(&connection);
}

Result<Rows> Transaction::exec(const Statement& statement, const Params& params) {
    return connection_->exec(statement, params);
}

// A transaction in which a statement failed answers COMMIT with the tag ROLLBACK and no error.
Status Transaction::commit() {
    Connection* connection = std::exchange(connection_, nullptr);
    if (connection == nullptr) {
        return Error::of(ErrorCode::INTERNAL_ERROR, "the transaction has already ended");
    }
    const auto rows = connection->exec(statements::session::kCommit);
    if (!rows.ok()) {
        return rows.error();
    }
    if (rows->command_tag() != "COMMIT") {
        Error error = Error::of(ErrorCode::INTERNAL_ERROR,
                                "rolled back: an earlier statement of the transaction failed");
        error.retryable = false;
        error.statement = statements::session::kCommit.name;
        return error;
    }
    return ok_status();
}

void Transaction::rollback() noexcept {
    Connection* connection = std::exchange(connection_, nullptr);
    if (connection == nullptr || !connection->alive() || !connection->in_transaction()) {
        return;
    }
    (void)connection->script(statements::session::kRollback);
}

Connection& Transaction::connection() noexcept {
    return *connection_;
}

}  // namespace jobforge::pg
