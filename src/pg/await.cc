#include "pg/await.h"

#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "pg/connect.h"
#include "pg/sign_of_life.h"

namespace jobforge::pg {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// How often a wait asks whether it is still wanted.
constexpr auto kStep = 100ms;

// Bytes that the TLS library has read and decrypted already: the socket says nothing of them.
bool decrypted_bytes_wait(PGconn* native) {
    auto* ssl = static_cast<SSL*>(PQsslStruct(native, "OpenSSL"));
    return ssl != nullptr && SSL_pending(ssl) > 0;
}

}  // namespace

AnswerWait::AnswerWait(Connection::State& state)
    : state_(state), began_(Clock::now()), check_at_(next_check(began_)) {}

Clock::time_point AnswerWait::next_check(Clock::time_point from) const {
    const ConnectOptions& options = state_.options;
    const auto check = from + options.answer_timeout;
    return options.longest_answer.count() > 0 ? std::min(check, began_ + options.longest_answer)
                                              : check;
}

bool AnswerWait::flush() {
    while (true) {
        const int left = PQflush(state_.native);
        if (left <= 0) {
            return left == 0;
        }
        // The server may be unable to read on before we take the results it already has.
        for_socket(POLLIN | POLLOUT);
        if (PQconsumeInput(state_.native) == 0) {
            return false;
        }
    }
}

void AnswerWait::for_result() {
    if (!flush()) {
        return;
    }
    while (PQisBusy(state_.native) != 0) {
        if (!decrypted_bytes_wait(state_.native)) {
            for_socket(POLLIN);
        }
        if (PQconsumeInput(state_.native) == 0) {
            return;
        }
    }
}

bool AnswerWait::for_input() {
    if (!decrypted_bytes_wait(state_.native)) {
        for_socket(POLLIN);
    }
    return PQconsumeInput(state_.native) != 0;
}

void AnswerWait::for_socket(short events) {
    const bool limited = state_.owned && state_.options.answer_timeout.count() > 0;
    const bool asked = static_cast<bool>(state_.options.give_up);
    while (true) {
        int wait_ms = -1;
        if (limited || asked) {
            const auto until = limited ? check_at_ - Clock::now() : Clock::duration(kStep);
            const auto step = asked ? std::min<Clock::duration>(until, kStep) : until;
            wait_ms = static_cast<int>(std::max<std::int64_t>(
                0, std::chrono::ceil<std::chrono::milliseconds>(step).count()));
        }
        pollfd entry{PQsocket(state_.native), events, 0};
        if (::poll(&entry, 1, wait_ms) > 0) {
            return;
        }
        if (asked && state_.options.give_up()) {
            give_up("the wait for Postgres's answer was given up");
            return;
        }
        if (limited && Clock::now() >= check_at_) {
            look_after_server();
            if (!state_.gave_up.empty()) {
                return;
            }
        }
    }
}

void AnswerWait::look_after_server() {
    const ConnectOptions& options = state_.options;
    const auto waited = Clock::now() - began_;
    const auto waited_ms = std::chrono::duration_cast<std::chrono::milliseconds>(waited).count();
    if (options.longest_answer.count() > 0 && waited >= options.longest_answer) {
        give_up(fmt::format("no answer from Postgres within {} ms", waited_ms));
    } else if (!server_lives(state_.native, options)) {
        give_up(
            fmt::format("no answer from Postgres within {} ms, and {}", waited_ms, kNoSignOfLife));
    }
    check_at_ = next_check(Clock::now());
}

// libpq finds the end of the connection at its next read and says so in its usual way.
void AnswerWait::give_up(std::string reason) {
    state_.gave_up = std::move(reason);
    (void)::shutdown(PQsocket(state_.native), SHUT_RDWR);
}

}  // namespace jobforge::pg
