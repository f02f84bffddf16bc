#include "http/server/http_session.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include "http/parse/gzip.h"
#include "http/server/event_stream.h"

namespace jobforge::http {

namespace {

constexpr std::size_t kHeadRoom = 4096;             // what an idle connection costs
constexpr std::size_t kBodyRoom = 65536;            // a body comes in larger pieces
constexpr std::size_t kMostCompressedHere = 16384;  // on an I/O thread: half a millisecond

constexpr std::string_view kBlankLine = "\r\n";
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

bool is_correlation_id(std::string_view text) noexcept {
    return !text.empty() && text.size() <= 128 && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-';
    });
}

}  // namespace

Session::Session(std::shared_ptr<ServerState> state, std::shared_ptr<ByteStream> stream,
                 ConnectionLimits::Seat seat)
    : state_(std::move(state)),
      stream_(std::move(stream)),
      limits_{state_->options.max_header_bytes, state_->options.max_header_count,
              state_->options.max_target_bytes},
      seat_(std::move(seat)),
      reserved_until_(Clock::now() + state_->options.reserve_timeout),
      waiting_since_(Clock::now().time_since_epoch().count()),
      scan_(limits_),
      share_(state_->bodies) {}

Session::~Session() {
    if (out_.stream) {
        out_.stream->abandon();
    }
    stream_->stop_watching();  // before what it watches is closed
    end_pending();
    state_->sessions.remove(this);
}

void Session::begin() {
    stream_->post([self = shared_from_this()] {
        if (self->state_->draining) {
            return self->end();  // accepted while the others were told
        }
        self->stream_->on_deadline([weak = self->weak_from_this()] {
            if (const auto session = weak.lock()) {
                session->pending_ ? session->pending_->give_up() : session->end();
            }
        });
        self->set_head_deadline(self->state_->options.tls_handshake_timeout);
        self->stream_->handshake([self](bool good, std::size_t) {
            return good && self->phase_ == Phase::handshake ? self->next_request() : self->end();
        });
    });
}

void Session::drain() {
    stream_->post([self = shared_from_this()] {
        self->draining_ = true;
        if (self->phase_ == Phase::handshake || self->phase_ == Phase::idle) {
            self->end();
        } else if (self->phase_ == Phase::streaming) {
            self->out_.stream->finish();
        }
    });
}

void Session::abort() {
    stream_->post([self = shared_from_this()] { self->end(); });
}

void Session::give_way() {
    stream_->post([self = shared_from_this()] {
        if (self->waiting_since_ != 0) {
            self->end();
        }
    });
}

Session::Clock::duration Session::waited(Clock::time_point now) const noexcept {
    const Clock::rep since = waiting_since_;
    return since == 0 ? Clock::duration::zero() : now - Clock::time_point(Clock::duration(since));
}

void Session::wait_for_request() {
    waiting_since_ = Clock::now().time_since_epoch().count();
}

// What waits for a head has a deadline; in the reserve there is one for all of it.
void Session::set_head_deadline(std::chrono::milliseconds limit) {
    stream_->set_deadline(seat_.regular() ? Clock::now() + limit : reserved_until_);
}

void Session::end() {
    phase_ = Phase::closing;
    stream_->close();
}

void Session::next_request() {
    if (draining_ || state_->draining) {
        return end();
    }
    scan_ = HeadScan(limits_);
    exchange_.reset();
    request_ = {};
    share_.give_back();
    body_.reset();
    asks_admission_ = false;
    may_begin_ = false;
    route_label_ = "invalid";
    vary_ = {};
    keep_alive_ = true;
    http_1_0_ = false;
    head_method_ = false;
    blank_skipped_ = false;
    out_ = {};
    if (arrived_ == 0 && buffer_.capacity() > 2 * kHeadRoom) {
        buffer_ = {};  // idle connections are many
    }
    const auto& options = state_->options;
    const bool started = arrived_ > 0;
    phase_ = started ? Phase::head : Phase::idle;
    set_head_deadline(started || first_ ? options.header_timeout : options.idle_timeout);
    wait_for_request();
    first_ = false;
    look_for_head();
}

void Session::read_more(std::size_t room, Clock::time_point at) {
    buffer_.resize(arrived_ + room);
    stream_->read_some_at(
        at, buffer_.data() + arrived_, room,
        [self = shared_from_this()](bool good, std::size_t count) { self->on_bytes(good, count); });
}

void Session::on_bytes(bool good, std::size_t count) {
    if (!good || phase_ == Phase::closing) {
        return end();  // also if bytes came in the moment of an abort: no answer can be sent
    }
    arrived_ += count;
    if (phase_ == Phase::body) {
        return take_body();
    }
    if (std::exchange(phase_, Phase::head) == Phase::idle) {
        set_head_deadline(state_->options.header_timeout);
        wait_for_request();
    }
    look_for_head();
}

