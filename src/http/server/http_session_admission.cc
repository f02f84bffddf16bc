// The part of a session that asks whether a large body may come.
#include <exception>
#include <memory>
#include <utility>

#include "http/server/http_session.h"

namespace jobforge::http {

bool Session::needs_admission(std::uint64_t body_bytes) const {
    return asks_admission_ && body_bytes > state_->options.admit_above;
}

void Session::ask_admission() {
    phase_ = Phase::handling;
    stream_->clear_deadline();
    const auto asked = Clock::now();
    if (!state_->queue.push([self = shared_from_this(), asked] { self->run_admission(asked); },
                            party_)) {
        drop_body();
        keep_alive_ = false;  // the rest of the body stays where it is
        answer(no_handler());
    }
}

// On a handler thread.
void Session::run_admission(Clock::time_point asked) noexcept {
    on_handler_thread([this, asked] {
        auto refusal = std::make_shared<std::optional<Response>>();
        try {
            *refusal = exchange_->admit();
        } catch (const std::exception& fault) {
            *refusal = failed(fault.what());
        } catch (...) {
            *refusal = failed("an unknown exception");
        }
        stream_->dispatch([self = shared_from_this(), refusal, asked] {
            self->on_admission(std::move(*refusal), asked);
        });
    });
}

void Session::on_admission(std::optional<Response> refusal, Clock::time_point asked) {
    if (refusal) {
        keep_alive_ = false;  // the rest of the body stays where it is
        drop_body();
        return answer(std::move(*refusal));
    }
    asks_admission_ = false;
    phase_ = Phase::body;
    const auto waited_for_us = Clock::now() - asked;
    pace_.begun += waited_for_us;
    body_deadline_ += waited_for_us;
    go_on_with_body();
}

}  // namespace jobforge::http
