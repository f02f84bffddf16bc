#include "http/server/event_stream.h"

#include <utility>

namespace jobforge::http {

EventStream::EventStream(std::size_t buffer_bytes) : buffer_bytes_(buffer_bytes) {}

bool EventStream::send(std::string_view event) {
    std::function<void()> ready;
    {
        const std::lock_guard guard(mutex_);
        if (state_ != State::open) {
            return false;
        }
        if (event.size() <= buffer_bytes_ && queued_.size() <= buffer_bytes_ - event.size()) {
            // If something is queued already, the server knows and has not come for it yet.
            ready = queued_.empty() ? ready_ : nullptr;
            queued_ += event;
            if (!ready) {
                return true;
            }
        }
    }
    if (ready) {
        ready();
        return true;
    }
    end(State::too_slow);
    return false;
}

void EventStream::finish() {
    end(State::finished);
}

void EventStream::abandon() {
    end(State::abandoned);
}

void EventStream::end(State state) {
    std::function<void()> ready;
    std::function<void()> ended;
    {
        const std::lock_guard guard(mutex_);
        if (state_ != State::open) {
            return;
        }
        state_ = state;
        ready = std::exchange(ready_, nullptr);
        ended = std::exchange(ended_, nullptr);
    }
    if (ready && state != State::abandoned) {
        ready();
    }
    if (ended) {
        ended();
    }
}

bool EventStream::ended() const {
    const std::lock_guard guard(mutex_);
    return state_ != State::open;
}

void EventStream::on_ended(std::function<void()> callback) {
    {
        const std::lock_guard guard(mutex_);
        if (state_ == State::open) {
            ended_ = std::move(callback);
            return;
        }
    }
    callback();
}

void EventStream::attach(const std::function<void()>& ready) {
    {
        const std::lock_guard guard(mutex_);
        if (state_ == State::open) {
            ready_ = ready;
        }
    }
    ready();  // for what was queued before
}

EventStream::Taken EventStream::take() {
    const std::lock_guard guard(mutex_);
    Taken taken;
    taken.finished = state_ == State::finished;
    taken.bytes = std::exchange(queued_, {});
    return taken;
}

bool EventStream::too_slow() const {
    const std::lock_guard guard(mutex_);
    return state_ == State::too_slow;
}

std::string sse_event(std::string_view event, std::string_view id, std::string_view data) {
    std::string text;
    const auto field = [&text](std::string_view name, std::string_view value) {
        text.append(name).append(": ");
        for (const char c : value) {
            if (c != '\r' && c != '\n') {
                text += c;
            }
        }
        text += '\n';
    };
    if (!event.empty()) {
        field("event", event);
    }
    if (!id.empty()) {
        field("id", id);
    }
    for (;;) {
        const std::size_t end = data.find('\n');
        field("data", data.substr(0, end));
        if (end == std::string_view::npos) {
            break;
        }
        data.remove_prefix(end + 1);
    }
    return text += '\n';
}

}  // namespace jobforge::http
