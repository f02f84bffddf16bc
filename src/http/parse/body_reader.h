// A request's body as it arrives, whichever way it is framed. Pure. Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/parse/chunked_body.h"
#include "http/parse/request_head_check.h"

namespace jobforge::http {

class BodyReader final {
public:
    using State = ChunkedBody::State;

    // A Content-Length above the limit is too_large before anything was read.
    BodyReader(BodyFraming framing, std::uint64_t content_length, std::uint64_t limit);

    // Takes what belongs to the body, appends its data to `body` (which has no other writer),
    // returns how many bytes that were. The rest is the next request's.
    [[nodiscard]] std::size_t feed(std::string_view bytes, std::string& body);
    [[nodiscard]] State state() const noexcept { return chunked_ ? chunks_.state() : state_; }
    // Bytes taken so far, the chunks' framing included.
    [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }

private:
    bool chunked_;
    ChunkedBody chunks_;
    std::uint64_t left_;
    std::uint64_t room_;  // the most it can have
    State state_ = State::more;
    std::uint64_t taken_ = 0;
};

}  // namespace jobforge::http
