// One connection, from its first request to its end: the server's life of a request, step by step.
//
//   handshake -> [ head -> plan -> (admission) -> (100) -> body -> begin -> answer ]*
//             -> linger -> end                                   or queue -> handler
//
// It lives as long as an operation or a handler refers to it. All its members run in the stream's
// turns, except run_handler() and run_admission(); while one of them runs, nothing else touches the
// request. What follows them is a turn on the same handler thread, if nothing else is going on.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/body_reader.h"
#include "api/byte_stream.h"
#include "api/http_message.h"
#include "api/request_head_check.h"
#include "api/server_state.h"
#include "api/transfer_pace.h"

namespace jobforge::api {

class HttpSession final : public std::enable_shared_from_this<HttpSession> {
public:
    HttpSession(std::shared_ptr<ServerState> state, std::shared_ptr<ByteStream> stream);
    HttpSession(const HttpSession&) = delete;
    HttpSession& operator=(const HttpSession&) = delete;
    ~HttpSession();

    // Once, from any thread.
    void begin();
    // From any thread: finish what was begun, then close; idle ones close at once.
    void drain();
    // From any thread: close now.
    void abort();

private:
    using Clock = ByteStream::Clock;
    enum class Phase { handshake, idle, head, body, handling, answering, streaming, closing };

    void next_request();
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
    void refuse_body(int status, ErrorCode code, std::string_view message);
    void dispatch();
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

    Phase phase_ = Phase::handshake;
    bool first_ = true;  // no request has been answered yet
    bool draining_ = false;
    std::string buffer_;       // arrived and not taken yet
    std::size_t arrived_ = 0;  // of buffer_, whose rest is room to read into

    // Of the current request.
    HeadScan scan_;
    Request request_;
    std::unique_ptr<PendingAnswer> pending_;  // destroyed before the request
    std::optional<BodyReader> body_;
    BodyBudget::Share share_;  // of request_.body
    TransferPace pace_{};
    std::string_view route_label_;
    Clock::time_point head_done_;
    bool blank_skipped_ = false;
    bool admitted_ = false;
    bool awaits_continue_ = false;
    bool keep_alive_ = true;
    bool http_1_0_ = false;
    bool head_method_ = false;

    Response out_;
    std::string out_head_;
};

}  // namespace jobforge::api