void Session::look_for_head() {
    const std::size_t size = scan_.find_end(std::string_view(buffer_.data(), arrived_));
    if (const HeadRefusal& refusal = scan_.refusal(); refusal.status != 0) {
        return refuse(refusal.status, ErrorCode::VALIDATION_ERROR, refusal.message);
    }
    if (size == 0) {
        return read_more(kHeadRoom);
    }
    if (size == kBlankLine.size() && !std::exchange(blank_skipped_, true)) {
        // RFC 9112, 2.2: one empty line before a request is forgiven; old clients end bodies so.
        take(size);
        scan_ = HeadScan(limits_);
        return look_for_head();
    }
    take_head(size);
}

void Session::take(std::size_t size) {
    buffer_.erase(0, size);
    arrived_ -= size;
}

void Session::take_head(std::size_t size) {
    head_done_ = Clock::now();
    waiting_since_ = 0;
    HeadRefusal refusal;
    auto checked = check_request_head(std::string_view(buffer_.data(), size), limits_, refusal);
    if (!checked) {
        return refuse(refusal.status, ErrorCode::VALIDATION_ERROR, refusal.message);
    }
    take(size);
    static_cast<RequestHead&>(request_) = std::move(checked->head);
    request_.remote_address = stream_->remote_address();
    const std::string* id = request_.header("x-correlation-id");
    request_.correlation_id = id && is_correlation_id(*id) ? *id : new_correlation_id();
    keep_alive_ = checked->keep_alive && seat_.regular();
    http_1_0_ = checked->minor_version == 0;
    head_method_ = request_.method == "HEAD";
    follow_plan(*checked);
}

void Session::follow_plan(const CheckedHead& checked) {
    Plan plan;
    try {
        plan = state_->application.plan(request_);
    } catch (const std::exception& fault) {
        plan.answer_now = failed(fault.what());
    } catch (...) {
        plan.answer_now = failed("an unknown exception");
    }
    route_label_ = plan.route_label;
    exchange_ = std::move(plan.exchange);
    asks_admission_ = plan.asks_admission;
    may_begin_ = plan.may_begin;
    request_.slot = this;
    party_ = std::move(plan.party);
    vary_ = plan.vary;
    if (!seat_.regular() && !plan.vital) {
        plan.answer_now =
            error_response(503, ErrorCode::QUEUE_UNAVAILABLE,
                           "too many connections; try again after Retry-After seconds", request_);
    }
    if (!plan.answer_now && !exchange_) {
        plan.answer_now = failed("the plan has neither an answer nor an exchange");
    }
    const bool empty = checked.framing == BodyFraming::none ||
                       (checked.framing == BodyFraming::length && checked.content_length == 0);
    if (plan.answer_now) {
        keep_alive_ = keep_alive_ && empty;  // the body stays where it is
        return answer(std::move(*plan.answer_now));
    }
    if (empty) {
        return dispatch();
    }
    begin_body(checked, plan.body_limit);
}

void Session::begin_body(const CheckedHead& checked, std::uint64_t limit) {
    phase_ = Phase::body;
    pace_ = pace();
    body_deadline_ = pace_.deadline(0);
    (void)share_.move_to(party_);  // it has taken nothing yet
    body_.emplace(checked.framing, checked.content_length, limit);
    awaits_continue_ = checked.expects_continue;
    if (body_->state() == BodyReader::State::more && needs_admission(checked.content_length)) {
        return ask_admission();
    }
    go_on_with_body();
}

void Session::go_on_with_body() {
    if (!std::exchange(awaits_continue_, false) || arrived_ > 0 ||
        body_->state() != BodyReader::State::more) {
        return take_body();
    }
    out_head_ = kContinue;
    write(true, [self = shared_from_this()](bool good) {
        self->pace_ = self->pace();
        self->body_deadline_ = self->pace_.deadline(0);
        return good && self->phase_ == Phase::body ? self->take_body() : self->end();
    });
}

void Session::take_body() {
    const std::size_t taken =
        body_->feed(std::string_view(buffer_.data(), arrived_), request_.body);
    take(taken);
    body_deadline_ = pace_.extended(body_deadline_, taken, Clock::now());
    if (const auto grant = share_.grow_to(request_.body.size());
        grant != BodyBudget::Grant::given) {
        return refuse_for_budget(grant);
    }
    switch (body_->state()) {
        case BodyReader::State::more:
            if (needs_admission(request_.body.size())) {
                return ask_admission();
            }
            stream_->set_deadline(body_deadline_);
            return read_more(kBodyRoom, pace_.next(body_->taken()));
        case BodyReader::State::complete:
            return dispatch();
        case BodyReader::State::malformed:
            return refuse_body(400, ErrorCode::VALIDATION_ERROR,
                               "the request's chunks are malformed");
        case BodyReader::State::too_large:
            return refuse_body(413, ErrorCode::PAYLOAD_LIMIT, "the request's body is too large");
    }
}

