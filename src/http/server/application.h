// What a server serves: the interface between the bytes and the program that answers them.
//
// The server asks an Application once for each request, when its head has been read. The answer is
// a Plan: either a response, or an Exchange that takes the request to its response. The exchange
// belongs to that request and is destroyed before it, so it can keep what it has found out (the
// route, who asks) from one step to the next.
//
// Threads: plan() and observe() are called by several threads at once. An exchange is used by one
// thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/parse/http_message.h"
#include "http/server/pending_answer.h"

namespace jobforge::http {

// What is told of a request when it has been answered.
struct Observation {
    std::string_view method;  // a standard one, else "OTHER": a label of bounded cardinality
    std::string_view route_label;
    int status = 0;
    // From the head's last byte to the answer's last byte handed to the system. Streams: to their
    // head.
    double seconds = 0;
    std::size_t body_bytes = 0;     // of the answer, as sent
    std::string_view address = {};  // of the client
    std::string_view correlation_id = {};
};

// One request on its way: admit() if its body is large, begin() if it may be sent on without a
// thread, handle() if begin() did not take it, observe() when it has been answered.
class Exchange {
public:
    Exchange() = default;
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    virtual ~Exchange() = default;

    // On a handler thread, if Plan::asks_admission, once, when the body is above
    // ServerOptions::admit_above bytes, before more of it is read (and before 100 Continue). A
    // response is a refusal: the body stays where it is, and the connection ends with it. Sees the
    // head and what has arrived of the body. May block.
    [[nodiscard]] virtual std::optional<Response> admit() { return std::nullopt; }
    // If Plan::may_begin, when the request is complete, before it is queued for handle(): sends it
    // on and returns what is waited for; null: handle() answers it. On an I/O thread (or a handler
    // thread, if the request was pipelined). Must not block.
    [[nodiscard]] virtual std::unique_ptr<PendingAnswer> begin() { return nullptr; }
    // On a handler thread. May block, may take the body out of the request; its head must stay as
    // it is. An exception is a 500 that shows nothing of it.
    [[nodiscard]] virtual Response handle() = 0;
    // After the answer, on an I/O or handler thread. Must not block.
    virtual void observe(const Observation& observation) = 0;
};

// What an application decides from the head alone.
struct Plan {
    std::uint64_t body_limit = 0;  // bytes; a larger body is a 413
    // Answered without handler thread: 404, 405, liveness. If the request has a body, it is not
    // read, and the connection ends with the answer.
    std::optional<Response> answer_now = {};
    // Required unless there is answer_now.
    std::unique_ptr<Exchange> exchange = nullptr;
    // For the metrics: the route's pattern, "/v1/jobs/{job_id}". Must outlive the server. What
    // never reached plan() is observed as "invalid".
    std::string_view route_label = "unmatched";
    // Whose work the request is, such as a tenant's: no party can take all handlers (work_queue.h).
    // "": no party, which is for requests that do not ask the database.
    std::string party = {};
    std::string_view vary = {};   // request headers that every answer to this path depends on
    bool vital = false;           // answered even when there are too many connections: health
    bool asks_admission = false;  // Exchange::admit()
    bool may_begin = false;       // Exchange::begin()
};

class Application {
public:
    // On an I/O thread (or a handler thread, if the request was pipelined), for every request whose
    // head is in order. The request stays where it is until the exchange has been destroyed; its
    // body and its slot come later. Must not block.
    [[nodiscard]] virtual Plan plan(Request& request) = 0;
    // After every answer of a request without exchange. Must not block.
    virtual void observe(const Observation& observation) = 0;

protected:
    Application() = default;
    Application(const Application&) = default;
    Application& operator=(const Application&) = default;
    ~Application() = default;
};

}  // namespace jobforge::http
