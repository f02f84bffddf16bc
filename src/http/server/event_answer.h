// The rest of an answer that is an event stream, after its head: from the EventStream to the client
// until one of them ends.
//
// Also watches for the client's end, which nothing else would notice while there is no news.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "http/server/byte_stream.h"
#include "http/server/event_stream.h"

namespace jobforge::http {

struct EventAnswerOptions {
    bool chunked = true;                   // else the connection's end is the answer's
    std::chrono::milliseconds keep_alive;  // a quiet stream gets a comment this often
    std::chrono::milliseconds grace;       // see TransferPace, for every write
    std::size_t min_bytes_per_second = 1;
};

// In the stream's turn; nothing may be under way on it. `owner` is kept until the end. The
// connection is closed then.
void send_events(std::shared_ptr<ByteStream> stream, std::shared_ptr<EventStream> events,
                 const EventAnswerOptions& options, std::shared_ptr<void> owner);

}  // namespace jobforge::http