void Session::refuse_body(int status, ErrorCode code, std::string_view message) {
    drop_body();
    refuse(status, code, message);
}

void Session::refuse_for_budget(BodyBudget::Grant grant) {
    if (grant == BodyBudget::Grant::party_is_full) {
        return refuse_body(429, ErrorCode::RATE_LIMITED,
                           "too many large requests of yours at once; try again after Retry-After "
                           "seconds");
    }
    refuse_body(503, ErrorCode::QUEUE_UNAVAILABLE,
                "too many large requests at once; try again after Retry-After seconds");
}

// The client may take its time to read the refusal; what it sent does not wait for that.
void Session::drop_body() {
    std::string().swap(request_.body);
    share_.give_back();
}

void Session::dispatch() {
    phase_ = Phase::handling;
    stream_->clear_deadline();
    begin_pending();
    if (!pending_) {
        return enqueue();
    }
    stream_->set_deadline(Clock::now() + state_->options.pending_timeout);
    await_answer();
}

// Sent on by this thread, if its party may have something begun now.
void Session::begin_pending() {
    if (!may_begin_ || !state_->queue.try_take(party_)) {
        return;
    }
    try {
        pending_ = exchange_->begin();
    } catch (const std::exception& fault) {
        state_->options.log.error("a request could not be sent on", {{"reason", fault.what()}});
    }
    if (!pending_) {
        state_->queue.give_back(party_);
    }
}

void Session::end_pending() {
    if (pending_) {
        pending_.reset();  // first of all: others may want what it holds
        state_->queue.give_back(party_);
    }
}

void Session::enqueue() {
    if (!state_->queue.push([self = shared_from_this()] { self->run_handler(); }, party_)) {
        answer(no_handler());
    }
}

Response Session::no_handler() const {
    if (state_->queue.is_held_back(party_)) {
        return error_response(429, ErrorCode::RATE_LIMITED,
                              "too many of your requests are under way; try again after "
                              "Retry-After seconds",
                              request_);
    }
    return error_response(503, ErrorCode::QUEUE_UNAVAILABLE,
                          "too many requests are waiting; try again after Retry-After seconds",
                          request_);
}

bool Session::move_to(std::string_view party) {
    return share_.move_to(party) && state_->queue.move_to(party);
}

void Session::await_answer() {
    stream_->when_readable(
        pending_->descriptor(),
        [self = shared_from_this()](bool good, std::size_t) { self->on_readable(good); });
}

void Session::on_readable(bool good) {
    if (!good || phase_ == Phase::closing) {
        end_pending();
        return end();
    }
    Response response;
    PendingAnswer::State state = PendingAnswer::State::ready;
    try {
        state = pending_->resume(response);
    } catch (const std::exception& fault) {
        response = failed(fault.what());
    }
    if (state == PendingAnswer::State::waiting) {
        return await_answer();
    }
    end_pending();
    stream_->clear_deadline();
    return state == PendingAnswer::State::ready ? answer_pending(std::move(response)) : enqueue();
}

// What is large is compressed by a handler thread, or not at all if they have no time for it.
void Session::answer_pending(Response response) {
    if (response.body.size() <= kMostCompressedHere) {
        compress_answer(response, request_);
        return answer(std::move(response));
    }
    const auto held = std::make_shared<Response>(std::move(response));
    const auto compress = [self = shared_from_this(), held] {
        self->on_handler_thread([&] {
            compress_answer(*held, self->request_);
            self->stream_->dispatch([self, held] { self->answer(std::move(*held)); });
        });
    };
    if (!state_->queue.push(compress)) {
        answer(std::move(*held));
    }
}

// On a handler thread.
void Session::run_handler() noexcept {
    on_handler_thread([this] {
        auto held = std::make_shared<Response>();
        try {
            *held = exchange_->handle();
            compress_answer(*held, request_);
        } catch (const std::exception& fault) {
            *held = failed(fault.what());
        } catch (...) {
            *held = failed("an unknown exception");
        }
        stream_->dispatch([self = shared_from_this(), held] { self->answer(std::move(*held)); });
    });
}

// What goes wrong even so, as when memory has run out, ends the connection and not the program.
void Session::on_handler_thread(const std::function<void()>& work) noexcept {
    try {
        try {
            work();
        } catch (const std::exception& fault) {
            state_->options.log.error("a connection failed", {{"reason", fault.what()}});
        }
    } catch (...) {
        (void)std::fputs("jobforge: a connection failed, and so did the log\n", stderr);
    }
}

Response Session::failed(std::string_view what) {
    state_->options.log.error("a request failed", {{"correlation_id", request_.correlation_id},
                                                   {"method", request_.method},
                                                   {"path", request_.path},
                                                   {"reason", what}});
    return error_response(Error::of(ErrorCode::INTERNAL_ERROR, ""), request_);
}

}  // namespace jobforge::http
