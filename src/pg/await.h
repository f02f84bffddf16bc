// Waiting for a server with a limit of our own. Private to src/pg.
//
// A hung server (frozen, or cut off behind a live kernel) answers nothing, not even an error, and
// its socket stays healthy: without a limit on our side nothing ever fails over. When no answer has
// come for `answer_timeout`, a second connection asks the same server for a sign of life. If it
// gives one, the statement is merely slow and the wait goes on; if not, the socket is shut down,
// and libpq reports a lost connection like any other.
#pragma once

#include <chrono>

#include "pg/connection_state.h"

namespace jobforge::pg {

// One statement's (or pipeline's) wait. Threads: one.
class AnswerWait final {
public:
    explicit AnswerWait(Connection::State& state);

    // Sends what libpq has buffered. False: the connection is lost.
    [[nodiscard]] bool flush();
    // Waits until PQgetResult() will not block: an answer is there, or the connection is lost.
    void for_result();
    // Waits until more has come: rows of a COPY are not results. False: the connection is lost.
    [[nodiscard]] bool for_input();

private:
    // Waits for the socket, at most until the next moment at which something is to be decided.
    void for_socket(short events);
    void look_after_server();
    [[nodiscard]] std::chrono::steady_clock::time_point next_check(
        std::chrono::steady_clock::time_point from) const;
    void give_up(std::string reason);

    Connection::State& state_;
    std::chrono::steady_clock::time_point began_;
    std::chrono::steady_clock::time_point check_at_;
};

}  // namespace jobforge::pg
