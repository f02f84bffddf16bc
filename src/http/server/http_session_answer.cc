// The second half of a session: answers and the connection's end.
#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "http/parse/response_text.h"
#include "http/server/event_answer.h"
#include "http/server/event_stream.h"
#include "http/server/http_session.h"

namespace jobforge::http {

namespace {

constexpr std::size_t kLingerRoom = 65536;
constexpr std::uint64_t kAtOnce = 65536;  // of a body, whatever the pace
// After a refusal, how long and how much we read on: closing with unread input resets the
// connection, and the client would lose the answer that tells it what was wrong.
constexpr std::chrono::milliseconds kLinger{1000};
constexpr std::size_t kLingerBytes = std::size_t{16} << 20;

std::string_view method_label(std::string_view method) noexcept {
    constexpr std::array<std::string_view, 7> kKnown = {"GET",   "HEAD",   "POST",   "PUT",
                                                        "PATCH", "DELETE", "OPTIONS"};
    const auto found = std::find(kKnown.begin(), kKnown.end(), method);
    return found == kKnown.end() ? "OTHER" : *found;
}

}  // namespace

void Session::refuse(int status, ErrorCode code, std::string_view message) {
    keep_alive_ = false;
    if (request_.correlation_id.empty()) {
        request_.correlation_id = new_correlation_id();
        head_done_ = Clock::now();
    }
    answer(error_response(status, code, message, request_));
}

void Session::answer(Response response) {
    const bool aborted = phase_ == Phase::closing;  // while it was handled
    if (response.stream && (aborted || !is_sendable(response))) {
        response.stream->abandon();
    }
    if (aborted) {
        return;
    }
    phase_ = Phase::answering;
    waiting_since_ = 0;  // a refused head is answered, too
    out_ = std::move(response);
    if (!is_sendable(out_)) {
        out_ = failed("the handler's answer has a header or status that cannot be sent");
    }
    if (has_no_body(out_.status)) {
        out_.body.clear();
    }
    if (!vary_.empty()) {
        const std::string* more = find_header(out_, "Vary");
        set_header(out_, "Vary",
                   more == nullptr ? std::string(vary_) : fmt::format("{}, {}", vary_, *more));
    }
    WireForm form;
    form.tls = !state_->options.tls_certificate_file.empty();
    form.keep_alive = keep_alive_ && !out_.stream && !state_->draining;
    form.http_1_0 = http_1_0_;
    form.chunked = out_.stream && !http_1_0_;
    form.now = std::time(nullptr);
    if (out_.stream) {
        out_.content_type = "text/event-stream";
    }
    keep_alive_ = form.keep_alive;
    out_head_ = response_head(out_, request_.correlation_id, form);
    write(head_method_ || out_.stream,
          [self = shared_from_this()](bool good) { self->on_answered(good); });
}

void Session::write(bool head_only, std::function<void(bool)> done) {
    pace_ = pace();
    write_rest(0, head_only, std::move(done));
}

void Session::write_rest(std::size_t written, bool head_only, std::function<void(bool)> done) {
    const std::string_view body = head_only ? std::string_view() : std::string_view(out_.body);
    const std::size_t all = out_head_.size() + body.size();
    const std::size_t in_head = std::min(written, out_head_.size());
    stream_->set_deadline(pace_.deadline(written));
    stream_->write_some(std::string_view(out_head_).substr(in_head), body.substr(written - in_head),
                        [self = shared_from_this(), written, head_only, all,
                         done = std::move(done)](bool good, std::size_t count) mutable {
                            if (good && written + count < all) {
                                return self->write_rest(written + count, head_only,
                                                        std::move(done));
                            }
                            done(good);
                        });
}

void Session::on_answered(bool good) {
    observe();
    if (!good || phase_ == Phase::closing) {
        return end();  // also if it was cut off while the last bytes went
    }
    if (out_.stream && !head_method_) {
        return begin_stream();
    }
    if (keep_alive_) {
        return next_request();
    }
    linger();
}

void Session::observe() {
    const std::chrono::duration<double> took = Clock::now() - head_done_;
    const std::size_t bytes = head_method_ ? 0 : out_.body.size();
    const Observation seen{.method = method_label(request_.method),
                           .route_label = route_label_,
                           .status = out_.status,
                           .seconds = took.count(),
                           .body_bytes = bytes,
                           .address = stream_->remote_address(),
                           .correlation_id = request_.correlation_id};
    return exchange_ ? exchange_->observe(seen) : state_->application.observe(seen);
}

void Session::begin_stream() {
    phase_ = Phase::streaming;
    const auto& options = state_->options;
    send_events(stream_, out_.stream,
                {.chunked = !http_1_0_,
                 .keep_alive = options.stream_keep_alive,
                 .grace = options.transfer_grace,
                 .min_bytes_per_second = options.min_bytes_per_second},
                shared_from_this());
    if (draining_ || state_->draining) {
        out_.stream->finish();
    }
}

void Session::linger() {
    phase_ = Phase::closing;
    pace_ = pace();
    stream_->set_deadline(Clock::now() + kLinger);
    stream_->shutdown_send([self = shared_from_this()](bool good, std::size_t) {
        return good ? self->discard(0) : self->end();
    });
}

void Session::discard(std::size_t dropped) {
    buffer_.resize(kLingerRoom);
    stream_->read_some_at(pace_.next(dropped), buffer_.data(), buffer_.size(),
                          [self = shared_from_this(), dropped](bool good, std::size_t count) {
                              const std::size_t all = dropped + count;
                              return good && all < kLingerBytes ? self->discard(all) : self->end();
                          });
}

TransferPace Session::pace() const {
    const auto& options = state_->options;
    return {Clock::now(),
            options.transfer_grace,
            options.min_bytes_per_second,
            options.max_bytes_per_second,
            kAtOnce,
            options.longest_pause};
}

}  // namespace jobforge::http
