// An answer that another process is at work on, such as a database: a descriptor becomes readable
// when there is something new, and no thread waits for it.
//
// Belongs to one request, which outlives it. Threads: one at a time. Destroyed without an answer if
// the connection is cut off.
#pragma once

#include "http/parse/http_message.h"

namespace jobforge::http {

class PendingAnswer {
public:
    enum class State {
        waiting,  // not yet: look again when the descriptor is readable
        ready,    // `response` is the answer
        handle,   // nothing was done: let a handler answer the request from its beginning
    };

    PendingAnswer() = default;
    PendingAnswer(const PendingAnswer&) = delete;
    PendingAnswer& operator=(const PendingAnswer&) = delete;
    virtual ~PendingAnswer() = default;

    // Open as long as this lives.
    [[nodiscard]] virtual int descriptor() const = 0;
    // Must not block.
    [[nodiscard]] virtual State resume(Response& response) = 0;
    // It has taken too long: the descriptor becomes readable, and resume() says what became of it.
    virtual void give_up() noexcept = 0;
};

}  // namespace jobforge::http
