#include "api/body_reader.h"

#include <algorithm>

namespace jobforge::api {

BodyReader::BodyReader(BodyFraming framing, std::uint64_t content_length, std::uint64_t limit)
    : chunked_(framing == BodyFraming::chunked),
      chunks_(limit),
      left_(framing == BodyFraming::length ? content_length : 0) {
    if (left_ == 0) {
        state_ = State::complete;
    } else if (left_ > limit) {
        state_ = State::too_large;
    }
}

std::size_t BodyReader::feed(std::string_view bytes, std::string& body) {
    std::size_t count = 0;
    if (chunked_) {
        count = chunks_.feed(bytes, body);
    } else if (state_ == State::more) {
        // Grows with what arrives, not with what was announced: an announcement costs nothing.
        count = std::min<std::uint64_t>(left_, bytes.size());
        body.append(bytes.substr(0, count));
        left_ -= count;
        state_ = left_ == 0 ? State::complete : State::more;
    }
    taken_ += count;
    return count;
}

}  // namespace jobforge::api
