// One connection, from its first request to its end: the server's life of a request, step by step.
//
//   handshake -> [ head -> plan -> (admission) -> (100) -> body -> begin -> answer ]*
//             -> linger -> end                                   or queue -> handler
//
// It lives as long as an operation or a handler refers to it. All its members run in the stream's
// turns, except run_handler() and run_admission(); while one of them runs, nothing else touches the
// request. What follows them is a turn on the same handler thread, if nothing else is going on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/parse/body_reader.h"
#include "http/parse/http_message.h"
#include "http/parse/request_head_check.h"
#include "http/server/byte_stream.h"
#include "http/server/connection_limits.h"
#include "http/server/server_state.h"
#include "http/server/transfer_pace.h"

namespace jobforge::http {

class Session final : public std::enable_shared_from_this<Session>, private RequestSlot {
public:
    // A seat that is not regular is for one vital request (http_listener.h).
    Session(std::shared_ptr<ServerState> state, std::shared_ptr<ByteStream> stream,
            ConnectionLimits::Seat seat);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    // Once, from any thread.
    void begin();
    // From any thread: finish what was begun, then close; idle ones close at once.
    void drain();
    // From any thread: close now.
    void abort();
    // From any thread: close, unless a request has come meanwhile.
    void give_way();
    // How long it has been waiting for a request to begin or to be complete; 0: it is not. Any
    // thread.
    [[nodiscard]] std::chrono::steady_clock::duration waited(
        std::chrono::steady_clock::time_point now) const noexcept;
    [[nodiscard]] const ConnectionLimits::Seat& seat() const noexcept { return seat_; }

private:
    using Clock = ByteStream::Clock;
    enum class Phase { handshake, idle, head, body, handling, answering, streaming, closing };

    void next_request();
    void wait_for_request();
    void set_head_deadline(std::chrono::milliseconds limit);
    void read_more(std::size_t room, Clock::time_point at = {});
    void on_bytes(bool good, std::size_t count);
    void look_for_head();
    void take(std::size_t size);
    void take_head(std::size_t size);
    void follow_plan(const CheckedHead& checked);
    void begin_body(const CheckedHead& checked, std::uint64_t limit);
    void go_on_with_body();
    void take_body();
    void drop_body();
    void refuse_for_budget(BodyBudget::Grant grant);
    void refuse_body(int status, ErrorCode code, std::string_view message);
    void dispatch();
    void begin_pending();
    void end_pending();
    [[nodiscard]] bool move_to(std::string_view party) override;
    [[nodiscard]] Response no_handler() const;
    void await_answer();
    void on_readable(bool good);
    void answer_pending(Response response);
    void enqueue();
    void run_handler() noexcept;
    void on_handler_thread(const std::function<void()>& work) noexcept;
    [[nodiscard]] bool needs_admission(std::uint64_t body_bytes) const;
    void ask_admission();
    void run_admission(Clock::time_point asked) noexcept;
    void on_admission(std::optional<Response> refusal, Clock::time_point asked);

    void refuse(int status, ErrorCode code, std::string_view message);
    void answer(Response response);
    void begin_stream();
    // Sends out_head_ and, if not `head_only`, out_.body; then `done`.
    void write(bool head_only, std::function<void(bool)> done);
    void write_rest(std::size_t written, bool head_only, std::function<void(bool)> done);
    void on_answered(bool good);
    void observe();
    void linger();
    void discard(std::size_t dropped);
    void end();

    [[nodiscard]] TransferPace pace() const;
    [[nodiscard]] Response failed(std::string_view what);

    const std::shared_ptr<ServerState> state_;
    const std::shared_ptr<ByteStream> stream_;
    const HeadLimits limits_;
    const ConnectionLimits::Seat seat_;
    const Clock::time_point reserved_until_;  // of a seat that is not regular
    std::atomic<Clock::rep> waiting_since_;   // for a request; 0: it has come

    Phase phase_ = Phase::handshake;
    bool first_ = true;  // no request has been answered yet
    bool draining_ = false;
    std::string buffer_;       // arrived and not taken yet
    std::size_t arrived_ = 0;  // of buffer_, whose rest is room to read into

    // Of the current request.
    HeadScan scan_;
    Request request_;
    std::unique_ptr<Exchange> exchange_;      // destroyed before the request
    std::unique_ptr<PendingAnswer> pending_;  // destroyed before the exchange
    std::optional<BodyReader> body_;
    BodyBudget::Share share_;  // of request_.body
    TransferPace pace_{};
    Clock::time_point body_deadline_;  // unless more of the body comes
    std::string_view route_label_;
    std::string party_;      // whose the request is
    std::string_view vary_;  // what all its answers depend on
    Clock::time_point head_done_;
    bool blank_skipped_ = false;
    bool asks_admission_ = false;  // of a large body, once
    bool may_begin_ = false;
    bool awaits_continue_ = false;
    bool keep_alive_ = true;
    bool http_1_0_ = false;
    bool head_method_ = false;

    Response out_;
    std::string out_head_;
};

}  // namespace jobforge::http
